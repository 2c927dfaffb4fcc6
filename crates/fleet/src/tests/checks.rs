//! The invariants that must hold after a run.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use super::run::{LONGEST, Outcome, is_spent};
use crate::node::log::EXCHANGE;
use crate::node::records::{self, PartitionRecord, Placement, Rebalance};
use crate::{Partition, SessionId};
use harvestman_core::url::CanonicalUrl;

/// Returns all violations.
pub(super) fn wrong(outcome: &Outcome, has_faults: bool) -> Vec<String> {
    let mut wrong = outcome.web.wrong.lock().clone();
    if !outcome.is_over || outcome.took >= LONGEST {
        wrong.push(format!("the crawl is not over after {} s", outcome.took.as_secs()));
    }
    wrong.extend(overspent(outcome));
    if !is_spent(&outcome.model) {
        wrong.extend(never_fetched(outcome));
        // If a budget is used up, the run does not wait for outstanding observations.
        wrong.extend(super::policy::wrong(outcome, has_faults));
    }
    if outcome.is_over {
        wrong.extend(not_trimmed(outcome, if has_faults { 156 } else { 46 }));
    }
    wrong
}

/// Checks that no more requests were sent than the budget allows.
fn overspent(outcome: &Outcome) -> Option<String> {
    let (sent, budget) = (outcome.web.fetches.lock().len() as u64, outcome.budget?);
    (sent > budget).then(|| format!("{sent} requests overspent the budget of {budget}"))
}

/// Checks that every existing page was fetched, and no other.
fn never_fetched(outcome: &Outcome) -> Vec<String> {
    let fetches = outcome.web.fetches.lock();
    let whole: BTreeSet<&str> = fetches.iter().filter(|fetch| fetch.is_whole).map(|fetch| fetch.url.as_str()).collect();
    let truth = outcome.web.truth();
    let lost = truth.iter().filter(|url| !whole.contains(url.as_str()));
    let unknown = whole.iter().filter(|url| !truth.contains(**url));
    lost.map(|url| format!("{url} was never fetched")).chain(unknown.map(|url| format!("{url} is not there"))).collect()
}

/// Returns the number of fetches of pages that had been fetched completely before.
pub(super) fn fetched_again(outcome: &Outcome) -> usize {
    let mut times: BTreeMap<String, usize> = BTreeMap::new();
    for fetch in outcome.web.fetches.lock().iter().filter(|fetch| fetch.is_whole) {
        *times.entry(fetch.url.clone()).or_default() += 1;
    }
    times.values().map(|times| times - 1).sum()
}

/// Checks that the load is even in the end. Partitions are indivisible: two nodes may differ by one of them, or by the
/// tolerance.
pub(super) fn uneven(outcome: &Outcome) -> Option<String> {
    let mut sizes = vec![0_u64; usize::from(outcome.web.partitions.count())];
    for page in outcome.web.truth() {
        let partition = outcome.web.partitions.of(&CanonicalUrl::from_canonical(page).host_key());
        sizes[usize::from(partition.0)] += 1;
    }
    let mut loads: BTreeMap<SessionId, u64> = BTreeMap::new();
    for (partition, size) in (0..).map(Partition).zip(&sizes) {
        let record = outcome.model.value(&records::partition_key(partition))?;
        let owner = records::read::<PartitionRecord>(&record).ok()?.owner?;
        *loads.entry(owner).or_default() += size;
    }
    let (most, least) = (loads.values().max()?, loads.values().min()?);
    let even = sizes.iter().sum::<u64>() / loads.len() as u64;
    let allowed = (even * 2 / 10).max(sizes.iter().max().copied()?);
    (most - least > allowed).then(|| format!("the load is uneven: {loads:?}, and {allowed} are allowed"))
}

/// Returns the numbers of requested and answered rebalances.
pub(super) fn asked_and_answered(outcome: &Outcome) -> (u64, u64) {
    let asked = outcome.model.value(records::REBALANCE).and_then(|value| records::read::<Rebalance>(&value).ok());
    let placement = outcome.model.value(records::PLACEMENT).and_then(|value| records::read::<Placement>(&value).ok());
    (asked.map_or(0, |asked| asked.asked), placement.map_or(0, |placement| placement.answered))
}

/// Checks that no message of the exchange outlived its limit by the end of the crawl. While the bus is unavailable it
/// cannot be trimmed.
fn not_trimmed(outcome: &Outcome, seconds: u64) -> Vec<String> {
    // Data of dead sessions is removed later, when nothing can reference it any more.
    let model = &outcome.model;
    let is_read = |subject: &str| subject == EXCHANGE || model.lives(subject);
    let subjects: BTreeSet<String> = {
        let state = model.state.lock();
        state.streams.values().flat_map(|kept| kept.messages.values().map(|(subject, ..)| subject.clone())).collect()
    };
    let read: BTreeSet<String> = subjects.into_iter().filter(|subject| is_read(subject)).collect();
    let state = model.state.lock();
    let now = outcome.ended_at;
    let mut old = Vec::new();
    for (stream, kept) in &state.streams {
        for (sequence, (subject, _, at)) in &kept.messages {
            let left = state.there(*at, now);
            if read.contains(subject) && left > Duration::from_secs(seconds) {
                old.push(format!("{stream:?} {subject} is not trimmed: {sequence} was left for {left:?}"));
                break;
            }
        }
    }
    old
}
