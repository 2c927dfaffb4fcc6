//! Per-host politeness, robots.txt, sitemaps and descriptions of searches. Each authority with work has one actor, and
//! only that actor sends it requests.

mod actor;
mod core;
mod gates;
mod health;
mod history;
mod host_rules;
mod host_status;
mod politeness;
mod ports;
mod restricted;
pub mod retry_after;
pub mod robots;
pub mod search_description;
pub mod sitemap;
mod step;
mod subrequest;
mod tdmrep;

pub use actor::{HostActor, HostAddress, HostSetup};
pub use core::HostCore;
pub use gates::{GateId, GateTerms, Gates, Return};
pub use health::{ContentReport, Health};
pub use history::{HostHistory, StoredRobots};
pub use host_rules::{HostLimits, HostRules, PolitenessRules};
pub use host_status::HostStatus;
pub use politeness::{Politeness, Readiness, RequestEnd, WaitReason};
pub use ports::{
    DeliveredErrand, DeliveryPort, ErrandEnded, GatePassed, GatePort, Grant, HostPorts, HostRegistry, HostReply,
    HostRequest, LeasePort, NoWork, ReplyTo, RequestPort, Retire, RulesChanged, SitemapsFound, StatusQuery,
    SubrequestPort, SubrequestWanted, SubrequestWithdrawn, WaitOver, Wake,
};
pub use restricted::{BLOCKED_MAX, BlockedHosts, CAPPED_DELAYS_MAX, CappedDelay, CappedDelays, HostName, NotAHost};
pub use step::{Disposition, Errand, RobotsResult, Step};
pub use subrequest::{SUBREQUESTS_MAX, Subrequest, SubrequestRefusal, SubrequestReply};

#[cfg(test)]
mod politeness_tests;
