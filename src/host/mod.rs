//! Hosts: politeness, robots.txt, sitemaps. One actor for each authority that has work; nothing else sends it requests.

mod actor;
mod blocked;
mod core;
mod ip_slots;
mod messages;
mod politeness;
mod recollection;
pub mod retry_after;
pub mod robots;
pub mod sitemap;

pub use actor::{HostActor, HostSetup};
pub use blocked::{BLOCKED_MAX, BlockedHosts, HostName, NotAHost};
pub use core::{Errand, HostCore, HostRules, RobotsResult, Step, Verdicts};
pub use ip_slots::IpSlots;
pub use messages::{
    ErrandEnded, Grant, HostOutlets, NoWork, PageEnded, Resolved, RulesChanged, SitemapsFound, SlotGiven, Wake,
};
pub use politeness::{Health, Politeness, Readiness, Rules, WaitReason};
pub use recollection::{HostPast, KnownRobots};

#[cfg(test)]
mod politeness_tests;
