//! Paginated lists: the number of pages, the items of a page, and the links of its pager.

use std::ops::Range;

/// Distributes items round-robin: returns how many of `total` items go to pile `pile` of `piles` (items `pile`, `pile +
/// piles`, …).
pub(super) const fn dealt(total: u64, piles: u64, pile: u64) -> u64 {
    if pile < total { (total - pile).div_ceil(piles) } else { 0 }
}

/// Returns the number of pages of a list of `items` items.
pub(super) const fn pages(items: u64, per_page: u64) -> u64 {
    items.div_ceil(per_page)
}

/// Returns the positions of the items on page `page` (from 1).
pub(super) fn on_page(page: u64, items: u64, per_page: u64) -> Range<u64> {
    let start = (page - 1) * per_page;
    start.min(items)..(start + per_page).min(items)
}

/// Returns whether a list with `count` pages has page `page`.
pub(super) const fn has_page(page: u64, count: u64) -> bool {
    1 <= page && page <= count
}

/// Distances of pager links: every page of a list of n pages is O(log n) clicks away.
const LEAPS: [u64; 6] = [1, 2, 10, 100, 1_000, 10_000];

/// Returns the pages that the pager of page `page` links to: the first, the last, and some before and after.
pub(super) fn pager(page: u64, count: u64) -> impl Iterator<Item = u64> {
    let before = LEAPS.into_iter().rev().filter_map(move |leap| page.checked_sub(leap));
    let after = LEAPS.into_iter().map(move |leap| page + leap);
    let around = before.chain(after).filter(move |other| 1 < *other && *other < count);
    let ends = [1, count].into_iter().take(if count > 1 { 2 } else { 0 });
    ends.chain(around).filter(move |other| *other != page)
}

/// Returns the item at position `at` of the `order`-th sort order of `items` items: each order is a permutation.
pub(super) const fn sorted(order: u64, at: u64, items: u64) -> u64 {
    match order {
        0 => at,
        1 => items - 1 - at,
        _ => (at + items / 2) % items,
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn every_page_of_a_list_can_be_reached_from_the_first(count in 1u64..3_000) {
            let mut seen = BTreeSet::from([1]);
            let mut queue = vec![1];
            while let Some(page) = queue.pop() {
                for next in pager(page, count) {
                    prop_assert!(has_page(next, count));
                    if seen.insert(next) {
                        queue.push(next);
                    }
                }
            }
            prop_assert_eq!(seen.len() as u64, count);
        }

        #[test]
        fn the_pages_of_a_list_hold_each_item_once(items in 0u64..500, per_page in 1u64..40) {
            let held: Vec<u64> = (1..=pages(items, per_page)).flat_map(|page| on_page(page, items, per_page)).collect();
            prop_assert_eq!(held, (0..items).collect::<Vec<_>>());
        }

        #[test]
        fn dealing_leaves_no_item_out(total in 0u64..500, piles in 1u64..40) {
            let counted = (0..piles).map(|pile| (0..total).filter(|id| id % piles == pile).count() as u64);
            prop_assert!(counted.eq((0..piles).map(|pile| dealt(total, piles, pile))));
        }

        #[test]
        fn every_sort_order_holds_each_item_once(order in 0u64..3, items in 1u64..300) {
            let held: BTreeSet<u64> = (0..items).map(|at| sorted(order, at, items)).collect();
            prop_assert_eq!(held, (0..items).collect::<BTreeSet<_>>());
        }
    }
}
