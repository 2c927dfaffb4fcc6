use std::collections::BTreeSet;

use proptest::prelude::*;

use super::*;

fn page(features: &[u64]) -> PageFeatures {
    features.iter().copied().collect()
}

fn pages(samples: &[Vec<BTreeSet<u64>>]) -> Vec<Vec<PageFeatures>> {
    let page = |features: &BTreeSet<u64>| features.iter().copied().collect();
    samples.iter().map(|pages| pages.iter().map(page).collect()).collect()
}

#[test]
fn few_features_that_tell_outweigh_many_that_do_not() {
    // Feature 1 or 2 tells the type; forty others come and go.
    let of = |own: u64| {
        (0..10_u64)
            .map(move |n| (0..40).filter(|bit| (n * 7 + bit) % 3 == 0).map(|bit| 100 + bit).chain([own]).collect())
    };
    let forest = TypeForest::learn(&[of(1).collect(), of(2).collect()], Seed(1));
    let with = |own: u64| (100..140).filter(|bit| bit % 2 == 0).chain([own]).collect::<PageFeatures>();
    assert_eq!((forest.classify(&with(1)), forest.classify(&with(2))), (Some(0), Some(1)));
}

#[test]
fn a_type_whose_pages_have_two_forms_is_known_by_either() {
    let mut first = vec![page(&[1, 2, 3]); 6];
    first.extend(vec![page(&[11, 12, 13]); 4]);
    let forest = TypeForest::learn(&[first, vec![page(&[1, 12, 23]); 10]], Seed(1));
    assert_eq!(forest.classify(&page(&[1, 2, 3])), Some(0));
    assert_eq!(forest.classify(&page(&[11, 12, 13])), Some(0));
    assert_eq!(forest.classify(&page(&[1, 12, 23])), Some(1));
}

#[test]
fn without_samples_nothing_is_found() {
    assert_eq!(TypeForest::learn(&[], Seed(1)).classify(&page(&[1])), None);
    assert_eq!(TypeForest::learn(&[vec![], vec![]], Seed(1)).classify(&page(&[1])), None);
    assert_eq!(TypeForest::learn(&[vec![], vec![page(&[1])]], Seed(1)).classify(&page(&[])), Some(1));
}

/// The Gini impurity of the two sides of a test, by its definition: the chance that two samples drawn with replacement
/// from a side are of different types, weighted by the sizes of the sides. `None` if one side is empty.
fn impurity(samples: &[(usize, &BTreeSet<u64>)], feature: u64) -> Option<f64> {
    let (with, without): (Vec<_>, Vec<_>) = samples.iter().partition(|(_, page)| page.contains(&feature));
    if with.is_empty() || without.is_empty() {
        return None;
    }
    let of_side = |side: &[(usize, &BTreeSet<u64>)]| {
        let pairs = side.iter().flat_map(|one| side.iter().map(move |other| one.0 != other.0));
        pairs.filter(|differ| *differ).count() as f64 / side.len() as f64
    };
    Some(of_side(&with) + of_side(&without))
}

fn samples() -> impl Strategy<Value = Vec<Vec<BTreeSet<u64>>>> {
    prop::collection::vec(prop::collection::vec(prop::collection::btree_set(0..8_u64, 0..6), 0..5), 1..5)
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, cases: 64, ..ProptestConfig::default() })]

    #[test]
    fn the_best_test_is_the_one_that_the_definition_of_impurity_finds(samples in samples()) {
        let training = Training::of(&pages(&samples));
        let all: Vec<usize> = (0..training.types.len()).collect();
        let labelled: Vec<(usize, &BTreeSet<u64>)> =
            samples.iter().enumerate().flat_map(|(number, pages)| pages.iter().map(move |page| (number, page))).collect();
        let several = labelled.iter().any(|(number, _)| *number != labelled[0].0);
        let least = (0..8).filter_map(|feature| impurity(&labelled, feature)).filter(|_| several).reduce(f64::min);
        let found = if all.is_empty() { None } else { training.best_test(&all, 1.0, &mut Seed(1).rng()) };
        let found = found.and_then(|column| impurity(&labelled, training.columns[column].features[0]));
        prop_assert!(found.is_some() == least.is_some(), "{:?} {:?}", found, least);
        if let (Some(found), Some(least)) = (found, least) {
            prop_assert!((found - least).abs() < 1e-9, "{} is not {}", found, least);
        }
    }

    #[test]
    fn a_tree_of_all_samples_tells_each_of_them_apart_from_those_that_differ(samples in samples(), drawn in 0.0..1.0_f64) {
        let training = Training::of(&pages(&samples));
        let tree = training.tree((0..training.types.len()).collect(), drawn, &mut Seed(3).rng());
        for page in samples.iter().flatten() {
            let features: Vec<u64> = page.iter().copied().collect();
            let count = |pages: &Vec<BTreeSet<u64>>| pages.iter().filter(|other| *other == page).count();
            let holds = samples.iter().map(count).collect::<Vec<_>>();
            for (number, share) in tree.leaf(&features) {
                // A leaf of one type may hold different pages; one of several types only equal ones.
                let expected = holds[*number] as f64 / holds.iter().sum::<usize>() as f64;
                prop_assert!(holds[*number] > 0 && (share - expected).abs() < 1e-9);
            }
        }
    }

    #[test]
    fn the_same_seed_grows_the_same_forest_and_every_page_has_a_type(
        samples in samples(), asked in prop::collection::btree_set(0..10_u64, 0..6),
    ) {
        let samples = pages(&samples);
        let forest = TypeForest::learn(&samples, Seed(5));
        prop_assert_eq!(&forest, &TypeForest::learn(&samples, Seed(5)));
        let found = forest.classify(&asked.into_iter().collect());
        prop_assert_eq!(found.is_some(), samples.iter().any(|pages| !pages.is_empty()));
        prop_assert!(found.is_none_or(|number| !samples[number].is_empty()));
    }
}
