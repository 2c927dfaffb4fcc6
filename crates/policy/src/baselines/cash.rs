//! The cash of waiting URLs.

use std::collections::HashMap;

use foldhash::fast::FixedState;

use harvestman_core::url::Fingerprint;

/// Who has how much. Cash is neither made nor lost: what cannot be given to a waiting URL goes into a pot (the *virtual page* of
/// the original, which every page links to and which links to every page), and the pot is shared out evenly.
#[derive(Debug)]
pub(super) struct Cash {
    /// Cash of each waiting URL, less the dividend that was paid before it came: so a dividend is one addition.
    waiting: HashMap<Fingerprint, f64, FixedState>,
    /// What each URL has got from the pot that waited from the beginning.
    dividend: f64,
    pot: f64,
    urls_max: usize,
}

impl Cash {
    /// Nobody has any. Of no more than `urls_max` waiting URLs it is known what they have.
    pub fn new(urls_max: usize) -> Self {
        Self { waiting: HashMap::default(), dividend: 0.0, pot: 0.0, urls_max }
    }

    /// How many waiting URLs are known.
    pub fn len(&self) -> usize {
        self.waiting.len()
    }

    /// A URL begins to wait, with nothing.
    pub fn enter(&mut self, url: Fingerprint) {
        if self.waiting.len() < self.urls_max {
            self.waiting.entry(url).or_insert(-self.dividend);
        }
    }

    /// Gives to a URL if it waits, else to the pot.
    pub fn give(&mut self, url: Fingerprint, amount: f64) {
        *self.waiting.get_mut(&url).unwrap_or(&mut self.pot) += amount;
    }

    /// Gives to the pot.
    pub fn give_to_all(&mut self, amount: f64) {
        self.pot += amount;
    }

    /// A URL waits no longer: what it had, if that is known.
    pub fn take(&mut self, url: Fingerprint) -> Option<f64> {
        self.waiting.remove(&url).map(|cash| self.full(cash))
    }

    /// What a waiting URL has.
    pub fn of(&self, url: Fingerprint) -> Option<f64> {
        self.waiting.get(&url).map(|cash| self.full(*cash))
    }

    /// Shares the pot out over all that wait.
    #[expect(clippy::cast_precision_loss, reason = "a number of URLs in memory")]
    pub fn share_out(&mut self) {
        if !self.waiting.is_empty() {
            self.dividend += std::mem::take(&mut self.pot) / self.waiting.len() as f64;
        }
    }

    /// All waiting URLs with what they have, in no order.
    pub fn iter(&self) -> impl Iterator<Item = (Fingerprint, f64)> + '_ {
        self.waiting.iter().map(|(url, cash)| (*url, self.full(*cash)))
    }

    fn full(&self, cash: f64) -> f64 {
        // Rounding may leave a trifle below nothing.
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
    fn the_pot_is_shared_by_those_who_wait_when_it_is_shared_out() {
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
    fn who_comes_when_the_table_is_full_leaves_his_share_to_all() {
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
