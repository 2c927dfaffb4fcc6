//! Whether one more request may be sent: the budgets against the account and all that is under way, leases and errands alike.
//!
//! Shared by the frontier, which hands out leases, and the hosts, which start errands (robots.txt, sitemaps). Question and answer are one
//! step under a lock: what a node of a fleet may spend is changed by another thread.

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
    /// What this node may spend of the budgets, which are those of a whole fleet; none: they are its own.
    share: Option<BudgetShare>,
    forecast: Option<YieldForecast>,
}

/// A part of the budgets.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct BudgetShare {
    /// Pages, requests and bytes, since the node began.
    pub allowed: Spent,
    /// What could not be begun since that was asked last, as the share of this was used up.
    pub shortages: Shortages,
}

/// Pages, requests and bytes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Spent {
    /// Pages fetched with success.
    pub pages: u64,
    /// Requests.
    pub requests: u64,
    /// Bytes of bodies.
    pub bytes: u64,
}

/// Whether there was too little of each.
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
    /// Why no further request may start, if so.
    fn exhausted(&self, ledger: &Ledger, now: Instant) -> Option<EndReason> {
        let budgets = match self.share {
            None => self.budgets.clone(),
            // How long a fleet crawls it finds by itself.
            Some(BudgetShare { allowed, .. }) => Budgets {
                pages: self.budgets.pages.map(|_| allowed.pages),
                requests: self.budgets.requests.map(|_| allowed.requests),
                bytes: self.budgets.bytes.map(|_| allowed.bytes),
                until: None,
            },
        };
        self.stopped.or_else(|| budgets.exhausted(ledger, self.under_way, now))
    }

    /// Something could not be begun.
    fn lack(&mut self, why: EndReason) {
        let Some(BudgetShare { shortages, .. }) = &mut self.share else { return };
        match why {
            EndReason::Pages => shortages.pages = true,
            EndReason::Requests => shortages.requests = true,
            EndReason::Bytes => shortages.bytes = true,
            _ => {}
        }
    }

    /// What is spent, with what is under way.
    fn spent(&self, ledger: &Ledger) -> Spent {
        let UnderWay { leases, errands } = self.under_way;
        let (pages, requests) = (ledger.pages() + leases, ledger.requests() + leases + errands);
        Spent { pages, requests, bytes: ledger.bytes() }
    }
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
        self.state.lock().exhausted(&self.ledger.lock(), now)
    }

    /// Why the crawl ends, if nothing is under way. A share of a fleet's budgets ends nothing: more may be granted.
    pub(super) fn ends(&self, now: Instant) -> Option<EndReason> {
        let state = self.state.lock();
        match state.share {
            Some(_) => state.stopped,
            None => state.exhausted(&self.ledger.lock(), now),
        }
    }

    /// From now on the budgets are those of a fleet, of which nothing is granted yet.
    #[must_use]
    pub fn shared(self) -> Self {
        self.state.lock().share = Some(BudgetShare::default());
        self
    }

    /// The budgets.
    pub fn budgets(&self) -> Budgets {
        self.state.lock().budgets.clone()
    }

    /// What may be spent and what is, with what is under way. What was lacking is lacking no longer.
    pub fn share(&self) -> (BudgetShare, Spent) {
        let mut state = self.state.lock();
        let spent = state.spent(&self.ledger.lock());
        let share = state.share.unwrap_or_default();
        if let Some(share) = &mut state.share {
            share.shortages = Shortages::default();
        }
        (share, spent)
    }

    /// So much may be spent from now on, if it is more than now. Whether it is.
    pub fn raise(&self, to: Spent) -> bool {
        let mut state = self.state.lock();
        let Some(BudgetShare { allowed, .. }) = &mut state.share else { return false };
        let before = *allowed;
        allowed.pages = allowed.pages.max(to.pages);
        allowed.requests = allowed.requests.max(to.requests);
        allowed.bytes = allowed.bytes.max(to.bytes);
        *allowed != before
    }

    /// No more than that may be spent from now on, but for what is spent and under way; what that makes.
    pub fn lower(&self, to: Spent) -> Spent {
        let mut state = self.state.lock();
        let spent = state.spent(&self.ledger.lock());
        let Some(BudgetShare { allowed, .. }) = &mut state.share else { return spent };
        allowed.pages = allowed.pages.min(to.pages.max(spent.pages));
        allowed.requests = allowed.requests.min(to.requests.max(spent.requests));
        allowed.bytes = allowed.bytes.min(to.bytes.max(spent.bytes));
        *allowed
    }

    /// Allows a lease and counts it as under way until the number of leases is set. `is_wanted`: there is somebody to get it.
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

    /// Allows nothing more. The first reason counts.
    pub(super) fn stop(&self, why: EndReason) {
        self.state.lock().stopped.get_or_insert(why);
    }

    /// Begins no errands for now, or begins them again.
    pub(super) fn pause(&self, paused: bool) {
        self.state.lock().paused = paused;
    }

    /// Whether nothing is to be begun for now.
    pub fn is_paused(&self) -> bool {
        self.state.lock().paused
    }

    /// Whether nothing more will ever be allowed.
    pub fn is_stopped(&self) -> bool {
        self.state.lock().stopped.is_some()
    }

    /// Takes note of what is expected of the next requests.
    pub(super) fn set_forecast(&self, forecast: YieldForecast) {
        self.state.lock().forecast = Some(forecast);
    }

    /// What was expected of the next requests when that was looked at last.
    pub fn forecast(&self) -> Option<YieldForecast> {
        self.state.lock().forecast
    }

    /// So many leases are out.
    pub(super) fn set_leases(&self, leases: usize) {
        self.state.lock().under_way.leases = leases as u64;
    }

    /// Leases that are out.
    pub fn leases(&self) -> u64 {
        self.state.lock().under_way.leases
    }

    /// Allows an errand and counts it as under way, or says that there may be none now.
    #[must_use]
    pub fn begin_errand(&self, now: Instant) -> bool {
        let mut state = self.state.lock();
        if state.paused {
            return false;
        }
        let exhausted = state.exhausted(&self.ledger.lock(), now);
        match exhausted {
            Some(why) => state.lack(why),
            None => state.under_way.errands += 1,
        }
        exhausted.is_none()
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
    fn a_share_allows_what_was_granted_and_says_what_is_lacking_and_ends_nothing() {
        let budgets = Budgets { pages: Some(100), until: Some(Instant::EPOCH), ..Budgets::default() };
        let allowance = Allowance::new(budgets, Arc::default()).shared();
        let now = Instant::EPOCH;
        assert!(!allowance.begin_lease(now, true) && allowance.ends(now).is_none());
        assert_eq!(allowance.share().0.shortages, Shortages { pages: true, ..Shortages::default() });
        assert_eq!(allowance.share().0.shortages, Shortages::default());
        let three = Spent { pages: 3, ..Spent::default() };
        assert!(allowance.raise(three) && !allowance.raise(three));
        assert!(allowance.begin_lease(now, true) && allowance.begin_lease(now, true));
        // Both are under way: only the third can be given back.
        assert_eq!(allowance.lower(Spent::default()).pages, 2);
        assert!(!allowance.begin_lease(now, false) && !allowance.share().0.shortages.pages);
        allowance.stop(EndReason::Pages);
        assert_eq!(allowance.ends(now), Some(EndReason::Pages));
    }

    #[test]
    fn no_errand_is_begun_while_the_crawl_rests() {
        let allowance = Allowance::new(Budgets::default(), Arc::default());
        allowance.pause(true);
        assert!(!allowance.begin_errand(Instant::EPOCH) && allowance.is_paused());
        allowance.pause(false);
        assert!(allowance.begin_errand(Instant::EPOCH));
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
