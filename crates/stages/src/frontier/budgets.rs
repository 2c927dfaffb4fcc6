//! The budgets of a crawl, and the reasons for its end.

use harvestman_core::clock::Instant;
use harvestman_core::model::Ledger;

/// Why a crawl ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EndReason {
    /// Nothing waits and nothing is in progress.
    Empty,
    /// The page budget is used up.
    Pages,
    /// The request budget is used up.
    Requests,
    /// The byte budget is used up.
    Bytes,
    /// The time budget is used up.
    Time,
    /// The expected yield of the next requests is too low.
    LowYield,
    /// It was commanded to stop.
    Stopped,
    /// Spilled URLs could not be read back: only the state on disk still has them.
    Lost,
}

/// The limits of a crawl as a whole.
#[derive(Debug, Clone, Default)]
pub struct Budgets {
    /// Pages fetched successfully.
    pub pages: Option<u64>,
    /// Bytes of bodies.
    pub bytes: Option<u64>,
    /// Requests.
    pub requests: Option<u64>,
    /// The end of the time budget.
    pub until: Option<Instant>,
}

/// Requests that were allowed and are not in the ledger yet.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct UnderWay {
    /// Leases that are out: each is a request, and perhaps a page.
    pub leases: u64,
    /// Errands that were started: each is a request, and no page.
    pub errands: u64,
}

impl Budgets {
    /// Returns the budget that allows no further request, if any. What is in progress counts as spent, so that the
    /// budgets of pages and requests are never exceeded.
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
