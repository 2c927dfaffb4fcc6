//! The simulation of a fleet: nodes over a model of the bus, with all kinds of faults. Each run is determined by a
//! seed.
//!
//! `HARVESTMAN_FLEET_SEEDS=1000 cargo test -p harvestman-fleet --lib tests` runs that many seeds,
//! `HARVESTMAN_FLEET_SEEDS_FROM=n` starts at another seed than 0; `HARVESTMAN_FLEET_SEED=n` runs one seed and prints
//! its events.

mod checks;
mod model;
mod mutation;
mod node_bus;
mod order_submission;
mod policy;
mod run;
mod toy;
mod trace;
mod web;
mod whole;

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;

use model::Model;
use mutation::Mutation;
use node_bus::NodeBus;
use run::{Plan, run};
use trace::Trace;

use crate::bus::Bus;
use harvestman_core::clock::{Clock, Instant};
use harvestman_core::seed::Seed;

/// Returns a model of the bus without faults, and what reads all that is stored there.
pub(crate) fn calm_bus() -> (Arc<dyn Bus>, impl Fn() -> Vec<Bytes>) {
    let model = Arc::new(Model::new(
        Clock::starting_at(Instant::EPOCH + Duration::from_secs(100_000)),
        Arc::new(Trace::new(false)),
        Seed(1),
        true,
    ));
    let bus = NodeBus { model: Arc::clone(&model), node: "a".to_owned(), mutation: None };
    (Arc::new(bus), move || model.state.lock().stored())
}

fn of_seed(seed: u64) -> Plan {
    // Every third run has a budget, which many of them use up.
    let budget = (seed % 3 == 2).then_some(40 + seed % 200 * 7 % 200);
    Plan { seed, has_faults: true, mutation: None, budget, is_traced: false }
}

fn calm(seed: u64) -> Plan {
    Plan { has_faults: false, ..of_seed(seed) }
}

fn number(name: &str) -> Option<u64> {
    std::env::var(name).ok().and_then(|value| value.parse().ok())
}

#[test]
fn nothing_is_lost_whatever_befalls_a_fleet() {
    if let Some(seed) = number("HARVESTMAN_FLEET_SEED") {
        let outcome = run(Plan { is_traced: true, ..of_seed(seed) });
        outcome.trace.lines().iter().for_each(|line| eprintln!("{line}"));
        let wrong = checks::wrong(&outcome, true);
        assert!(wrong.is_empty(), "seed {seed}: {wrong:#?}");
        return;
    }
    let (mut longest, mut total, mut again, mut failed) = (0, 0, 0, Vec::new());
    let count = number("HARVESTMAN_FLEET_SEEDS").unwrap_or(50);
    let from = number("HARVESTMAN_FLEET_SEEDS_FROM").unwrap_or(0);
    for seed in from..from.saturating_add(count) {
        let outcome = run(of_seed(seed));
        let wrong = checks::wrong(&outcome, true);
        longest = longest.max(outcome.took.as_secs());
        total += outcome.took.as_secs();
        again += checks::fetched_again(&outcome);
        if let Some(first) = wrong.first() {
            eprintln!("seed {seed}, {} wrong: {first}", wrong.len());
            failed.push(seed);
        }
    }
    eprintln!(
        "{count} seeds from {from} on, {total} s simulated, the longest {longest} s, {again} pages fetched again"
    );
    assert!(failed.is_empty(), "play one again with HARVESTMAN_FLEET_SEED: {failed:?}");
}

#[test]
fn without_faults_every_page_is_fetched_once() {
    for seed in 0..5 {
        let outcome = run(calm(seed));
        let wrong = checks::wrong(&outcome, false);
        assert!(wrong.is_empty(), "seed {seed}: {wrong:#?}");
        assert_eq!(checks::fetched_again(&outcome), 0);
        assert_eq!(checks::asked_and_answered(&outcome), (1, 1));
    }
}

/// Runs seeds without faults and returns those after which the load is uneven.
fn uneven(mutation: Option<Mutation>) -> Vec<String> {
    let calm = (0..12).map(|seed| run(Plan { mutation, ..calm(seed) }));
    calm.filter_map(|outcome| checks::uneven(&outcome)).collect()
}

#[test]
fn without_faults_the_load_is_even_in_the_end() {
    let (with, without) = (uneven(None), uneven(Some(Mutation::NeverBalances)));
    assert_eq!(with, [""; 0]);
    assert!(without.len() >= 3, "only {} are uneven without balancing: the check could not fail", without.len());
}

#[test]
fn without_faults_a_budget_is_used_to_the_last_request() {
    let mut spent = 0;
    for seed in 0..12 {
        let budget = 30 + seed * 11;
        let outcome = run(Plan { budget: Some(budget), ..calm(seed) });
        let wrong = checks::wrong(&outcome, false);
        assert!(wrong.is_empty(), "seed {seed}: {wrong:#?}");
        let (sent, pages) = (outcome.web.fetches.lock().len() as u64, outcome.web.truth().len() as u64);
        assert_eq!(sent, budget.min(pages), "seed {seed}: of {pages} pages");
        spent += u64::from(sent == budget);
    }
    assert!(spent >= 6, "hardly any budget was used up");
}

#[test]
fn a_seed_plays_the_same_twice() {
    for seed in [3, 4] {
        let (first, second) = (run(of_seed(seed)), run(of_seed(seed)));
        assert_eq!((first.trace.digest(), first.took), (second.trace.digest(), second.took));
        assert_ne!(first.trace.digest(), run(of_seed(seed + 100)).trace.digest());
    }
}

/// Returns whether some seed detects a mutation, by a check with this message.
fn is_found_out(mutation: Mutation, says: &str) -> bool {
    (0..40).any(|seed| {
        let outcome = run(Plan { mutation: Some(mutation), ..of_seed(seed) });
        checks::wrong(&outcome, true).iter().any(|wrong| wrong.contains(says))
    })
}

#[test]
fn each_check_can_fail() {
    for (mutation, says) in [
        (Mutation::IgnoresTenure, "without a lease"),
        (Mutation::EvictsEarly, "without a lease"),
        (Mutation::ForgetsDelays, "too soon"),
        (Mutation::LogsFirst, "never fetched"),
        (Mutation::ForgetsEnded, "again"),
        (Mutation::DropsEarly, "never fetched"),
        (Mutation::SaysWhatIsOffered, "never fetched"),
        (Mutation::ForgetsCopies, "never fetched"),
        (Mutation::NeverIdle, "not over"),
        (Mutation::NeverTrims, "not trimmed"),
        (Mutation::Overspends, "overspent"),
        (Mutation::ObservesTwice, "twice"),
        (Mutation::LosesSegments, "never counted"),
    ] {
        assert!(is_found_out(mutation, says), "{mutation:?} is not found out");
    }
}
