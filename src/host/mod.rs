//! Hosts.
mod ip_slots;
mod politeness;
pub use ip_slots::IpSlots;
pub use politeness::{Health, Politeness, Readiness, Rules, WaitReason};

#[cfg(test)]
mod politeness_tests;
