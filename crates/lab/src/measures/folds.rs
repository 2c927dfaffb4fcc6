//! Assigns pages to the folds of a cross validation.

use std::collections::BTreeMap;

use rand::Rng;
use rand::seq::SliceRandom;

/// Returns the fold (from 0 to below `folds`) of each page, with the pages of every type spread evenly: neither the
/// sizes of folds nor their numbers of pages of a type differ by more than one. The assignment is drawn from `rng`.
pub fn stratified_folds<T: Ord>(types: &[T], folds: usize, rng: &mut impl Rng) -> Vec<usize> {
    let mut by_type = BTreeMap::<&T, Vec<usize>>::new();
    for (page, page_type) in types.iter().enumerate() {
        by_type.entry(page_type).or_default().push(page);
    }
    let mut fold_of = vec![0; types.len()];
    // The next type continues where the last one ended, so that small types do not all go to the first folds.
    let mut dealt = 0;
    for mut pages in by_type.into_values() {
        pages.shuffle(rng);
        for page in pages {
            fold_of[page] = dealt % folds.max(1);
            dealt += 1;
        }
    }
    fold_of
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use harvestman_core::seed::Seed;

    fn spread(counts: &[usize]) -> usize {
        counts.iter().max().unwrap() - counts.iter().min().unwrap()
    }

    proptest! {
        #[test]
        fn folds_and_the_types_in_them_differ_by_one_at_most(
            types in prop::collection::vec(0_u8..5, 0..80), folds in 1_usize..6, seed in any::<u64>(),
        ) {
            let dealt = stratified_folds(&types, folds, &mut Seed(seed).rng());
            prop_assert_eq!(dealt.len(), types.len());
            let count = |is: &dyn Fn(u8) -> bool| {
                let mut counts = vec![0; folds];
                for (fold, _) in dealt.iter().zip(&types).filter(|(_, t)| is(**t)) {
                    counts[*fold] += 1;
                }
                spread(&counts)
            };
            prop_assert!(count(&|_| true) <= 1);
            for page_type in 0..5 {
                prop_assert!(count(&|t| t == page_type) <= 1);
            }
        }
    }

    #[test]
    fn the_seed_determines_the_assignment() {
        let types = vec!['x'; 40];
        let deal = |seed| stratified_folds(&types, 4, &mut Seed(seed).rng());
        assert_eq!(deal(1), deal(1));
        assert_ne!(deal(1), deal(2));
        assert_eq!(stratified_folds::<u8>(&[], 4, &mut Seed(1).rng()), Vec::<usize>::new());
        assert_eq!(stratified_folds(&['x', 'y'], 0, &mut Seed(1).rng()), [0, 0]);
    }
}
