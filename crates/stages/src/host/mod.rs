//! Hosts: politeness, robots.txt, sitemaps. One actor for each authority that has work; nothing else sends it requests.

mod actor;
mod blocked;
mod capped;
mod core;
mod face;
mod gates;
mod health;
mod messages;
mod politeness;
mod ports;
mod recollection;
pub mod retry_after;
pub mod robots;
pub mod sitemap;

pub use actor::{HostActor, HostSetup};
pub use blocked::{BLOCKED_MAX, BlockedHosts, HostName, NotAHost};
pub use capped::{CAPPED_DELAYS_MAX, CappedDelay, CappedDelays};
pub use core::{Errand, HostCore, HostRules, RobotsResult, Step, Verdicts};
pub use face::HostFace;
pub use gates::{GateId, GateTerms, Gates, Return};
pub use health::Health;
pub use messages::{
    ErrandBrokenOff, ErrandEnded, FaceWanted, Grant, LetIn, NoWork, PageBrokenOff, PageEnded, Resolved, Retire,
    RulesChanged, SitemapsFound, Wake,
};
pub use politeness::{Politeness, Readiness, RequestEnd, Rules, WaitReason};
pub use ports::{
    DeliveredErrand, DeliveryPort, GatePort, HostAddress, HostPorts, HostRegistry, HostRequest, LeasePort, RequestPort,
};
pub use recollection::{HostPast, KnownRobots};

#[cfg(test)]
mod politeness_tests;
