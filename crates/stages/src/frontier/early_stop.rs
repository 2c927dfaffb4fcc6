//! Decides when a crawl is no longer worth its requests.

use super::forecast::YieldForecast;

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
