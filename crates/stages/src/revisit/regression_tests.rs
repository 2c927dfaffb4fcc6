use super::*;
use harvestman_core::seed::Seed;

#[test]
fn a_single_trait_yields_the_rate_of_the_closed_form() {
    let mut regression = Regression::default();
    let base = regression.add_trait(0.0, 1_000.0);
    for visit in 0..100 {
        regression.observe(&[(base, 1.0)], 10_f64.ln(), visit < 30, 1.0);
    }
    regression.fit(30);
    // 1 − exp(−10 λ) = 0.3
    assert!((regression.weight(base).exp() - -(0.7_f64.ln()) / 10.0).abs() < 1e-6);
}

#[test]
fn the_slope_is_the_derivative_of_the_likelihood() {
    let likelihood = |sum: f64, changed: bool| {
        let mean = sum.exp();
        if changed { (-(-mean).exp_m1()).ln() } else { -mean }
    };
    for sum in [-4.0, -1.0, 0.0, 1.0, 2.0] {
        for changed in [true, false] {
            let by_difference = (likelihood(sum + 1e-6, changed) - likelihood(sum - 1e-6, changed)) / 2e-6;
            let (slope, information) = derivatives(sum, changed);
            assert!(
                (slope - by_difference).abs() < 1e-5 * (1.0 + slope.abs()),
                "{sum} {changed}: {slope} {by_difference}"
            );
            assert!(information > 0.0);
        }
    }
}

#[test]
fn two_traits_are_distinguished_and_no_other_weights_fit_better() {
    let mut regression = Regression::default();
    let base = regression.add_trait(-2.0, 3.0);
    let (lists, posts) = (regression.add_trait(0.0, 2.0), regression.add_trait(0.0, 2.0));
    for visit in 0..60 {
        regression.observe(&[(base, 1.0), (lists, 1.0)], 0.0, visit % 10 < 8, 1.0);
        regression.observe(&[(base, 1.0), (posts, 1.0)], 0.0, visit % 10 < 1, 1.0);
    }
    regression.fit(40);
    let chance = |of: usize| -(-regression.log_rate(&[(base, 1.0), (of, 1.0)]).exp()).exp_m1();
    assert!((chance(lists) - 0.8).abs() < 0.05 && (chance(posts) - 0.1).abs() < 0.03);
    let best = regression.log_posterior();
    for at in [base, lists, posts] {
        for step in [-0.1, 0.1] {
            let mut other = regression.clone();
            other.weights[at].value += step;
            let visits = other.weights[at].visits.clone();
            visits
                .iter()
                .for_each(|(number, amount)| other.observations[*number as usize].sum += step * f64::from(*amount));
            assert!(other.log_posterior() < best);
        }
    }
}

#[test]
fn an_unseen_trait_keeps_its_prior_and_is_drawn_widely() {
    let mut regression = Regression::default();
    let (seen, unseen) = (regression.add_trait(0.0, 1.0), regression.add_trait(0.0, 1.0));
    (0..500).for_each(|visit| regression.observe(&[(seen, 1.0)], 0.0, visit % 2 == 0, 1.0));
    regression.fit(10);
    assert_eq!(regression.weight(unseen), 0.0);
    let mut rng = Seed(1).rng();
    let mut spread = |at: usize| {
        let draws: Vec<f64> = (0..500).map(|_| regression.draw(at, &mut rng) - regression.weight(at)).collect();
        (draws.iter().map(|draw| draw * draw).sum::<f64>() / 500.0).sqrt()
    };
    let (known, unknown) = (spread(seen), spread(unseen));
    assert!(known < 0.1 && (unknown - 1.0).abs() < 0.1, "{known} {unknown}");
}
