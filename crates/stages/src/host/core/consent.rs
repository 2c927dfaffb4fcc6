//! What a host states about the use of its content: in robots.txt, and in tdmrep.json.

use super::HostCore;
use crate::host::robots::Verdict;
use crate::host::rules::HostRules;
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

#[cfg(test)]
#[path = "consent_tests.rs"]
mod tests;
