//! The table of purposes and uses, and what holds for all combinations of statements.

use super::*;
use crate::statements::{RECORDED_MAX, combined};
use harvestman_core::model::{StatedIn, Wish};
use proptest::prelude::*;

fn rules(purpose: Purpose) -> ConsentRules {
    ConsentRules { purpose, mode: SignalMode::Obey, nofollow: true, tdmrep: TdmrepUse::Auto }
}

fn statement(signal: Signal, stated_in: StatedIn, usage: Usage, is_allowed: bool) -> Statement {
    Statement { signal, stated_in, wish: Some(Wish { is_allowed, usage }), says: "".into() }
}

#[test]
fn the_documented_table_is_the_one_that_decides() {
    let source = include_str!("decide.rs");
    let rows: Vec<Vec<&str>> = source
        .lines()
        .filter_map(|line| line.strip_prefix("//! | "))
        .map(|row| row.trim_end_matches('|').split('|').map(str::trim).collect())
        .collect();
    assert_eq!(rows[0][2..], Purpose::ALL.map(Purpose::label));
    assert_eq!(rows.len(), Usage::ALL.len() + 1);
    for (row, usage) in rows[1..].iter().zip(Usage::ALL).filter(|(_, usage)| **usage != Usage::Following) {
        for (cell, purpose) in row[2..].iter().zip(Purpose::ALL) {
            assert_eq!(*cell == "refused", is_concerned(purpose, *usage), "{purpose:?}, {usage:?}: {row:?}");
        }
    }
}

#[test]
fn what_is_refused_before_is_not_fetched_and_what_is_refused_after_is_not_kept() {
    let refused = |stated_in| statement(Signal::ContentUsage, stated_in, Usage::TrainAi, false);
    for (stated_in, effect) in [
        (StatedIn::RobotsTxt, Effect::NotFetched),
        (StatedIn::TdmrepFile, Effect::NotFetched),
        (StatedIn::Header, Effect::NotKept),
        (StatedIn::Page, Effect::NotKept),
    ] {
        assert_eq!(rules(Purpose::TrainAi).effect(&refused(stated_in)), effect);
        assert_eq!(rules(Purpose::Archive).effect(&refused(stated_in)), Effect::None);
        let record = ConsentRules { mode: SignalMode::Record, ..rules(Purpose::TrainAi) };
        assert_eq!(record.effect(&refused(stated_in)), Effect::None);
    }
    let nofollow = statement(Signal::Nofollow, StatedIn::Page, Usage::Following, false);
    assert_eq!(rules(Purpose::Search).effect(&nofollow), Effect::NotFollowed);
    let other = ConsentRules { nofollow: false, ..rules(Purpose::Search) };
    assert_eq!(other.effect(&nofollow), Effect::None);
}

#[test]
fn the_file_of_reservations_is_read_where_the_purpose_depends_on_it() {
    let reads = |purpose, tdmrep, mode| ConsentRules { purpose, mode, nofollow: true, tdmrep }.reads_tdmrep();
    for (purpose, expected) in Purpose::ALL.into_iter().zip([false, true, false, true, true]) {
        assert_eq!(reads(purpose, TdmrepUse::Auto, SignalMode::Obey), expected, "{purpose:?}");
        assert!(reads(purpose, TdmrepUse::Always, SignalMode::Record));
        assert!(!reads(purpose, TdmrepUse::Never, SignalMode::Obey));
        assert!(!reads(purpose, TdmrepUse::Always, SignalMode::Off));
    }
}

fn statements() -> impl Strategy<Value = Vec<Statement>> {
    let wish = prop::option::of((prop::sample::select(Usage::ALL), any::<bool>()));
    let one = (prop::sample::select(Signal::ALL), prop::sample::select(StatedIn::ALL), wish, "[a-c]{0,2}");
    let one = one.prop_map(|(signal, stated_in, wish, says)| Statement {
        signal,
        stated_in,
        wish: wish.map(|(usage, is_allowed)| Wish { is_allowed, usage }),
        says: says.into(),
    });
    prop::collection::vec(one, 0..40)
}

/// What a decision permits: fetching, keeping, following.
fn permits(decision: Decision) -> [bool; 3] {
    [decision.not_fetched.is_none(), decision.not_kept.is_none(), !decision.not_followed]
}

proptest! {
    #[test]
    fn adding_a_statement_never_permits_more(all in statements(), more in statements(), purpose in prop::sample::select(&Purpose::ALL[..])) {
        let rules = rules(purpose);
        let before = permits(rules.decide(&all));
        let after = permits(rules.decide(all.iter().chain(&more)));
        prop_assert!(before.iter().zip(after).all(|(before, after)| *before || !after));
    }

    #[test]
    fn the_order_of_statements_does_not_matter(all in statements(), at in any::<prop::sample::Index>(), purpose in prop::sample::select(&Purpose::ALL[..])) {
        let mut other = all.clone();
        if !other.is_empty() {
            let middle = at.index(other.len());
            other.rotate_left(middle);
            other.reverse();
        }
        prop_assert_eq!(rules(purpose).decide(&all), rules(purpose).decide(&other));
        prop_assert_eq!(combined(all), combined(other));
    }

    #[test]
    fn combining_loses_no_effect_and_is_bounded(all in statements(), purpose in prop::sample::select(&Purpose::ALL[..])) {
        let combined = combined(all.clone());
        prop_assert_eq!(rules(purpose).decide(&all), rules(purpose).decide(&combined));
        let recorded = combined.iter().filter(|statement| statement.wish.is_none()).count();
        prop_assert!(recorded <= RECORDED_MAX);
        let mut kinds: Vec<_> = combined.iter().map(|said| (said.signal, said.stated_in, said.wish)).collect();
        kinds.retain(|(_, _, wish)| wish.is_some());
        let all_kinds = kinds.len();
        kinds.dedup();
        prop_assert_eq!(kinds.len(), all_kinds, "each wish once");
    }

    /// Of contradicting statements the stricter holds, and both are recorded.
    #[test]
    fn the_stricter_of_two_holds(usage in prop::sample::select(Usage::ALL), stated_in in prop::sample::select(StatedIn::ALL), purpose in prop::sample::select(&Purpose::ALL[..])) {
        let [yes, no] = [true, false].map(|allowed| statement(Signal::ContentSignal, stated_in, usage, allowed));
        let rules = rules(purpose);
        prop_assert_eq!(rules.decide([&yes, &no]), rules.decide([&no]));
        prop_assert_eq!(combined([yes, no]).len(), 2);
    }
}
