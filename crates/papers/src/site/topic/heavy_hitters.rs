//! Counts of frequent items in bounded memory: Space-Saving (Metwally, Agrawal, El Abbadi: *Efficient Computation of
//! Frequent and Top-k Elements in Data Streams*, ICDT 2005).

use std::collections::{BTreeSet, HashMap};

use foldhash::fast::FixedState;

/// Counts items. An item takes about 100 bytes.
///
/// Counts are exact until more than `items_max` different items come. Then a new item takes the place of the least
/// frequent one and inherits its count as its possible error. After `n` items no error is larger than `n / items_max`,
/// and every item that came more often than that is in the table.
#[derive(Debug, Clone, Default)]
pub struct HeavyHitters {
    counts: HashMap<u64, CountRange, FixedState>,
    /// The upper count of each item, with the item.
    order: BTreeSet<(u64, u64)>,
    items_max: usize,
    /// The upper count of the item removed last; no removed item had a higher one.
    removed: u64,
}

/// The number of times that an item came: at least `least`, at most `most`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct CountRange {
    /// The lower bound.
    pub least: u64,
    /// The upper bound.
    pub most: u64,
}

impl HeavyHitters {
    /// Creates a table of at most `items_max` items; at least one.
    pub fn new(items_max: usize) -> Self {
        Self { items_max: items_max.max(1), ..Self::default() }
    }

    /// Counts an item. O(log items).
    pub fn add(&mut self, item: u64) {
        let before = match self.counts.get(&item) {
            Some(range) => {
                self.order.remove(&(range.most, item));
                *range
            }
            None if self.counts.len() < self.items_max => CountRange::default(),
            None => self.replace_least(),
        };
        let range = CountRange { least: before.least + 1, most: before.most + 1 };
        self.counts.insert(item, range);
        self.order.insert((range.most, item));
    }

    /// Removes the least frequent item. Returns the count of an item that may have been removed before.
    fn replace_least(&mut self) -> CountRange {
        let Some((most, item)) = self.order.pop_first() else { return CountRange::default() };
        self.counts.remove(&item);
        self.removed = most;
        CountRange { least: 0, most }
    }

    /// Returns how often an item came.
    pub fn count(&self, item: u64) -> CountRange {
        self.counts.get(&item).copied().unwrap_or(CountRange { least: 0, most: self.removed })
    }

    /// Returns the items in the table with their counts, by ascending upper bound.
    pub fn iter(&self) -> impl Iterator<Item = (u64, CountRange)> {
        self.order.iter().map(|(_, item)| (*item, self.count(*item)))
    }

    /// Returns the number of items in the table.
    pub fn len(&self) -> usize {
        self.counts.len()
    }

    /// Returns whether no item came.
    pub fn is_empty(&self) -> bool {
        self.counts.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_new_item_inherits_the_count_of_the_least_frequent_one_as_its_error() {
        let mut table = HeavyHitters::new(2);
        [7, 7, 7, 8, 8, 9].into_iter().for_each(|item| table.add(item));
        assert_eq!(table.count(7), CountRange { least: 3, most: 3 });
        assert_eq!(table.count(9), CountRange { least: 1, most: 3 });
        assert_eq!(table.count(8), CountRange { least: 0, most: 2 }, "it was removed after two");
        assert_eq!((table.len(), table.iter().map(|(item, _)| item).collect::<Vec<_>>()), (2, vec![7, 9]));
        assert_eq!(HeavyHitters::new(2).count(1), CountRange::default());
    }

    #[test]
    fn many_different_items_take_the_memory_of_the_bound() {
        let mut table = HeavyHitters::new(100);
        (0..200_000).for_each(|item| {
            table.add(item);
            if item % 50 == 0 {
                table.add(u64::MAX);
            }
        });
        assert_eq!(table.len(), 100);
        let often = table.count(u64::MAX);
        assert!(often.least <= 4_000 && often.most >= 4_000 && often.most <= 4_000 + 204_000 / 100, "{often:?}");
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn true_counts_are_between_the_bounds_and_errors_below_the_promised(
            items in prop::collection::vec((0..40_u64, 0..40_u64), 0..300), items_max in 1..50_usize,
        ) {
            let (mut table, mut exact) = (HeavyHitters::new(items_max), BTreeMap::<u64, u64>::new());
            for item in items.iter().map(|(one, other)| *one.min(other)) {
                table.add(item);
                *exact.entry(item).or_default() += 1;
            }
            prop_assert!(table.len() <= items_max);
            let error_max = (items.len() / items_max) as u64;
            for item in 0..40 {
                let (count, range) = (exact.get(&item).copied().unwrap_or_default(), table.count(item));
                prop_assert!(range.least <= count && count <= range.most);
                prop_assert!(range.most - range.least <= error_max);
                prop_assert!(exact.len() > items_max || range.least == range.most);
            }
        }
    }
}
