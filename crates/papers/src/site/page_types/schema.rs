//! What pages of a site share whatever they show: Algorithm 1.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{PageStrings, Share};

/// The PSNV pairs that belong to a site's templates, such as *Sign in* in its place. All other pairs are *value data*.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Schema {
    /// In ascending order, each once.
    pairs: Box<[(u64, u64)]>,
}

impl Schema {
    /// Finds the pairs that this share of the pages have: all pages in Algorithm 1, a threshold in its extension in the
    /// text. Without pages there are none. O(pairs · log pairs).
    pub fn of<'p>(pages: impl IntoIterator<Item = &'p PageStrings>, share: Share) -> Self {
        let common = common_to(pages.into_iter().map(|page| page.pairs().iter().copied()), share);
        Self { pairs: common.into_boxed_slice() }
    }

    /// Returns the pairs, in ascending order.
    pub const fn pairs(&self) -> &[(u64, u64)] {
        &self.pairs
    }

    /// Returns whether this is one of the pairs.
    pub fn has(&self, pair: (u64, u64)) -> bool {
        self.pairs.binary_search(&pair).is_ok()
    }

    /// Returns whether this is the path string of one of the pairs.
    pub fn has_path(&self, path: u64) -> bool {
        let at = self.pairs.partition_point(|pair| pair.0 < path);
        self.pairs.get(at).is_some_and(|pair| pair.0 == path)
    }
}

/// Returns the items that this share of the sets have, in ascending order. A set has each of its items once.
pub(super) fn common_to<T: Ord>(sets: impl Iterator<Item = impl Iterator<Item = T>>, share: Share) -> Vec<T> {
    let mut counts = BTreeMap::<T, usize>::new();
    let mut number = 0;
    for set in sets {
        number += 1;
        set.for_each(|item| *counts.entry(item).or_default() += 1);
    }
    let needed = share.of(number);
    counts.into_iter().filter(|(_, count)| *count >= needed).map(|(item, _)| item).collect()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;

    fn page(pairs: &[(u64, u64)]) -> PageStrings {
        pairs.iter().copied().collect()
    }

    #[test]
    fn pairs_that_all_pages_or_a_share_of_them_have_are_the_schema() {
        let pages = [page(&[(1, 1), (2, 2), (3, 1)]), page(&[(1, 1), (2, 2), (3, 2)]), page(&[(1, 1), (2, 3)])];
        assert_eq!(Schema::of(&pages, Share::ALL).pairs(), [(1, 1)]);
        let most = Schema::of(&pages, Share::new(0.6));
        assert_eq!(most.pairs(), [(1, 1), (2, 2)]);
        assert!(most.has((2, 2)) && !most.has((2, 3)) && most.has_path(2) && !most.has_path(3));
        assert_eq!(Schema::of([], Share::ALL), Schema::default());
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn the_schema_is_the_one_that_algorithm_1_intersects(
            pages in prop::collection::vec(prop::collection::vec((0..4_u64, 0..3_u64), 0..12), 1..5),
        ) {
            let mut schema: BTreeSet<_> = pages[0].iter().copied().collect();
            for page in &pages[1..] {
                let temp: BTreeSet<_> = page.iter().copied().collect();
                schema = schema.intersection(&temp).copied().collect();
            }
            let pages: Vec<_> = pages.iter().map(|pairs| page(pairs)).collect();
            let found = Schema::of(&pages, Share::ALL);
            prop_assert_eq!(found.pairs(), schema.into_iter().collect::<Vec<_>>());
        }
    }
}
