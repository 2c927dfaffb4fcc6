//! Addresses that extend known ones.

use std::collections::HashSet;

use super::LearnedPolicy;
use crate::learned::goal::Goal;
use crate::{NewLink, Outcome, Proposal};
use harvestman_core::model::{Apath, LinkClass};
use harvestman_core::url::{CanonicalUrl, Fingerprint};

/// Maximum number of addresses that are derived at once.
const PROPOSALS_MAX: usize = 5_000;

impl LearnedPolicy {
    /// Derives addresses from those that are new, and from all known ones when a rule was just found.
    pub(super) fn derive(&mut self, url: &CanonicalUrl, outcome: &Outcome, new: &[NewLink]) -> Vec<NewLink> {
        if matches!(self.goal, Goal::Content) {
            return Vec::new();
        }
        let mut derived = Vec::new();
        if matches!(outcome, Outcome::Page(_)) {
            let pattern = self.patterns.of(url.as_str()).coarse;
            if !self.extensions.see(pattern, url.as_str(), new).is_empty() {
                let known = self.log.iter().flat_map(|entry| &entry.new);
                for link in known.filter(|link| link.class.pattern.coarse == pattern).take(PROPOSALS_MAX) {
                    self.extend(link, &mut derived);
                }
            }
        }
        derived.extend(self.extended(new));
        let page = url.as_str();
        let room = PROPOSALS_MAX.saturating_sub(self.proposals.len());
        for link in derived.iter().take(room) {
            let url = link.url.as_str().to_owned();
            self.proposals.push(Proposal::derived(url, page.to_owned()));
        }
        derived
    }

    /// The addresses that extend those of new links, are not among them, and are worth a request. Without an example
    /// there are none.
    pub(super) fn extended(&self, new: &[NewLink]) -> Vec<NewLink> {
        let mut derived = Vec::new();
        if self.goal.is_of_a_type() {
            new.iter().for_each(|link| self.extend(link, &mut derived));
        }
        if !derived.is_empty() {
            let known: HashSet<Fingerprint> = new.iter().map(|link| link.url.fingerprint()).collect();
            derived.retain(|link| !known.contains(&link.url.fingerprint()));
        }
        derived
    }

    /// Adds the addresses that extend that of `link` and are worth a request.
    fn extend(&self, link: &NewLink, derived: &mut Vec<NewLink>) {
        for suffix in self.extensions.rules(link.class.pattern.coarse) {
            let url = format!("{}{suffix}", link.url.as_str());
            let class = LinkClass::unclassified(Apath::DERIVED).with_pattern(self.patterns.of(&url));
            let estimate = self.evidence.estimate(class, &self.tuning.smoothing);
            if estimate.mean >= self.tuning.good_share * self.best {
                derived.push(NewLink::new(class, CanonicalUrl::from_canonical(url)));
            }
        }
    }
}
