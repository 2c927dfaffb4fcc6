use proptest::prelude::*;

use super::*;
use harvestman_core::model::UrlPattern;

const BY: Smoothing = Smoothing { prior: 0.3, prior_weight: 2.0, prior_variance: 0.06, strength: 2.0, memory: 40.0 };

fn worth(value: f64) -> Worth {
    Worth { value, wanted: value >= 0.5 }
}

fn class(cluster: u32, apath: u64, coarse: u64, fine: u64) -> LinkClass {
    let pattern = UrlPattern { coarse: PatternId(coarse), fine: PatternId(fine) };
    LinkClass::at(ClusterId(cluster), Apath(apath)).with_pattern(pattern)
}

#[test]
fn what_was_never_seen_is_expected_to_be_like_the_prior() {
    let estimate = Evidence::default().estimate(class(1, 2, 3, 4), &BY);
    assert_eq!((estimate.mean, estimate.weight), (0.3, 0.0));
}

#[test]
fn one_observation_moves_each_level_by_its_share() {
    let mut evidence = Evidence::default();
    evidence.add(class(1, 2, 3, 4), worth(1.0), BY.memory);
    // All: (1 + 0.6) / 3; then five times (1 + 2 m) / 3.
    let mut mean = 1.6 / 3.0;
    for _ in 0..5 {
        mean = (1.0 + 2.0 * mean) / 3.0;
    }
    assert!((evidence.estimate(class(1, 2, 3, 4), &BY).mean - mean).abs() < 1e-12);
}

#[test]
fn a_new_place_is_judged_by_its_pattern_and_a_new_pattern_by_its_place() {
    let mut evidence = Evidence::default();
    for _ in 0..20 {
        evidence.add(class(1, 2, 3, 4), worth(1.0), BY.memory);
        evidence.add(class(1, 5, 6, 7), worth(0.0), BY.memory);
    }
    assert!(evidence.estimate(class(9, 9, 3, 4), &BY).mean > 0.9);
    assert!(evidence.estimate(class(1, 5, 8, 8), &BY).mean < 0.1);
}

#[test]
fn a_pattern_whose_links_differ_has_variance_and_one_whose_links_agree_has_little() {
    let mut evidence = Evidence::default();
    for i in 0..20 {
        evidence.add(class(1, 2, 3, 4), worth(f64::from(i % 2)), BY.memory);
        evidence.add(class(1, 2, 30, 40), worth(0.5), BY.memory);
    }
    assert!(evidence.estimate(class(1, 2, 3, 4), &BY).variance > 0.2);
    assert!(evidence.estimate(class(1, 2, 30, 40), &BY).variance < 0.02);
}

#[test]
fn the_chance_of_a_wanted_page_is_counted_beside_the_worth() {
    let mut evidence = Evidence::default();
    for i in 0..400 {
        evidence.add(class(1, 2, 3, 4), worth(if i % 4 == 0 { 0.6 } else { 0.4 }), 1e6);
    }
    let estimate = evidence.estimate(class(1, 2, 3, 4), &BY);
    assert!((estimate.wanted - 0.25).abs() < 0.01 && (estimate.mean - 0.45).abs() < 0.01, "{estimate:?}");
}

proptest! {
    #[test]
    fn estimates_stay_within_what_was_seen_and_expected(
        seen in prop::collection::vec((0_u32..3, 0_u64..3, 0_u64..3, 0_u64..3, 0.0_f64..=1.0), 0..200),
        asked in (0_u32..4, 0_u64..4, 0_u64..4, 0_u64..4),
    ) {
        let mut evidence = Evidence::default();
        for &(c, a, p, f, value) in &seen {
            evidence.add(class(c, a, p, f), worth(value), BY.memory);
        }
        let estimate = evidence.estimate(class(asked.0, asked.1, asked.2, asked.3), &BY);
        prop_assert!((0.0..=1.0).contains(&estimate.mean) && (0.0..=1.0).contains(&estimate.wanted));
        prop_assert!(estimate.weight >= 0.0 && estimate.variance >= 0.0);
    }

    #[test]
    fn a_correction_leaves_what_the_right_value_would_have_left(values in prop::collection::vec(0.0_f64..=1.0, 1..30), new in 0.0_f64..=1.0) {
        let (mut corrected, mut right) = (Evidence::default(), Evidence::default());
        for (i, &value) in values.iter().enumerate() {
            corrected.add(class(1, 2, 3, 4), worth(value), BY.memory);
            right.add(class(1, 2, 3, 4), worth(if i == 0 { new } else { value }), BY.memory);
        }
        corrected.correct(class(1, 2, 3, 4), worth(values[0]), worth(new));
        let (one, other) = (corrected.at(Level::All), right.at(Level::All));
        prop_assert!((one.sum - other.sum).abs() < 1e-9 && (one.squares - other.squares).abs() < 1e-9);
        prop_assert_eq!(one.wanted, other.wanted);
    }
}
