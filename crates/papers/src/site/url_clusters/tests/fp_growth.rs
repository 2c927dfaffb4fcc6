use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;

use super::*;

const NO_LIMIT: MiningLimits = MiningLimits { itemsets_max: usize::MAX, steps_max: u64::MAX };

type Supports = BTreeMap<BTreeSet<u16>, u32>;

fn transactions(rows: &[(usize, &[u16])], bins: usize) -> Vec<Transaction> {
    let counts = |bin| (0..bins).map(|at| u32::from(at == bin)).collect();
    rows.iter().map(|(bin, items)| Transaction { items: items.to_vec(), counts: counts(*bin) }).collect()
}

/// Returns itemsets with their supports; fails if one is found twice.
fn spelt_out(found: &[FrequentSet]) -> Supports {
    let mut sets: Vec<BTreeSet<u16>> = vec![BTreeSet::new()];
    let mut supports = Supports::new();
    for set in found {
        let mut items = sets[set.parent as usize].clone();
        assert!(items.iter().all(|item| *item > set.item), "items fall along the tree");
        items.insert(set.item);
        assert_eq!(supports.insert(items.clone(), set.support), None, "{items:?} is found twice");
        sets.push(items);
    }
    supports
}

/// Counts every subset of every transaction of one bin.
fn brute_force(rows: &[&[u16]], least: u32) -> Supports {
    let mut supports = Supports::new();
    for items in rows {
        for mask in 1..1_u32 << items.len() {
            let subset =
                items.iter().enumerate().filter(|(at, _)| mask >> at & 1 == 1).map(|(_, item)| *item).collect();
            *supports.entry(subset).or_default() += 1;
        }
    }
    supports.retain(|_, support| *support >= least);
    supports
}

/// Returns the itemsets that are frequent in all bins, by mining each bin by itself.
fn bin_by_bin(rows: &[(usize, &[u16])], bins: usize, least: u32) -> Supports {
    let bin = |at: usize| {
        let rows: Vec<&[u16]> = rows.iter().filter(|(bin, _)| *bin == at).map(|(_, items)| *items).collect();
        brute_force(&rows, least)
    };
    let mut all = bin(0);
    for other in (1..bins).map(bin) {
        all.retain(|items, support| {
            other.get(items).is_some_and(|more| {
                *support += more;
                true
            })
        });
    }
    all
}

#[test]
fn the_textbooks_transactions_have_the_textbooks_itemsets() {
    // Han, Pei, Yin 2000, table 1, with f c a b m p = 0 .. 5 and a minimum support of 3.
    let rows: [&[u16]; 5] = [&[0, 1, 2, 4, 5], &[0, 1, 2, 3, 4], &[0, 3], &[1, 3, 5], &[0, 1, 2, 4, 5]];
    let rows: Vec<_> = rows.iter().map(|row| (0, *row)).collect();
    let found = spelt_out(&fp_growth(&transactions(&rows, 1), 3, NO_LIMIT).unwrap());
    let of = |items: &[u16]| found.get(&items.iter().copied().collect()).copied();
    assert_eq!(of(&[0, 1, 2, 4]), Some(3), "fcam");
    assert_eq!(of(&[1, 5]), Some(3), "cp");
    assert_eq!(of(&[0]), Some(4), "f");
    assert_eq!(of(&[0, 3]), None, "fb");
    assert_eq!(found.len(), 18);
}

#[test]
fn nothing_has_no_itemsets() {
    assert_eq!(fp_growth(&[], 1, NO_LIMIT), Ok(vec![]));
    assert_eq!(fp_growth(&transactions(&[(0, &[]), (1, &[])], 2), 1, NO_LIMIT), Ok(vec![]));
    assert_eq!(fp_growth(&transactions(&[(0, &[7])], 2), 0, NO_LIMIT), Ok(vec![]), "never seen in the second bin");
}

#[test]
fn a_limit_ends_the_search_where_it_is_reached() {
    let rows: Vec<(usize, &[u16])> = vec![(0, &[0, 1, 2, 3]); 5];
    let mine =
        |itemsets_max, steps_max| fp_growth(&transactions(&rows, 1), 5, MiningLimits { itemsets_max, steps_max });
    assert_eq!(mine(15, u64::MAX).map(|found| found.len()), Ok(15));
    assert_eq!(mine(14, u64::MAX), Err(LimitReached));
    assert_eq!(mine(15, 3), Err(LimitReached));
}

proptest! {
    #[test]
    fn the_same_itemsets_and_supports_as_by_brute_force_in_each_bin(
        rows in prop::collection::vec((0_usize..3, prop::collection::btree_set(0_u16..7, 0..6)), 0..40),
        bins in 1_usize..4,
        least in 1_u32..5,
    ) {
        let rows: Vec<(usize, Vec<u16>)> =
            rows.into_iter().map(|(bin, items)| (bin % bins, items.into_iter().collect())).collect();
        let rows: Vec<(usize, &[u16])> = rows.iter().map(|(bin, items)| (*bin, &**items)).collect();
        let found = fp_growth(&transactions(&rows, bins), least, NO_LIMIT).unwrap();
        prop_assert_eq!(spelt_out(&found), bin_by_bin(&rows, bins, least));
    }
}
