//! One query on its way: its answers, and the pages that they led to.

use std::collections::BTreeSet;

use harvestman_structure::site::QueryResult;

/// Number of other fetches after which the rest of a round is no longer waited for: an answer or a result was lost, for
/// example because the crawl was killed while it was processed.
const PATIENCE: u32 = 200;

/// A query that was sent.
#[derive(Debug, Clone, Default)]
pub(super) struct Round {
    query: Box<str>,
    /// The addresses whose answers are missing.
    unanswered: BTreeSet<Box<str>>,
    /// Results that were not fetched yet.
    pending: usize,
    /// The largest number of hits that a search reported.
    hits: Option<u64>,
    accepted: u32,
    idle: u32,
}

impl Round {
    /// Starts the round of a query, with its address at each search.
    pub(super) fn new(query: &str, addresses: impl IntoIterator<Item = Box<str>>) -> Self {
        Self { query: query.into(), unanswered: addresses.into_iter().collect(), ..Self::default() }
    }

    /// Records an answer with this number of new results; `None` instead of the hits: the search failed. Returns
    /// whether it was awaited.
    pub(super) fn answered(&mut self, url: &str, hits: Option<u64>, results: usize) -> bool {
        self.idle = 0;
        self.pending += results;
        let awaited = self.unanswered.remove(url);
        if awaited {
            self.hits = self.hits.max(hits);
        }
        awaited
    }

    /// Records that a result was fetched, and how many further addresses it stands for: a redirect for one.
    pub(super) const fn fetched(&mut self, is_new: bool, further: usize) {
        self.idle = 0;
        self.pending = (self.pending + further).saturating_sub(1);
        self.accepted += is_new as u32;
    }

    /// Records another fetch.
    pub(super) const fn passed(&mut self) {
        self.idle = self.idle.saturating_add(1);
    }

    /// Returns the addresses whose answers are missing.
    pub(super) fn unanswered(&self) -> impl Iterator<Item = &str> {
        self.unanswered.iter().map(|url| &**url)
    }

    /// Waits for no result any more.
    pub(super) const fn forget_results(&mut self) {
        self.pending = 0;
    }

    /// Returns whether nothing is waited for any more.
    pub(super) fn is_over(&self) -> bool {
        (self.unanswered.is_empty() && self.pending == 0) || self.idle >= PATIENCE
    }

    /// Returns what the query has shown.
    pub(super) const fn result(&self) -> QueryResult {
        QueryResult { hits: self.hits, accepted: self.accepted }
    }

    /// Returns the query.
    pub(super) fn into_query(self) -> Box<str> {
        self.query
    }
}
