//! The searches as a policy.

use std::sync::Arc;

use harvestman_core::model::SearchRecord;

use super::Searching;
use crate::search::note::note;
use crate::search::rules::SearchRules;
use crate::search::{FoundSearch, SearchReply};
use crate::{AdjustedSnapshot, Needs, Observation, Outcome, Policy, PolicyFacts, PolicySnapshot, Proposal};

impl Searching {
    fn record(&self) -> SearchRecord {
        SearchRecord { own_wanted: self.own_wanted, ..self.yields.record(self.asked) }
    }
}

impl Policy for Searching {
    fn observe(&mut self, mut seen: Observation) {
        self.see(&seen);
        match seen.outcome {
            Outcome::Search(SearchReply::Forbidden) => seen.outcome = Outcome::Failed,
            Outcome::Search(_) => seen.outcome = Outcome::Document,
            _ => {}
        }
        if self.inner.learns() {
            self.inner.observe(seen);
        }
    }

    fn snapshot(&mut self) -> Arc<dyn PolicySnapshot> {
        self.published = self.version;
        let (left, passed_over) = (Arc::clone(&self.left), Arc::clone(&self.passed_over));
        let rules = SearchRules::new(self.templates.clone(), left, passed_over, self.version);
        Arc::new(AdjustedSnapshot::new(&self.inner.snapshot(), Arc::new(rules)))
    }

    fn inner(&self) -> Option<&dyn Policy> {
        Some(&*self.inner)
    }

    fn inner_mut(&mut self) -> Option<&mut dyn Policy> {
        Some(&mut *self.inner)
    }

    fn learns(&self) -> bool {
        true
    }

    fn proposals(&mut self) -> Vec<Proposal> {
        let mut proposals = std::mem::take(&mut self.proposals);
        proposals.append(&mut self.inner.proposals());
        proposals
    }

    fn found_sites(&mut self) -> Vec<Box<str>> {
        std::mem::take(&mut self.found)
    }

    fn found_searches(&mut self) -> Vec<FoundSearch> {
        std::mem::take(&mut self.found_searches)
    }

    fn open_queries(&mut self) -> Vec<Proposal> {
        if let Some((round, _)) = &mut self.round {
            round.forget_results();
        }
        self.advance();
        self.proposals.retain(|proposal| !proposal.is_query());
        let unanswered = self.round.iter().flat_map(|(round, _)| round.unanswered());
        let queries = unanswered.map(|url| match self.asked_of.contains_key(url) {
            true => Proposal::own_search(url, self.templates.own_last),
            false => Proposal::search(url),
        });
        let descriptions = self.own.awaited().map(|url| Proposal::own_search(url, false));
        queries.chain(descriptions).collect()
    }

    fn needs(&self) -> Needs {
        let needs = self.inner.needs();
        Needs { body: needs.body || self.wants_samples(), ..needs }
    }

    fn has_news(&self) -> bool {
        self.version != self.published || self.inner.has_news()
    }

    fn generation(&self) -> u64 {
        // As that of a snapshot with an adjustment: each only grows.
        self.inner.generation() + self.version
    }

    fn facts(&self) -> PolicyFacts {
        let sites = self.yields.sites().count() as u64;
        PolicyFacts { queries: self.asked, found_sites: sites, ..self.inner.facts() }
    }

    fn searches(&self) -> Option<SearchRecord> {
        Some(self.record())
    }

    fn note(&self) -> Option<String> {
        let left: Vec<&str> = self.left.iter().map(|site| &**site).collect();
        let note = note(&self.record(), &self.sources, &self.own, &left);
        Some(match self.inner.note() {
            Some(inner) => format!("{note}; {inner}"),
            None => note,
        })
    }
}
