//! The session of a log-in at a host: pages wait while there is none.

use std::time::Duration;

use super::HostCore;
use crate::host::politeness::WaitReason;
use crate::host::rules::HostRules;
use crate::host::step::{Errand, Step};
use harvestman_core::clock::Instant;

/// The interval at which a host that waits for a log-in says that it still waits. It is told when that has ended.
const SAID_EVERY: Duration = Duration::from_secs(60);

impl HostCore {
    /// Returns whether pages of the host must wait, because they would be sent as to a guest.
    pub(super) fn waits_for_session(&self, rules: &HostRules) -> bool {
        !self.has_session && rules.session_host.as_ref() == Some(&self.key)
    }

    /// Returns the step of a host without a session that may send a request: only those of a log-in.
    pub(super) fn log_in_or_wait(&self, now: Instant) -> Step {
        match self.subrequests.first().filter(|first| first.is_of_log_in()) {
            Some(of_log_in) => Step::Errand(Errand::Subrequest(of_log_in.clone())),
            None => Step::Wait { until: now + SAID_EVERY, why: WaitReason::LogIn },
        }
    }
}

#[cfg(test)]
#[path = "session_tests.rs"]
mod tests;
