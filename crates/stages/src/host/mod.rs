//! Hosts: politeness, robots.txt, sitemaps. One actor for each authority that has work; nothing else sends it requests.

mod actor;
mod blocked;
mod capped;
mod core;
mod gates;
mod health;
mod history;
mod messages;
mod politeness;
mod ports;
pub mod retry_after;
pub mod robots;
pub mod sitemap;
mod status;

pub use actor::{HostActor, HostSetup};
pub use blocked::{BLOCKED_MAX, BlockedHosts, HostName, NotAHost};
pub use capped::{CAPPED_DELAYS_MAX, CappedDelay, CappedDelays};
pub use core::{Disposition, Errand, HostCore, HostRules, RobotsResult, Step};
pub use gates::{GateId, GateTerms, Gates, Return};
pub use health::Health;
pub use history::{HostHistory, StoredRobots};
pub use messages::{
    ErrandBrokenOff, ErrandEnded, Grant, LetIn, NoWork, PageBrokenOff, PageEnded, Resolved, Retire, RulesChanged,
    SitemapsFound, StatusQuery, Wake,
};
pub use politeness::{Politeness, Readiness, RequestEnd, Rules, WaitReason};
pub use ports::{
    DeliveredErrand, DeliveryPort, GatePort, HostAddress, HostPorts, HostRegistry, HostRequest, LeasePort, RequestPort,
};
pub use status::HostStatus;

#[cfg(test)]
mod politeness_tests;
