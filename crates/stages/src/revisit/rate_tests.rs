use proptest::prelude::*;

use super::*;
use harvestman_core::seed::Seed;

const DAY: f64 = 86_400.0;

/// Returns the events of a Poisson process of rate `rate` up to `until`, by exponential gaps.
fn events(rate: f64, until: f64, seed: Seed) -> Vec<f64> {
    let mut rng = seed.rng();
    let (mut at, mut events) = (0.0, Vec::new());
    loop {
        let uniform = (rand::RngCore::next_u64(&mut rng) >> 11) as f64 / (1_u64 << 53) as f64;
        at -= (1.0 - uniform).ln() / rate;
        if at > until {
            return events;
        }
        events.push(at);
    }
}

/// Returns whether each of the visits at `times` finds a change, and after how long.
fn visits(events: &[f64], times: &[f64]) -> Vec<(bool, f64)> {
    let mut before = 0.0;
    let visit = |at: &f64| {
        let found = events.iter().any(|event| *event > before && *event <= *at);
        let waited = at - before;
        before = *at;
        (found, waited)
    };
    times.iter().map(visit).collect()
}

#[test]
fn equal_intervals_give_the_closed_form_of_the_paper() {
    // Six of ten daily visits found a change: −ln(4.5/10.5) per day, where counting changes gives 0.6.
    let rate = regular_rate(10, 6, DAY) * DAY;
    assert!((rate - (10.5_f64 / 4.5).ln()).abs() < 1e-12 && rate > 0.6, "{rate}");
    // Finite if all visits found a change, and zero if none did.
    assert!(regular_rate(10, 10, 1.0).is_finite() && regular_rate(10, 0, 1.0) == 0.0);
}

#[test]
fn at_equal_intervals_the_most_likely_probability_is_the_share_of_changes() {
    let visits = (0..10).map(|n| (n < 6, DAY));
    let rate = irregular_rate(visits).unwrap();
    assert!((chance_of_change(rate, DAY) - 0.6).abs() < 1e-9);
    assert_eq!(irregular_rate([(false, 1.0)].into_iter()), Some(0.0));
    assert_eq!(irregular_rate([(true, 1.0)].into_iter()), None);
}

#[test]
fn counting_changes_underestimates_and_the_estimators_do_not() {
    let (rate, times): (f64, Vec<f64>) = (1.0, (1..=20).map(f64::from).collect());
    let (mut naive, mut corrected) = (0.0, 0.0);
    let runs = 2_000;
    for run in 0..runs {
        let found = visits(&events(rate, 20.0, Seed(run)), &times);
        let changed = found.iter().filter(|(changed, _)| *changed).count() as u32;
        naive += f64::from(changed) / 20.0;
        corrected += regular_rate(20, changed, 1.0);
    }
    let (naive, corrected) = (naive / runs as f64, corrected / runs as f64);
    assert!((naive - 0.632).abs() < 0.02, "{naive}");
    assert!((corrected - rate).abs() < 0.03, "{corrected}");
}

/// Returns the log-likelihood of visits under a rate.
fn likelihood(rate: f64, visits: &[(bool, f64)]) -> f64 {
    let of = |(changed, seconds): &(bool, f64)| {
        if *changed { chance_of_change(rate, *seconds).ln() } else { -rate * seconds }
    };
    visits.iter().map(of).sum()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_other_rate_explains_irregular_visits_better(visits in prop::collection::vec((any::<bool>(), 0.1..50.0_f64), 2..20)) {
        let Some(rate) = irregular_rate(visits.iter().copied()) else { return Ok(()) };
        prop_assume!(rate > 0.0);
        let best = likelihood(rate, &visits);
        for factor in [0.5, 0.9, 0.99, 1.01, 1.1, 2.0] {
            prop_assert!(likelihood(rate * factor, &visits) <= best + 1e-9);
        }
    }

    #[test]
    fn a_rate_is_between_the_prior_and_the_estimate_from_the_visits(
        mean in 0.001..10.0_f64, shape in 0.2..5.0_f64, changed in 0..20_u32, unchanged in 1..20_u32, interval in 1..100_u64,
    ) {
        let history = History {
            changed,
            unchanged,
            changed_seconds: u64::from(changed) * interval,
            unchanged_seconds: u64::from(unchanged) * interval,
        };
        let visits = (0..changed + unchanged).map(|n| (n < changed, interval as f64));
        let own = irregular_rate(visits).unwrap();
        let rate = shrunk_rate(Gamma { mean, shape }, &history);
        prop_assert!(rate >= own.min(mean) * 0.999_999 && rate <= own.max(mean) * 1.000_001, "{own} {mean} {rate}");
    }
}

#[test]
fn without_visits_the_prior_applies_and_with_many_it_hardly_counts() {
    let prior = Gamma { mean: 2.0, shape: 1.0 };
    assert!((shrunk_rate(prior, &History::default()) - 2.0).abs() < 1e-9);
    let history = History { changed: 600, unchanged: 400, changed_seconds: 6_000, unchanged_seconds: 4_000 };
    let own = -(0.4_f64.ln()) / 10.0;
    assert!((shrunk_rate(prior, &history) / own - 1.0).abs() < 0.01);
}
