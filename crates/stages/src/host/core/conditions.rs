//! Conditions of a host for its pages: what it states about the use of its content, in robots.txt and in tdmrep.json,
//! and the session of a log-in, without which pages wait.

use std::time::Duration;

use super::HostCore;
use crate::host::host_rules::HostRules;
use crate::host::politeness::WaitReason;
use crate::host::robots::Verdict;
use crate::host::step::{Errand, Step};
use harvestman_consent::{TDMREP_PATH, UrlPath, combined};
use harvestman_core::clock::Instant;
use harvestman_core::model::{Exchange, Fate, Statement};
use harvestman_core::url::CanonicalUrl;

impl HostCore {
    /// Returns what the host states about a page, by what is known of it now.
    pub fn statements(&self, url: &CanonicalUrl, rules: &HostRules) -> Vec<Statement> {
        let in_robots = self.robots.rules().map(|robots| robots.statements()).filter(|said| !said.is_empty());
        if !rules.consent.reads() || in_robots.is_none() && self.tdmrep.file().is_none() {
            return Vec::new();
        }
        let path = UrlPath::new(url.path_and_query());
        let in_robots = in_robots.into_iter().flat_map(|said| said.of(&path));
        let in_file = self.tdmrep.file().map_or(&[][..], |file| file.of(&path));
        combined(in_robots.chain(in_file).cloned())
    }

    /// Returns the fate of a page whose use for the purpose of the crawl the host refuses.
    pub(super) fn refused_use(&self, url: &CanonicalUrl, rules: &HostRules) -> Option<Fate> {
        let decision = rules.consent.decide(&self.statements(url, rules));
        decision.not_fetched.map(Fate::RefusedBySite)
    }

    /// Returns the URL of tdmrep.json if it is to be fetched: the crawl reads it, it is due, and robots.txt allows it.
    pub(super) fn tdmrep_due(&self, now: Instant, rules: &HostRules) -> Option<CanonicalUrl> {
        let is_read = rules.consent.reads_tdmrep() && self.robots.verdict(now, TDMREP_PATH) == Verdict::Allowed;
        is_read.then(|| self.tdmrep.fetch_url(now)).flatten()
    }

    /// Records the end of a request for tdmrep.json.
    pub fn tdmrep_ended(&mut self, exchange: &Exchange, body: &[u8], now: Instant, rules: &HostRules) {
        self.tdmrep.ended(exchange, body, rules.tdmrep, now);
        self.record_end(exchange, now, &rules.politeness);
    }
}

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
#[path = "consent_tests.rs"]
mod consent_tests;

#[cfg(test)]
#[path = "session_tests.rs"]
mod session_tests;
