//! The budgets of a crawl, the reasons for its end, and when it is no longer worth its requests.

use super::forecast::YieldForecast;
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

/// Number of forecasts within as many requests as each looks ahead.
const LOOKS: u64 = 10;
/// Consecutive forecasts that must be too low, so that a temporary effect (relearned templates, one poor list) does not
/// end a crawl.
const IN_A_ROW: u32 = 3;

/// The settings of early stopping.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct EarlyStopOptions {
    /// The crawl stops if a smaller share of the next requests is expected to yield something; 0: never.
    pub share: f64,
    /// The number of requests that a forecast looks ahead.
    pub requests: u32,
}

/// Early stopping: compares forecasts with the limit at intervals.
#[derive(Debug, Clone)]
pub struct EarlyStop {
    options: EarlyStopOptions,
    /// Requests at the last forecast.
    looked: u64,
    /// Consecutive forecasts that were too low.
    too_little: u32,
}

impl EarlyStop {
    /// Creates the state before the first forecast.
    pub const fn new(options: EarlyStopOptions) -> Self {
        Self { options, looked: 0, too_little: 0 }
    }

    /// Returns how many requests a forecast looks ahead.
    pub const fn requests(&self) -> u32 {
        self.options.requests
    }

    /// Returns whether a forecast is due after `made` requests: not before at least as many requests as it looks ahead,
    /// because too little is known until then.
    pub fn is_due(&self, made: u64) -> bool {
        let ahead = u64::from(self.options.requests);
        ahead > 0 && made >= ahead && made >= self.looked + (ahead / LOOKS).max(1)
    }

    /// Records the forecast made after `made` requests. Returns whether the crawl should stop.
    pub fn look(&mut self, made: u64, forecast: Option<YieldForecast>) -> bool {
        self.looked = made;
        let Some(forecast) = forecast else { return false };
        let poor = forecast.expected_yield < self.options.share;
        self.too_little = if poor { self.too_little + 1 } else { 0 };
        self.too_little >= IN_A_ROW
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stop(share: f64) -> EarlyStop {
        EarlyStop::new(EarlyStopOptions { share, requests: 200 })
    }

    fn expects(expected_yield: f64) -> Option<YieldForecast> {
        Some(YieldForecast { expected_yield, requests: 200.0 })
    }

    #[test]
    fn the_first_forecast_is_due_after_its_horizon_and_later_ones_after_a_tenth_of_it() {
        let mut early = stop(0.2);
        assert!(!early.is_due(199) && early.is_due(200));
        early.look(200, expects(0.5));
        assert!(!early.is_due(219) && early.is_due(220));
        assert!(!EarlyStop::new(EarlyStopOptions { share: 0.2, requests: 0 }).is_due(1_000));
    }

    #[test]
    fn three_consecutive_low_forecasts_end_a_crawl() {
        let mut early = stop(0.2);
        let looks = [0.1, 0.19, 0.2, 0.1, 0.1, 0.1].map(|share| early.look(0, expects(share)));
        assert_eq!(looks, [false, false, false, false, false, true]);
        let mut never = stop(0.0);
        assert!((0..9).all(|_| !never.look(0, expects(0.0))));
    }

    #[test]
    fn without_a_forecast_nothing_is_decided() {
        let mut early = stop(0.9);
        early.look(0, expects(0.1));
        early.look(0, expects(0.1));
        assert!(!early.look(0, None));
        assert!(early.look(0, expects(0.1)));
    }
}
