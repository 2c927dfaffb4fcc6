//! Decides whether one more request may be sent: compares the budgets with the ledger and with everything in progress,
//! leases and errands alike.
//!
//! The frontier, which grants leases, and the hosts, which start errands (robots.txt, sitemaps), share it. Check and
//! reservation are one step under a lock, because another thread may change what a node of a fleet may spend.

use std::sync::Arc;

use parking_lot::Mutex;

use super::budgets::{Budgets, EndReason, UnderWay};
use super::forecast::YieldForecast;
use harvestman_core::clock::Instant;
use harvestman_core::model::Ledger;

#[derive(Debug, Default)]
struct State {
    budgets: Budgets,
    under_way: UnderWay,
    stopped: Option<EndReason>,
    paused: bool,
    /// What this node may spend if the budgets are those of a whole fleet; `None` on a single machine.
    share: Option<BudgetShare>,
    forecast: Option<YieldForecast>,
}

/// A node's share of the budgets of a fleet.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct BudgetShare {
    /// Pages, requests and bytes that this node may spend since it started.
    pub allowed: SpentBudgets,
    /// What could not be started since the last query because this share was used up.
    pub shortages: Shortages,
}

/// Pages, requests and bytes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct SpentBudgets {
    /// Pages fetched successfully.
    pub pages: u64,
    /// Requests.
    pub requests: u64,
    /// Bytes of bodies.
    pub bytes: u64,
}

/// Which parts of a share were too small.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Shortages {
    /// Pages.
    pub pages: bool,
    /// Requests.
    pub requests: bool,
    /// Bytes.
    pub bytes: bool,
}

impl State {
    /// Returns the budgets of this node.
    fn own_budgets(&self) -> Budgets {
        match self.share {
            None => self.budgets.clone(),
            // A fleet measures its time budget by itself.
            Some(BudgetShare { allowed, .. }) => Budgets {
                pages: self.budgets.pages.map(|_| allowed.pages),
                requests: self.budgets.requests.map(|_| allowed.requests),
                bytes: self.budgets.bytes.map(|_| allowed.bytes),
                until: None,
            },
        }
    }

    /// Returns why no further request may start, if so.
    fn exhausted(&self, ledger: &Ledger, now: Instant) -> Option<EndReason> {
        self.stopped.or_else(|| self.own_budgets().exhausted(ledger, self.under_way, now))
    }

    /// Returns why no further request for a page in progress may start, if so. Such a request leads to no page.
    fn exhausted_for_page(&self, ledger: &Ledger, now: Instant) -> Option<EndReason> {
        let budgets = Budgets { pages: None, ..self.own_budgets() };
        self.stopped.or_else(|| budgets.exhausted(ledger, self.under_way, now))
    }

    /// Records that something could not be started for this reason.
    fn lack(&mut self, why: EndReason) {
        let Some(BudgetShare { shortages, .. }) = &mut self.share else { return };
        match why {
            EndReason::Pages => shortages.pages = true,
            EndReason::Requests => shortages.requests = true,
            EndReason::Bytes => shortages.bytes = true,
            _ => {}
        }
    }

    /// Returns what is spent, including what is in progress.
    fn spent(&self, ledger: &Ledger) -> SpentBudgets {
        let UnderWay { leases, errands } = self.under_way;
        let (pages, requests) = (ledger.pages() + leases, ledger.requests() + leases + errands);
        SpentBudgets { pages, requests, bytes: ledger.bytes() }
    }
}

/// The budgets of a crawl, and what was spent of them.
#[derive(Debug)]
pub struct Allowance {
    ledger: Arc<Mutex<Ledger>>,
    state: Mutex<State>,
}

impl Allowance {
    /// Creates the allowance of a crawl with these budgets, whose spending is recorded in `ledger`.
    pub fn new(budgets: Budgets, ledger: Arc<Mutex<Ledger>>) -> Self {
        Self { ledger, state: Mutex::new(State { budgets, ..State::default() }) }
    }

    /// Replaces the budgets.
    pub fn set_budgets(&self, budgets: Budgets) {
        self.state.lock().budgets = budgets;
    }

    /// Returns why no further request may start, if so.
    pub fn exhausted(&self, now: Instant) -> Option<EndReason> {
        self.state.lock().exhausted(&self.ledger.lock(), now)
    }

    /// Returns why the crawl ends if nothing is in progress. A used-up share of a fleet's budgets does not end the
    /// crawl, because more may be granted.
    pub(super) fn ends(&self, now: Instant) -> Option<EndReason> {
        let state = self.state.lock();
        match state.share {
            Some(_) => state.stopped,
            None => state.exhausted(&self.ledger.lock(), now),
        }
    }

    /// Makes the budgets those of a fleet; nothing of them is granted to this node yet.
    #[must_use]
    pub fn shared(self) -> Self {
        self.state.lock().share = Some(BudgetShare::default());
        self
    }

    /// Returns the budgets.
    pub fn budgets(&self) -> Budgets {
        self.state.lock().budgets.clone()
    }

    /// Returns what may be spent, and what is spent or in progress. Resets the shortages.
    pub fn share(&self) -> (BudgetShare, SpentBudgets) {
        let mut state = self.state.lock();
        let spent = state.spent(&self.ledger.lock());
        let share = state.share.unwrap_or_default();
        if let Some(share) = &mut state.share {
            share.shortages = Shortages::default();
        }
        (share, spent)
    }

    /// Raises the share to this amount. Returns whether it grew.
    pub fn raise(&self, to: SpentBudgets) -> bool {
        let mut state = self.state.lock();
        let Some(BudgetShare { allowed, .. }) = &mut state.share else { return false };
        let before = *allowed;
        allowed.pages = allowed.pages.max(to.pages);
        allowed.requests = allowed.requests.max(to.requests);
        allowed.bytes = allowed.bytes.max(to.bytes);
        *allowed != before
    }

    /// Lowers the share to this amount, but not below what is spent or in progress. Returns the resulting share.
    pub fn lower(&self, to: SpentBudgets) -> SpentBudgets {
        let mut state = self.state.lock();
        let spent = state.spent(&self.ledger.lock());
        let Some(BudgetShare { allowed, .. }) = &mut state.share else { return spent };
        allowed.pages = allowed.pages.min(to.pages.max(spent.pages));
        allowed.requests = allowed.requests.min(to.requests.max(spent.requests));
        allowed.bytes = allowed.bytes.min(to.bytes.max(spent.bytes));
        *allowed
    }

    /// Starts a lease if the budgets allow it: it counts as in progress until the number of leases is set. `is_wanted`:
    /// a host waits for it.
    #[must_use]
    pub(super) fn begin_lease(&self, now: Instant, is_wanted: bool) -> bool {
        let mut state = self.state.lock();
        let exhausted = state.exhausted(&self.ledger.lock(), now);
        match exhausted {
            Some(why) if is_wanted => state.lack(why),
            Some(_) => {}
            None => state.under_way.leases += 1,
        }
        exhausted.is_none()
    }

    /// Allows nothing more. Only the first reason is recorded.
    pub(super) fn stop(&self, why: EndReason) {
        self.state.lock().stopped.get_or_insert(why);
    }

    /// Pauses or resumes the start of errands.
    pub(super) fn pause(&self, paused: bool) {
        self.state.lock().paused = paused;
    }

    /// Returns whether the crawl is paused.
    pub fn is_paused(&self) -> bool {
        self.state.lock().paused
    }

    /// Returns whether the crawl is stopped for good.
    pub fn is_stopped(&self) -> bool {
        self.state.lock().stopped.is_some()
    }

    /// Returns whether the crawl is stopped for good, or its time is up. Other budgets do not end what is in progress.
    pub fn is_over(&self, now: Instant) -> bool {
        let state = self.state.lock();
        state.stopped.is_some() || state.own_budgets().until.is_some_and(|until| now >= until)
    }

    /// Stores the latest yield forecast.
    pub(super) fn set_forecast(&self, forecast: YieldForecast) {
        self.state.lock().forecast = Some(forecast);
    }

    /// Returns the latest yield forecast.
    pub fn forecast(&self) -> Option<YieldForecast> {
        self.state.lock().forecast
    }

    /// Sets the number of leases that are out.
    pub(super) fn set_leases(&self, leases: usize) {
        self.state.lock().under_way.leases = leases as u64;
    }

    /// Returns the number of leases that are out.
    pub fn leases(&self) -> u64 {
        self.state.lock().under_way.leases
    }

    /// Starts an errand if the budgets allow it now: it counts as in progress. Returns whether it was started.
    #[must_use]
    pub fn begin_errand(&self, now: Instant) -> bool {
        self.begin_unless(|state, ledger| state.exhausted(ledger, now))
    }

    /// Starts an errand that a page in progress waits for, like [`Allowance::begin_errand`]. The page counts as spent
    /// already, so the budget of pages does not matter.
    #[must_use]
    pub fn begin_errand_for_page(&self, now: Instant) -> bool {
        self.begin_unless(|state, ledger| state.exhausted_for_page(ledger, now))
    }

    /// Returns whether no errand can start any more that a page in progress waits for. A used-up share of a fleet's
    /// budgets may still grow.
    pub fn is_over_for_pages(&self, now: Instant) -> bool {
        let state = self.state.lock();
        match state.share {
            Some(_) => state.stopped.is_some(),
            None => state.exhausted_for_page(&self.ledger.lock(), now).is_some(),
        }
    }

    fn begin_unless(&self, exhausted: impl FnOnce(&State, &Ledger) -> Option<EndReason>) -> bool {
        let mut state = self.state.lock();
        if state.paused {
            return false;
        }
        let exhausted = exhausted(&state, &self.ledger.lock());
        match exhausted {
            Some(why) => state.lack(why),
            None => state.under_way.errands += 1,
        }
        exhausted.is_none()
    }

    /// Records the end of errands whose requests are already in the ledger.
    pub(super) fn errands_ended(&self, count: u64) {
        let errands = &mut self.state.lock().under_way.errands;
        *errands = errands.saturating_sub(count);
    }

    /// Returns the number of requests made.
    pub fn requests(&self) -> u64 {
        self.ledger.lock().requests()
    }

    /// Returns the number of errands in progress.
    pub(super) fn errands(&self) -> u64 {
        self.state.lock().under_way.errands
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errands_count_against_the_request_budget_but_not_the_page_budget() {
        let ledger = Arc::new(Mutex::new(Ledger::default()));
        let budgets = Budgets { pages: Some(1), requests: Some(3), ..Budgets::default() };
        let allowance = Allowance::new(budgets, Arc::clone(&ledger));
        let now = Instant::EPOCH;
        assert!(allowance.begin_errand(now) && allowance.begin_errand(now) && allowance.begin_errand(now));
        assert!(!allowance.begin_errand(now));
        assert_eq!((allowance.exhausted(now), allowance.errands()), (Some(EndReason::Requests), 3));
        // Ended errands remain spent.
        ledger.lock().own_requests(3, 0);
        allowance.errands_ended(3);
        assert_eq!((allowance.exhausted(now), allowance.errands()), (Some(EndReason::Requests), 0));
    }

    #[test]
    fn a_share_allows_what_was_granted_and_reports_shortages_and_ends_nothing() {
        let budgets = Budgets { pages: Some(100), until: Some(Instant::EPOCH), ..Budgets::default() };
        let allowance = Allowance::new(budgets, Arc::default()).shared();
        let now = Instant::EPOCH;
        assert!(!allowance.begin_lease(now, true) && allowance.ends(now).is_none());
        assert_eq!(allowance.share().0.shortages, Shortages { pages: true, ..Shortages::default() });
        assert_eq!(allowance.share().0.shortages, Shortages::default());
        let three = SpentBudgets { pages: 3, ..SpentBudgets::default() };
        assert!(allowance.raise(three) && !allowance.raise(three));
        assert!(allowance.begin_lease(now, true) && allowance.begin_lease(now, true));
        // Two are in progress, so only the third can be returned.
        assert_eq!(allowance.lower(SpentBudgets::default()).pages, 2);
        assert!(!allowance.begin_lease(now, false) && !allowance.share().0.shortages.pages);
        allowance.stop(EndReason::Pages);
        assert_eq!(allowance.ends(now), Some(EndReason::Pages));
    }

    #[test]
    fn a_crawl_is_over_when_it_is_stopped_or_its_time_is_up() {
        let budgets = Budgets { pages: Some(0), until: Some(Instant::from_micros(9)), ..Budgets::default() };
        let allowance = Allowance::new(budgets.clone(), Arc::default());
        assert!(!allowance.is_over(Instant::from_micros(8)) && allowance.is_over(Instant::from_micros(9)));
        allowance.stop(EndReason::Stopped);
        assert!(allowance.is_over(Instant::EPOCH));
        let of_fleet = Allowance::new(budgets, Arc::default()).shared();
        assert!(!of_fleet.is_over(Instant::from_micros(9)), "a fleet measures its time by itself");
    }

    #[test]
    fn no_errand_starts_while_the_crawl_is_paused() {
        let allowance = Allowance::new(Budgets::default(), Arc::default());
        allowance.pause(true);
        assert!(!allowance.begin_errand(Instant::EPOCH) && allowance.is_paused());
        allowance.pause(false);
        assert!(allowance.begin_errand(Instant::EPOCH));
    }

    #[test]
    fn an_errand_for_a_page_in_progress_may_start_although_no_further_page_may() {
        let budgets = Budgets { pages: Some(1), requests: Some(2), ..Budgets::default() };
        let allowance = Allowance::new(budgets, Arc::default());
        let now = Instant::EPOCH;
        assert!(allowance.begin_lease(now, true));
        assert!(!allowance.begin_errand(now) && !allowance.is_over_for_pages(now));
        assert!(allowance.begin_errand_for_page(now) && allowance.is_over_for_pages(now));
        assert!(!allowance.begin_errand_for_page(now), "the budget of requests is spent");
    }

    #[test]
    fn a_used_up_share_is_waited_for_and_a_stop_is_not() {
        let budgets = Budgets { requests: Some(100), ..Budgets::default() };
        let allowance = Allowance::new(budgets, Arc::default()).shared();
        let now = Instant::EPOCH;
        assert!(!allowance.begin_errand_for_page(now) && !allowance.is_over_for_pages(now));
        allowance.stop(EndReason::Stopped);
        assert!(allowance.is_over_for_pages(now));
    }

    #[test]
    fn new_budgets_apply_at_once() {
        let allowance = Allowance::new(Budgets { requests: Some(0), ..Budgets::default() }, Arc::default());
        assert_eq!(allowance.exhausted(Instant::EPOCH), Some(EndReason::Requests));
        allowance.set_budgets(Budgets { requests: Some(1), ..Budgets::default() });
        assert_eq!(allowance.exhausted(Instant::EPOCH), None);
        allowance.set_budgets(Budgets { until: Some(Instant::EPOCH), ..Budgets::default() });
        assert_eq!(allowance.exhausted(Instant::EPOCH), Some(EndReason::Time));
    }

    #[test]
    fn a_stopped_crawl_allows_nothing_even_without_budgets() {
        let allowance = Allowance::new(Budgets::default(), Arc::default());
        assert!(allowance.begin_errand(Instant::EPOCH));
        allowance.stop(EndReason::Stopped);
        allowance.stop(EndReason::LowYield);
        assert!(!allowance.begin_errand(Instant::EPOCH));
        assert_eq!(allowance.exhausted(Instant::EPOCH), Some(EndReason::Stopped));
    }
}
