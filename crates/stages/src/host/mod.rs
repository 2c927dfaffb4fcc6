//! Per-host politeness, robots.txt, sitemaps and descriptions of searches. Each authority with work has one actor, and
//! only that actor sends it requests.

mod actor;
mod blocked;
mod capped;
mod content_report;
mod core;
mod gates;
mod health;
mod history;
mod limits;
mod messages;
mod politeness;
mod ports;
mod reply;
pub mod retry_after;
pub mod robots;
mod rules;
pub mod search_description;
pub mod sitemap;
mod status;
mod step;
mod subrequest;
mod tdmrep;

pub use actor::{HostActor, HostAddress, HostSetup};
pub use blocked::{BLOCKED_MAX, BlockedHosts, HostName, NotAHost};
pub use capped::{CAPPED_DELAYS_MAX, CappedDelay, CappedDelays};
pub use content_report::ContentReport;
pub use core::HostCore;
pub use gates::{GateId, GateTerms, Gates, Return};
pub use health::Health;
pub use history::{HostHistory, StoredRobots};
pub use limits::HostLimits;
pub use messages::{
    GatePassed, Grant, NoWork, Retire, RulesChanged, SitemapsFound, StatusQuery, SubrequestWanted, SubrequestWithdrawn,
    WaitOver, Wake,
};
pub use politeness::{Politeness, Readiness, RequestEnd, WaitReason};
pub use ports::{
    DeliveredErrand, DeliveryPort, GatePort, HostPorts, HostRegistry, HostRequest, LeasePort, RequestPort,
    SubrequestPort,
};
pub use reply::{ErrandEnded, HostReply, ReplyTo};
pub use rules::{HostRules, PolitenessRules};
pub use status::HostStatus;
pub use step::{Disposition, Errand, RobotsResult, Step};
pub use subrequest::{SUBREQUESTS_MAX, Subrequest, SubrequestRefusal, SubrequestReply};

#[cfg(test)]
mod politeness_tests;
