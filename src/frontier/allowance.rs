//! Whether one more request may be sent: the budgets against the account and all that is under way, leases and errands alike.
//!
//! Shared by the frontier, which hands out leases, and the hosts, which start errands (robots.txt, sitemaps). Both run on one
//! thread, so that nothing changes between the question and the answer; the lock is for those who only look.

use std::sync::Arc;

use parking_lot::Mutex;

use super::budgets::{Budgets, EndReason};
use super::outlook::Outlook;
use crate::clock::Instant;
use crate::page::Ledger;

/// Requests that were allowed and are not booked yet.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct UnderWay {
    /// Leases that are out: each a request, and perhaps a page.
    pub leases: u64,
    /// Errands that were begun: each a request, and no page.
    pub errands: u64,
}

#[derive(Debug, Default)]
struct State {
    budgets: Budgets,
    under_way: UnderWay,
    stopped: Option<EndReason>,
    outlook: Option<Outlook>,
}

/// What may still be spent.
#[derive(Debug)]
pub struct Allowance {
    ledger: Arc<Mutex<Ledger>>,
    state: Mutex<State>,
}

impl Allowance {
    /// The allowance of a crawl that keeps to `budgets` and whose account is `ledger`.
    pub fn new(budgets: Budgets, ledger: Arc<Mutex<Ledger>>) -> Self {
        Self { ledger, state: Mutex::new(State { budgets, ..State::default() }) }
    }

    /// Keeps to other budgets from now on.
    pub fn set_budgets(&self, budgets: Budgets) {
        self.state.lock().budgets = budgets;
    }

    /// Why no further request may start, if so.
    pub fn exhausted(&self, now: Instant) -> Option<EndReason> {
        let state = self.state.lock();
        state.stopped.or_else(|| state.budgets.exhausted(&self.ledger.lock(), state.under_way, now))
    }

    /// Allows nothing more. The first reason counts.
    pub(super) fn stop(&self, why: EndReason) {
        self.state.lock().stopped.get_or_insert(why);
    }

    /// Takes note of what is expected of the next requests.
    pub(super) fn expect(&self, outlook: Outlook) {
        self.state.lock().outlook = Some(outlook);
    }

    /// What was expected of the next requests when that was looked at last.
    pub fn outlook(&self) -> Option<Outlook> {
        self.state.lock().outlook
    }

    /// So many leases are out.
    pub(super) fn set_leases(&self, leases: usize) {
        self.state.lock().under_way.leases = leases as u64;
    }

    /// Allows an errand and counts it as under way, or says that there may be none now.
    #[must_use]
    pub fn begin_errand(&self, now: Instant) -> bool {
        let allowed = self.exhausted(now).is_none();
        self.state.lock().under_way.errands += u64::from(allowed);
        allowed
    }

    /// Errands have ended; their requests are booked.
    pub(super) fn errands_ended(&self, count: u64) {
        let errands = &mut self.state.lock().under_way.errands;
        *errands = errands.saturating_sub(count);
    }

    /// Requests that were made.
    pub fn requests(&self) -> u64 {
        self.ledger.lock().requests()
    }

    /// Errands that are under way.
    pub(super) fn errands(&self) -> u64 {
        self.state.lock().under_way.errands
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errands_use_up_the_budget_of_requests_as_leases_do_and_not_that_of_pages() {
        let ledger = Arc::new(Mutex::new(Ledger::default()));
        let budgets = Budgets { pages: Some(1), requests: Some(3), ..Budgets::default() };
        let allowance = Allowance::new(budgets, Arc::clone(&ledger));
        let now = Instant::EPOCH;
        assert!(allowance.begin_errand(now) && allowance.begin_errand(now) && allowance.begin_errand(now));
        assert!(!allowance.begin_errand(now));
        assert_eq!((allowance.exhausted(now), allowance.errands()), (Some(EndReason::Requests), 3));
        // What ends stays spent.
        ledger.lock().own_requests(3, 0);
        allowance.errands_ended(3);
        assert_eq!((allowance.exhausted(now), allowance.errands()), (Some(EndReason::Requests), 0));
    }

    #[test]
    fn other_budgets_hold_at_once() {
        let allowance = Allowance::new(Budgets { requests: Some(0), ..Budgets::default() }, Arc::default());
        assert_eq!(allowance.exhausted(Instant::EPOCH), Some(EndReason::Requests));
        allowance.set_budgets(Budgets { requests: Some(1), ..Budgets::default() });
        assert_eq!(allowance.exhausted(Instant::EPOCH), None);
        allowance.set_budgets(Budgets { until: Some(Instant::EPOCH), ..Budgets::default() });
        assert_eq!(allowance.exhausted(Instant::EPOCH), Some(EndReason::Time));
    }

    #[test]
    fn what_is_stopped_allows_nothing_though_no_budget_is_set() {
        let allowance = Allowance::new(Budgets::default(), Arc::default());
        assert!(allowance.begin_errand(Instant::EPOCH));
        allowance.stop(EndReason::Stopped);
        allowance.stop(EndReason::LowYield);
        assert!(!allowance.begin_errand(Instant::EPOCH));
        assert_eq!(allowance.exhausted(Instant::EPOCH), Some(EndReason::Stopped));
    }
}
