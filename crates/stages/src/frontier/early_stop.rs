//! When a crawl has become not worth its requests.

use super::forecast::YieldForecast;

/// Looks in the time of as many requests as are looked ahead to.
const LOOKS: u64 = 10;
/// Looks in a row that must find too little, so that one strange moment (templates learnt anew, one poor list) ends no crawl.
const IN_A_ROW: u32 = 3;

/// What was decided about stopping early.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct EarlyStopOptions {
    /// Stop where a smaller share of the next requests is expected to bring something; 0: never.
    pub share: f64,
    /// The next requests: how many are looked ahead to.
    pub requests: u32,
}

/// Looks ahead from time to time.
#[derive(Debug, Clone)]
pub struct EarlyStop {
    options: EarlyStopOptions,
    /// Requests at the last look.
    looked: u64,
    /// Looks in a row that found too little.
    too_little: u32,
}

impl EarlyStop {
    /// Nothing was looked at yet.
    pub const fn new(options: EarlyStopOptions) -> Self {
        Self { options, looked: 0, too_little: 0 }
    }

    /// How many requests are looked ahead to.
    pub const fn requests(&self) -> u32 {
        self.options.requests
    }

    /// Whether it is time to look, after so many requests. Not before as many were made as are looked ahead to: till then little
    /// is known.
    pub fn is_due(&self, made: u64) -> bool {
        let ahead = u64::from(self.options.requests);
        ahead > 0 && made >= ahead && made >= self.looked + (ahead / LOOKS).max(1)
    }

    /// Takes note of what is expected after `made` requests. True where the crawl should stop.
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
    fn it_looks_when_as_much_was_fetched_as_it_looks_ahead_to_and_then_ten_times_as_often() {
        let mut early = stop(0.2);
        assert!(!early.is_due(199) && early.is_due(200));
        early.look(200, expects(0.5));
        assert!(!early.is_due(219) && early.is_due(220));
        assert!(!EarlyStop::new(EarlyStopOptions { share: 0.2, requests: 0 }).is_due(1_000));
    }

    #[test]
    fn three_poor_looks_in_a_row_end_a_crawl() {
        let mut early = stop(0.2);
        let looks = [0.1, 0.19, 0.2, 0.1, 0.1, 0.1].map(|share| early.look(0, expects(share)));
        assert_eq!(looks, [false, false, false, false, false, true]);
        let mut never = stop(0.0);
        assert!((0..9).all(|_| !never.look(0, expects(0.0))));
    }

    #[test]
    fn where_nothing_is_expected_or_waits_nothing_is_decided() {
        let mut early = stop(0.9);
        early.look(0, expects(0.1));
        early.look(0, expects(0.1));
        assert!(!early.look(0, None));
        assert!(early.look(0, expects(0.1)));
    }
}
