//! A host's clock as people see it.

use std::time::Duration;

use super::core::HostCore;
use super::politeness::WaitReason;
use super::rules::HostRules;
use super::step::Step;
use harvestman_core::clock::Instant;

/// The state of a host that may be asked.
const READY: &str = "ready";

/// When a host may be asked next, and why not now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HostStatus {
    /// `ready`, `busy` (enough is under way), why it is left alone ([`super::WaitReason::label`]), or `given_up`.
    pub state: &'static str,
    /// Until when it is left alone; none where it is not.
    pub until: Option<Instant>,
    /// The least time between two requests as it holds now.
    pub delay: Duration,
    /// Requests under way.
    pub under_way: u32,
    /// Failures in a row.
    pub failures: u32,
}

impl HostStatus {
    /// The same where the host waits for others before a request that it might send by itself.
    #[must_use]
    pub fn queued(self, why: WaitReason, until: Option<Instant>) -> Self {
        if self.state == READY { Self { state: why.label(), until, ..self } } else { self }
    }
}

impl HostCore {
    /// Its clock at `now`.
    pub fn status(&self, now: Instant, rules: &HostRules) -> HostStatus {
        let (state, until) = match self.next(now, 0, rules) {
            Step::Wait { until, why } => (why.label(), Some(until)),
            Step::Resolve | Step::Errand(_) | Step::Ask => (READY, None),
            Step::AskToRefuse => ("given_up", None),
            Step::Busy => ("busy", None),
        };
        let memory = self.memory();
        HostStatus {
            state,
            until,
            delay: memory.delay(&rules.politeness),
            under_way: memory.in_flight(),
            failures: memory.failures(),
        }
    }
}

#[cfg(test)]
#[path = "status_tests.rs"]
mod tests;
