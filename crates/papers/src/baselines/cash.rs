//! The cash of waiting URLs.

use std::collections::HashMap;

use foldhash::fast::FixedState;

use harvestman_core::model::Apath;
use harvestman_core::url::Fingerprint;
use harvestman_policy::{Observation, Outcome};

/// The distribution of cash. The total is constant: cash that cannot be given to a waiting URL goes into a pot (the
/// *virtual page* of the original, which every page links to and which links to every page), and the pot is distributed
/// evenly.
#[derive(Debug)]
pub(crate) struct Cash {
    /// The cash of each waiting URL, less the dividend that was paid before it came, so that a dividend is one
    /// addition.
    waiting: HashMap<Fingerprint, f64, FixedState>,
    /// The amount that a URL which waits since the beginning has got from the pot.
    dividend: f64,
    pot: f64,
    urls_max: usize,
}

impl Cash {
    /// No cash; at most `urls_max` waiting URLs are known.
    pub fn new(urls_max: usize) -> Self {
        Self { waiting: HashMap::default(), dividend: 0.0, pot: 0.0, urls_max }
    }

    /// The number of known waiting URLs.
    pub fn len(&self) -> usize {
        self.waiting.len()
    }

    /// Moves the cash of a fetched URL: a page gives it to its links in equal parts, whether they are new or known; a
    /// page without links, and a failed fetch, gives it to all. A seed has cash 1. New links begin to wait.
    #[expect(clippy::cast_precision_loss, reason = "a number of links")]
    pub fn flow(&mut self, seen: &Observation) {
        let endowment = if seen.class.apath == Apath::SEED { 1.0 } else { 0.0 };
        let cash = self.take(seen.url.fingerprint()).unwrap_or(endowment);
        seen.new.iter().for_each(|link| self.enter(link.url.fingerprint()));
        let to: Vec<Fingerprint> = match &seen.outcome {
            Outcome::Page(page) if !page.links.is_empty() => page.links.iter().map(|link| link.url).collect(),
            _ => seen.new.iter().map(|link| link.url.fingerprint()).collect(),
        };
        if to.is_empty() {
            self.give_to_all(cash);
        }
        to.iter().for_each(|url| self.give(*url, cash / to.len() as f64));
        self.share_out();
    }

    /// Adds a waiting URL without cash.
    pub fn enter(&mut self, url: Fingerprint) {
        if self.waiting.len() < self.urls_max {
            self.waiting.entry(url).or_insert(-self.dividend);
        }
    }

    /// Gives an amount to a URL if it waits, otherwise to the pot.
    pub fn give(&mut self, url: Fingerprint, amount: f64) {
        *self.waiting.get_mut(&url).unwrap_or(&mut self.pot) += amount;
    }

    /// Gives an amount to the pot.
    pub fn give_to_all(&mut self, amount: f64) {
        self.pot += amount;
    }

    /// Removes a URL that no longer waits. Returns its cash, if it is known.
    pub fn take(&mut self, url: Fingerprint) -> Option<f64> {
        self.waiting.remove(&url).map(|cash| self.full(cash))
    }

    /// The cash of a waiting URL.
    pub fn of(&self, url: Fingerprint) -> Option<f64> {
        self.waiting.get(&url).map(|cash| self.full(*cash))
    }

    /// Distributes the pot over all waiting URLs.
    #[expect(clippy::cast_precision_loss, reason = "a number of URLs in memory")]
    pub fn share_out(&mut self) {
        if !self.waiting.is_empty() {
            self.dividend += std::mem::take(&mut self.pot) / self.waiting.len() as f64;
        }
    }

    /// All waiting URLs with their cash, in no particular order.
    pub fn iter(&self) -> impl Iterator<Item = (Fingerprint, f64)> + '_ {
        self.waiting.iter().map(|(url, cash)| (*url, self.full(*cash)))
    }

    fn full(&self, cash: f64) -> f64 {
        // Rounding may leave an amount slightly below 0.
        (cash + self.dividend).max(0.0)
    }

    #[cfg(test)]
    pub fn total(&self) -> f64 {
        self.pot + self.iter().map(|(_, cash)| cash).sum::<f64>()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::*;

    fn url(n: u8) -> Fingerprint {
        Fingerprint(n.into())
    }

    #[test]
    fn the_pot_is_distributed_over_the_urls_that_wait_then() {
        let mut cash = Cash::new(10);
        cash.enter(url(1));
        cash.give(url(1), 0.5);
        cash.give(url(9), 0.25);
        cash.share_out();
        cash.enter(url(2));
        cash.give_to_all(0.25);
        cash.share_out();
        assert_eq!((cash.of(url(1)), cash.of(url(2)), cash.of(url(9))), (Some(0.875), Some(0.125), None));
        assert_eq!((cash.take(url(1)), cash.take(url(1)), cash.len()), (Some(0.875), None, 1));
    }

    #[test]
    fn the_share_of_a_url_beyond_the_bound_goes_to_all() {
        let mut cash = Cash::new(1);
        cash.enter(url(1));
        cash.enter(url(2));
        cash.give(url(2), 1.0);
        cash.share_out();
        assert_eq!((cash.len(), cash.of(url(1)), cash.of(url(2))), (1, Some(1.0), None));
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn cash_is_what_a_table_without_tricks_has(steps in proptest::collection::vec((0..4_u8, 0..6_u8), 0..60)) {
            let (mut cash, mut twin, mut pot) = (Cash::new(100), BTreeMap::<u8, f64>::new(), 0.0);
            for (step, page) in steps {
                match step {
                    0 => {
                        cash.enter(url(page));
                        twin.entry(page).or_default();
                    }
                    1 => {
                        cash.give(url(page), 1.0);
                        *twin.get_mut(&page).unwrap_or(&mut pot) += 1.0;
                    }
                    2 => {
                        let taken = cash.take(url(page));
                        let expected = twin.remove(&page);
                        prop_assert_eq!(taken.is_some(), expected.is_some());
                        prop_assert!((taken.unwrap_or(0.0) - expected.unwrap_or(0.0)).abs() < 1e-9);
                    }
                    _ => {
                        cash.share_out();
                        if !twin.is_empty() {
                            let share = std::mem::take(&mut pot) / twin.len() as f64;
                            twin.values_mut().for_each(|cash| *cash += share);
                        }
                    }
                }
                prop_assert!((cash.total() - pot - twin.values().sum::<f64>()).abs() < 1e-9);
            }
        }
    }
}
