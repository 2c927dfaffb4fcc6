//! What fetches show of queries, searches and sites.

use std::collections::BTreeSet;
use std::sync::Arc;

use harvestman_core::url::{Fingerprint, SearchTemplate, origin_of};

use super::Searching;
use crate::search::own::OwnStep;
use crate::search::source::{Reply, Source};
use crate::search::{FoundSearch, OwnSearch, SearchAnswer, SearchReply};
use crate::{Observation, Outcome, Proposal};

/// Maximum number of addresses of a site's own search that are known because pages link to them.
const LINKED_MAX: usize = 1 << 12;

impl Searching {
    /// Returns the search that answers at an address.
    fn source_of(&self, url: &str) -> Option<usize> {
        let is_named = |source: &Source| source.own.is_none() && source.template.is_answer(url);
        self.asked_of.get(url).copied().or_else(|| self.sources.iter().position(is_named))
    }

    pub(super) fn see(&mut self, seen: &Observation) {
        if let Some(at) = self.source_of(seen.url.as_str()) {
            self.see_answer(at, seen);
        } else if let Some(at) = seen.via.as_deref().and_then(|via| self.source_of(via)) {
            self.see_result(at, seen);
        } else {
            self.see_other(seen);
        }
        self.count(seen);
        self.take_sample(seen);
        self.generate_if_due();
        self.advance();
    }

    /// Sees a page that was fetched for itself.
    fn see_other(&mut self, seen: &Observation) {
        if !self.templates.own_last
            && let Some((round, _)) = &mut self.round
        {
            round.passed();
        }
        if !self.own.is_on() {
            return;
        }
        self.worth.see_other(is_accepted(seen));
        if self.templates.own_last && self.worth.is_worth_it() {
            self.set_last(false);
        }
        self.look_for_own(seen);
    }

    /// Looks for the searches of sites.
    fn look_for_own(&mut self, seen: &Observation) {
        match self.own.see(seen) {
            Some(OwnStep::Fetch(description)) => {
                self.proposals.push(Proposal::own_search(&description, false));
                self.found_searches.push(FoundSearch::Description(description));
            }
            Some(OwnStep::Use(template, links)) => self.add_own(&template, links),
            None => {}
        }
        self.note_linked(seen);
    }

    /// Remembers the links that are addresses of a site's own search, or may be those of one that is not known yet.
    fn note_linked(&mut self, seen: &Observation) {
        let is_awaited = self.own.awaited().next().is_some();
        for link in &seen.new {
            let url = link.url.as_str();
            let may_be_answer = is_awaited && url.contains('?');
            let is_answer = || self.templates.own.iter().any(|template| template.is_answer(url));
            if self.linked.len() < LINKED_MAX && (may_be_answer || is_answer()) {
                self.linked.insert(link.url.fingerprint());
            }
        }
    }

    /// Adds a site's own search, unless it is known.
    fn add_own(&mut self, template: &str, links: BTreeSet<Fingerprint>) {
        let canonicaliser = &self.options.canonicaliser;
        let Ok(template) = SearchTemplate::parse(template, canonicaliser) else { return };
        let is_known = template.url("q", canonicaliser).is_ok_and(|url| {
            self.sources.iter().any(|source| source.template == template || source.template.is_answer(url.as_str()))
        });
        if !is_known {
            let own = OwnSearch { template, links };
            self.found_searches.push(FoundSearch::Search(own.clone()));
            self.sources.push(Source::own(own, self.options.generation.max_iterations));
            let own = self.sources.iter().filter(|source| source.own.is_some());
            self.templates.own = own.map(|source| source.template.clone()).collect();
            self.version += 1;
        }
    }

    fn see_answer(&mut self, at: usize, seen: &Observation) {
        let source = &mut self.sources[at];
        let new = seen.new.len();
        let answered = |answer| Reply::Answer { answer, new };
        let reply = match &seen.outcome {
            Outcome::Search(SearchReply::Answer(answer)) => answered(*answer),
            Outcome::Search(SearchReply::Forbidden) if source.own.is_some() => Reply::Forbidden,
            // Sites lead to the only hit at once.
            Outcome::Redirected if source.own.is_some() => answered(SearchAnswer { hits: None, results: new as u32 }),
            _ => Reply::Failed,
        };
        source.see(reply);
        if source.own.is_some() {
            self.worth.see_own(false);
        }
        let hits = if let Reply::Answer { answer, .. } = reply { Some(answer.hits()) } else { None };
        if let Some((round, _)) = &mut self.round {
            round.answered(seen.url.as_str(), hits, new);
        }
    }

    fn see_result(&mut self, at: usize, seen: &Observation) {
        let accepted = is_accepted(seen);
        let is_own = self.sources[at].own.is_some();
        if is_own {
            self.worth.see_own(accepted);
            self.own_wanted += u64::from(accepted);
        }
        let site = origin_of(seen.url.as_str());
        if !matches!(seen.outcome, Outcome::Redirected) {
            self.results.record(seen.url.as_str(), accepted, self.asked);
        }
        let is_new_site = accepted && !is_own && self.yields.add(site);
        if is_new_site {
            self.found.push(seen.url.as_str().into());
        }
        let further = if matches!(seen.outcome, Outcome::Redirected) { seen.new.len() } else { 0 };
        if let Some((round, _)) = &mut self.round {
            round.fetched(is_new_site || (accepted && (is_own || self.options.counts_pages)), further);
        }
    }

    /// Counts a request for its site.
    fn count(&mut self, seen: &Observation) {
        let accepted = is_accepted(seen);
        if self.yields.count(origin_of(seen.url.as_str()), accepted) {
            self.left = Arc::new(self.yields.left().map(Box::from).collect());
            self.version += 1;
        }
    }

    /// Takes an accepted page as an example, where the user gave none.
    fn take_sample(&mut self, seen: &Observation) {
        if self.wants_samples()
            && let Outcome::Page(page) = &seen.outcome
            && page.accepted == Some(true)
            && let Some((body, content_type)) = &page.body
        {
            self.samples.extend((self.options.read_text)(body, content_type.as_deref()));
        }
    }
}

fn is_accepted(seen: &Observation) -> bool {
    matches!(&seen.outcome, Outcome::Page(page) if page.accepted == Some(true))
}
