use proptest::prelude::*;

use super::*;
use LastmodSign::{Earlier, Later};

/// Evidence of visits: of those with a later lastmod the changed and the unchanged ones, then of those with an earlier
/// one.
fn evidence(later: (u32, u32), earlier: (u32, u32)) -> LastmodEvidence {
    let mut evidence = LastmodEvidence::default();
    for (sign, (changed, unchanged)) in [(Later, later), (Earlier, earlier)] {
        (0..changed).for_each(|_| evidence.note(sign, true));
        (0..unchanged).for_each(|_| evidence.note(sign, false));
    }
    evidence
}

/// The posterior mean of a probability by integration over a grid, instead of the closed form.
fn naive_mean((alpha, beta): Prior, changed: u32, unchanged: u32) -> f64 {
    const STEPS: u32 = 200_000;
    let (mut mass, mut weighed) = (0.0, 0.0);
    for step in 0..STEPS {
        // In q = t⁴ the density is finite at 0.
        let t = (f64::from(step) + 0.5) / f64::from(STEPS);
        let q = t.powi(4);
        let log = (alpha - 1.0 + f64::from(changed)) * q.ln() + (beta - 1.0 + f64::from(unchanged)) * (-q).ln_1p();
        let density = log.exp() * 4.0 * t.powi(3);
        mass += density;
        weighed += density * q;
    }
    weighed / mass
}

/// The likelihood ratio by counting, in a population of a million pages that have these shares.
fn naive_ratio((later, earlier): (f64, f64), sign: LastmodSign, share: f64) -> f64 {
    let pages = 1e6;
    let (changed, unchanged) = match sign {
        Later => (pages * share * later, pages * share * (1.0 - later)),
        Earlier => (pages * (1.0 - share) * earlier, pages * (1.0 - share) * (1.0 - earlier)),
    };
    let all_changed = pages * share * later + pages * (1.0 - share) * earlier;
    (changed / all_changed) / (unchanged / (pages - all_changed))
}

#[test]
fn a_sign_compares_the_lastmod_with_the_last_visit() {
    assert_eq!(LastmodSign::of(101, 100, 200), Some(Later));
    assert_eq!(LastmodSign::of(100, 100, 200), Some(Earlier));
    assert_eq!(LastmodSign::of(90, 100, 95), None, "the sitemap was read before the visit");
    assert_eq!(LastmodSign::of(101, 100, 95), Some(Later), "a lastmod in the future");
    // Visits at 50 and 100.
    let before = |lastmod, read| LastmodSign::before_visit(lastmod, 100, 50, read);
    assert_eq!((before(60, 90), before(40, 90)), (Some(Later), Some(Earlier)));
    assert_eq!((before(101, 110), before(40, 45)), (None, None));
}

#[test]
fn without_evidence_a_later_lastmod_counts_a_little() {
    let evidence = LastmodEvidence::default();
    let (later, earlier) = (evidence.ratio(Later, 0.1), evidence.ratio(Earlier, 0.1));
    assert!((2.0..4.0).contains(&later) && (0.7..1.0).contains(&earlier), "{later} {earlier}");
}

#[test]
fn an_honest_lastmod_gains_weight_with_each_visit() {
    let (some, more) = (evidence((3, 0), (0, 20)), evidence((30, 0), (0, 200)));
    assert!(some.ratio(Later, 0.05) > 20.0 && more.ratio(Later, 0.05) > 5.0 * some.ratio(Later, 0.05));
    assert!(some.ratio(Earlier, 0.05) < 0.3 && more.ratio(Earlier, 0.05) < 0.03);
}

#[test]
fn lastmods_that_are_all_later_or_all_earlier_have_no_weight_whatever_was_found() {
    for evidence in [evidence((0, 0), (0, 0)), evidence((7, 0), (0, 0)), evidence((3, 40), (9, 9))] {
        for (sign, share) in [(Later, 1.0), (Earlier, 0.0)] {
            assert!((evidence.ratio(sign, share) - 1.0).abs() < 1e-12);
        }
    }
}

#[test]
fn a_lastmod_that_is_independent_of_changes_loses_its_weight() {
    let evidence = evidence((100, 900), (100, 900));
    for (sign, share) in [(Later, 0.5), (Earlier, 0.5), (Later, 0.1), (Earlier, 0.9)] {
        assert!((evidence.ratio(sign, share).ln()).abs() < 0.02, "{}", evidence.ratio(sign, share));
    }
}

#[test]
fn a_ratio_multiplies_the_odds() {
    assert!((chance_given(0.2, 4.0) - 0.5).abs() < 1e-12);
    assert_eq!((chance_given(0.3, 1.0), chance_given(0.0, 9.0), chance_given(1.0, 0.5)), (0.3, 0.0, 1.0));
    // ln 2 / -ln 0.8 is the growth of the rate from a chance of a fifth to a half.
    assert!((log_rate_shift(0.2, 4.0) - (2_f64.ln() / -(0.8_f64.ln())).ln()).abs() < 1e-9);
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_ratio_is_that_of_naive_counting(later in (0_u32..60, 0_u32..60), earlier in (0_u32..60, 0_u32..60), share in 0.01_f64..0.99) {
        let means = (Tally { visits: later.0 + later.1, changed: later.0 }.mean(LATER),
            Tally { visits: earlier.0 + earlier.1, changed: earlier.0 }.mean(EARLIER));
        for sign in [Later, Earlier] {
            let ratio = evidence(later, earlier).ratio(sign, share);
            prop_assert!((ratio / naive_ratio(means, sign, share) - 1.0).abs() < 1e-6);
        }
    }

    #[test]
    fn the_signs_never_both_speak_for_a_change(later in (0_u32..60, 0_u32..60), earlier in (0_u32..60, 0_u32..60), share in 0.0_f64..=1.0) {
        let evidence = evidence(later, earlier);
        let (later, earlier) = (evidence.ratio(Later, share), evidence.ratio(Earlier, share));
        prop_assert!(later.is_finite() && earlier > 0.0);
        prop_assert!((later - 1.0) * (earlier - 1.0) <= 1e-9);
    }

    #[test]
    fn one_more_change_under_a_sign_never_lowers_its_ratio(later in (0_u32..60, 0_u32..60), earlier in (0_u32..60, 0_u32..60), share in 0.0_f64..=1.0) {
        let before = evidence(later, earlier).ratio(Later, share);
        prop_assert!(evidence((later.0 + 1, later.1), earlier).ratio(Later, share) >= before * (1.0 - 1e-12));
        prop_assert!(evidence((later.0, later.1 + 1), earlier).ratio(Later, share) <= before * (1.0 + 1e-12));
    }

    #[test]
    fn a_chance_stays_one_and_keeps_its_order(chance in 0.0_f64..=1.0, more in 0.0_f64..=1.0, ratio in 1e-4_f64..1e4) {
        let (low, high) = (chance.min(more), chance.max(more));
        prop_assert!((0.0..=1.0).contains(&chance_given(low, ratio)));
        prop_assert!(chance_given(low, ratio) <= chance_given(high, ratio) + 1e-12);
        prop_assert!(log_rate_shift(chance, ratio).is_finite());
    }
}

#[test]
fn the_mean_is_that_of_the_posterior() {
    for (prior, changed, unchanged) in [(LATER, 0, 0), (LATER, 5, 1), (EARLIER, 0, 12), (EARLIER, 3, 30)] {
        let mean = Tally { visits: changed + unchanged, changed }.mean(prior);
        let naive = naive_mean(prior, changed, unchanged);
        assert!((mean / naive - 1.0).abs() < 1e-3, "{mean} {naive}");
    }
}
