//! The crawl's budgets.

use harvestman_core::clock::Instant;
use harvestman_core::model::Ledger;

/// Why a crawl ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EndReason {
    /// Nothing waits and nothing is under way.
    Empty,
    /// The budget of pages is spent.
    Pages,
    /// The budget of requests is spent.
    Requests,
    /// The budget of bytes is spent.
    Bytes,
    /// The time is over.
    Time,
    /// Too little was expected of the next requests.
    LowYield,
    /// It was told to stop.
    Stopped,
    /// URLs that wait could not be read back: only the state on disk has them.
    Lost,
}

/// When to stop.
#[derive(Debug, Clone, Default)]
pub struct Budgets {
    /// Pages fetched with success.
    pub pages: Option<u64>,
    /// Bytes of bodies.
    pub bytes: Option<u64>,
    /// Requests.
    pub requests: Option<u64>,
    /// The end of the time budget.
    pub until: Option<Instant>,
}

/// Requests that were allowed and are not booked yet.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct UnderWay {
    /// Leases that are out: each a request, and perhaps a page.
    pub leases: u64,
    /// Errands that were begun: each a request, and no page.
    pub errands: u64,
}

impl Budgets {
    /// The budget that allows no further request. Never lets a budget of pages or requests be overshot: what is under way
    /// counts as spent.
    pub fn exhausted(&self, ledger: &Ledger, under_way: UnderWay, now: Instant) -> Option<EndReason> {
        let reached = |spent: u64, max: Option<u64>| max.is_some_and(|max| spent >= max);
        if reached(ledger.pages() + under_way.leases, self.pages) {
            Some(EndReason::Pages)
        } else if reached(ledger.requests() + under_way.leases + under_way.errands, self.requests) {
            Some(EndReason::Requests)
        } else if reached(ledger.bytes(), self.bytes) {
            Some(EndReason::Bytes)
        } else if self.until.is_some_and(|until| now >= until) {
            Some(EndReason::Time)
        } else {
            None
        }
    }
}
