//! The crawl's budgets.

use super::ledger::Ledger;
use crate::clock::Instant;

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

impl Budgets {
    /// The name of a budget that allows no further request while `leased` are under way. Never lets a budget be overshot: what is
    /// under way counts as spent.
    pub fn exhausted(&self, ledger: &Ledger, leased: u64, now: Instant) -> Option<&'static str> {
        let reached = |spent: u64, max: Option<u64>| max.is_some_and(|max| spent >= max);
        if reached(ledger.pages() + leased, self.pages) {
            Some("pages budget")
        } else if reached(ledger.requests() + leased, self.requests) {
            Some("requests budget")
        } else if reached(ledger.bytes(), self.bytes) {
            Some("bytes budget")
        } else if self.until.is_some_and(|until| now >= until) {
            Some("time budget")
        } else {
            None
        }
    }
}
