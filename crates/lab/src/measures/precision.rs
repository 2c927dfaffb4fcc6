//! The precision of classifying pages that were not clustered.

use std::collections::BTreeMap;

use super::ratio;

/// Precision of a classification (SOUrCe, section 5.2): a cluster predicts the most frequent type of its *training*
/// pages, and a test page is correct if that is its type.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Precision {
    /// Share of correct test pages.
    pub micro: f64,
    /// The same share for each cluster with test pages, averaged evenly.
    pub macro_: f64,
}

impl Precision {
    /// Computes the precision of pages given as (cluster, type). A test page in no cluster, or in one without training
    /// pages, is incorrect; each test page in no cluster is a cluster of its own. Of equally frequent types of a
    /// cluster, the smallest is used. Returns `None` without test pages. O(n log n).
    pub fn of<C: Ord + Copy, T: Ord + Copy>(
        training: impl IntoIterator<Item = (C, T)>,
        test: impl IntoIterator<Item = (Option<C>, T)>,
    ) -> Option<Self> {
        let stands_for = majorities(training);
        // Correct and total pages of each cluster.
        let mut clusters = BTreeMap::<C, (u64, u64)>::new();
        let mut outliers = 0;
        for (cluster, page_type) in test {
            let Some(cluster) = cluster else {
                outliers += 1;
                continue;
            };
            let counts = clusters.entry(cluster).or_default();
            counts.0 += u64::from(stands_for.get(&cluster) == Some(&page_type));
            counts.1 += 1;
        }
        let (right, all) = clusters.values().fold((0, outliers), |sum, counts| (sum.0 + counts.0, sum.1 + counts.1));
        let shares: f64 = clusters.values().filter_map(|(right, all)| ratio(*right, *all)).sum();
        Some(Self { micro: ratio(right, all)?, macro_: shares * ratio(1, clusters.len() as u64 + outliers)? })
    }
}

/// Returns the most frequent type of each cluster, the smallest of several.
fn majorities<C: Ord + Copy, T: Ord + Copy>(training: impl IntoIterator<Item = (C, T)>) -> BTreeMap<C, T> {
    let mut counts = BTreeMap::<(C, T), u64>::new();
    for page in training {
        *counts.entry(page).or_default() += 1;
    }
    let mut best = BTreeMap::<C, (u64, T)>::new();
    for ((cluster, page_type), count) in counts {
        let held = best.entry(cluster).or_insert((count, page_type));
        if count > held.0 {
            *held = (count, page_type);
        }
    }
    best.into_iter().map(|(cluster, (_, page_type))| (cluster, page_type)).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn clusters_predict_the_types_of_their_training_pages() {
        let training = [(1, 'x'), (1, 'x'), (1, 'y'), (2, 'z'), (2, 'y')];
        // Cluster 1 predicts x; 2 predicts y, the smallest of two equals; 3 predicts nothing.
        let test = [(Some(1), 'x'), (Some(1), 'y'), (Some(2), 'y'), (Some(3), 'x'), (None, 'x')];
        let precision = Precision::of(training, test).unwrap();
        assert!((precision.micro - 2.0 / 5.0).abs() < 1e-12);
        assert!((precision.macro_ - (0.5 + 1.0 + 0.0 + 0.0) / 4.0).abs() < 1e-12);
    }

    #[test]
    fn without_test_pages_there_is_no_precision_and_without_training_it_is_zero() {
        assert_eq!(Precision::of([(1, 'x')], []), None);
        assert_eq!(Precision::of([], [(Some(1), 'x'), (None, 'x')]), Some(Precision { micro: 0.0, macro_: 0.0 }));
    }

    proptest! {
        #[test]
        fn test_pages_like_the_training_pages_are_as_right_as_their_clusters_are_pure(
            pages in prop::collection::vec((0_u8..4, 0_u8..4), 1..40),
        ) {
            let precision = Precision::of(pages.iter().copied(), pages.iter().map(|(c, t)| (Some(*c), *t))).unwrap();
            let purity = super::super::Clustering::of(pages.iter().map(|(c, t)| (Some(*c), *t))).unwrap().purity;
            prop_assert!((precision.micro - purity).abs() < 1e-12);
        }
    }
}
