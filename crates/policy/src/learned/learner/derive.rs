//! Addresses of wanted pages that are made from known ones.

use std::collections::HashSet;

use super::{LearnedPolicy, PAGES_MAX};
use crate::learned::derivation::Derivations;
use crate::learned::log::Log;
use crate::learned::worth::Worth;
use crate::{NewLink, Proposal};
use harvestman_core::model::{Apath, LinkClass};
use harvestman_core::url::{CanonicalUrl, Fingerprint};

/// Maximum number of addresses that are derived at once.
const PROPOSALS_MAX: usize = 5_000;

impl LearnedPolicy {
    const fn derives(&self) -> bool {
        self.tuning.derives && self.goal.is_of_a_type()
    }

    /// Derives addresses from those of the new links of a page, and proposes them.
    pub(super) fn derive(&mut self, new: &[NewLink]) -> Vec<NewLink> {
        if !self.derives() {
            return Vec::new();
        }
        new.iter().for_each(|link| self.derivations.note(&self.patterns, &link.url));
        let mut derived = Vec::new();
        for link in new {
            self.derive_from(&link.url, &mut derived);
        }
        derived
    }

    /// Learns whether an address that was derived is wanted.
    pub(super) fn learn_derived(&mut self, url: &CanonicalUrl, class: LinkClass, worth: Worth) {
        if class.apath == Apath::DERIVED && self.derivations.see(&self.patterns, url, worth) {
            self.derive_from_all();
        }
    }

    /// Learns the rules again.
    pub(super) fn learn_derivations(&mut self) {
        if self.derives() {
            self.derivations = Derivations::learn(&self.patterns, &self.log);
        }
    }

    /// Proposes what the rules derive from all known addresses.
    pub(super) fn derive_from_all(&mut self) {
        if self.derivations.is_empty() {
            return;
        }
        let log = std::mem::replace(&mut self.log, Log::new(PAGES_MAX));
        let mut derived = Vec::new();
        for link in log.iter().flat_map(|entry| &entry.new) {
            self.derive_from(&link.url, &mut derived);
        }
        self.log = log;
    }

    fn derive_from(&mut self, from: &CanonicalUrl, derived: &mut Vec<NewLink>) {
        if self.proposals.len() >= PROPOSALS_MAX {
            return;
        }
        for url in self.derivations.make(&self.patterns, from) {
            self.proposals.push(Proposal::derived(url.as_str().to_owned(), from.as_str().to_owned()));
            derived.push(self.derived_link(url));
        }
    }

    fn derived_link(&self, url: CanonicalUrl) -> NewLink {
        let class = LinkClass::unclassified(Apath::DERIVED).with_pattern(self.patterns.of(url.as_str()));
        NewLink::new(class, url)
    }

    /// The addresses that proven rules make of those of new links, and that are not among them.
    pub(super) fn derived_before(&self, new: &[NewLink]) -> Vec<NewLink> {
        if !self.derives() {
            return Vec::new();
        }
        let made = new.iter().flat_map(|link| self.derivations.proven(&self.patterns, &link.url));
        let mut derived: Vec<NewLink> = made.map(|url| self.derived_link(url)).collect();
        if !derived.is_empty() {
            let mut known: HashSet<Fingerprint> = new.iter().map(|link| link.url.fingerprint()).collect();
            derived.retain(|link| known.insert(link.url.fingerprint()));
        }
        derived
    }
}
