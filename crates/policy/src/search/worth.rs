//! Whether a site's own search is asked, or the links of its pages are followed instead.

/// The number of requests over which a rate forgets: after as many others, a request counts 1/e.
const WINDOW: f64 = 50.0;
/// The rate that is assumed before anything is known, and the number of requests that it counts for.
const PRIOR: (f64, f64) = (0.5, 10.0);

/// Accepted pages per request, over the last requests.
#[derive(Debug, Clone, Copy, Default)]
struct Rate {
    accepted: f64,
    requests: f64,
}

impl Rate {
    fn add(&mut self, accepted: bool) {
        let kept = (-1.0 / WINDOW).exp();
        self.accepted = self.accepted * kept + f64::from(u8::from(accepted));
        self.requests = self.requests * kept + 1.0;
    }

    fn value(self) -> f64 {
        let (rate, weight) = PRIOR;
        (rate * weight + self.accepted) / (weight + self.requests)
    }
}

/// What queries to sites' own searches bring, beside what links bring.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct SearchWorth {
    links: Rate,
    queries: Rate,
}

impl SearchWorth {
    /// Records a page that was fetched for itself.
    pub(super) fn see_other(&mut self, accepted: bool) {
        self.links.add(accepted);
    }

    /// Records a query, or a result of one.
    pub(super) fn see_own(&mut self, accepted: bool) {
        self.queries.add(accepted);
    }

    /// Returns whether a query and its results are expected to bring at least as many wanted pages per request as
    /// links.
    pub(super) fn is_worth_it(&self) -> bool {
        self.queries.value() >= self.links.value()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn worth(links: &[bool], queries: &[bool]) -> SearchWorth {
        let mut worth = SearchWorth::default();
        links.iter().for_each(|accepted| worth.see_other(*accepted));
        queries.iter().for_each(|accepted| worth.see_own(*accepted));
        worth
    }

    #[test]
    fn the_first_query_is_sent_and_later_ones_where_links_bring_less() {
        assert!(worth(&[], &[]).is_worth_it());
        assert!(!worth(&[true; 20], &[]).is_worth_it());
        assert!(worth(&[false; 20], &[]).is_worth_it());
        // One of two against nine of ten.
        let (half, most): (Vec<bool>, Vec<bool>) = (0..60).map(|at| (at % 2 == 0, at % 10 > 0)).unzip();
        assert!(!worth(&most, &half).is_worth_it() && worth(&half, &most).is_worth_it());
        // Links run out.
        let later: Vec<bool> = most.iter().copied().chain([false; 60]).collect();
        assert!(worth(&later, &half).is_worth_it());
    }

    proptest! {
        #[test]
        fn a_rate_is_the_weighted_mean_of_all_requests(accepted in prop::collection::vec(any::<bool>(), 0..300)) {
            let mut rate = Rate::default();
            accepted.iter().for_each(|accepted| rate.add(*accepted));
            let weight = |age: usize| (-(age as f64) / WINDOW).exp();
            let weights = || accepted.iter().rev().enumerate().map(|(age, accepted)| (weight(age), *accepted));
            let total: f64 = weights().map(|(weight, _)| weight).sum();
            let of_accepted: f64 = weights().filter(|(_, accepted)| *accepted).map(|(weight, _)| weight).sum();
            prop_assert!((rate.value() - (5.0 + of_accepted) / (10.0 + total)).abs() < 1e-9);
        }
    }
}
