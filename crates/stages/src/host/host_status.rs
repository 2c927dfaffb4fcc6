//! A host's state for display.

use std::time::Duration;

use super::core::HostCore;
use super::host_rules::HostRules;
use super::politeness::WaitReason;
use super::step::Step;
use harvestman_core::clock::Instant;

/// The state of a host that may be contacted.
const READY: &str = "ready";

/// When a host may be contacted next, and why not now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HostStatus {
    /// `ready`, `busy` (enough requests are in progress), the reason for which it waits ([`super::WaitReason::label`]),
    /// or `given_up`.
    pub state: &'static str,
    /// The end of the wait; `None` if it does not wait for a known time.
    pub until: Option<Instant>,
    /// The minimum time between two requests that applies now.
    pub delay: Duration,
    /// Number of requests in progress.
    pub under_way: u32,
    /// Number of consecutive failures.
    pub failures: u32,
}

impl HostStatus {
    /// Returns the status of a host that waits for other hosts before a request that it could send by itself.
    #[must_use]
    pub fn queued(self, why: WaitReason, until: Option<Instant>) -> Self {
        if self.state == READY { Self { state: why.label(), until, ..self } } else { self }
    }
}

impl HostCore {
    /// Returns the host's status at `now`.
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
#[path = "host_status_tests.rs"]
mod tests;
