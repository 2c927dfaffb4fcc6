//! Learns the requests of a cluster's pages from samples.

use std::collections::BTreeSet;

use super::chains::Start;
use super::column::Column;
use super::facts::PageFacts;
use super::plan::{WHOLE_SAMPLES_MIN, plans};
use super::sample::{Sample, SampleKind, SampleRequest};
use super::slots::{Slot, slots};
use super::stop::continued_slot;
use super::template::{REPLAY_VERSION, ReplayTemplate, RequestPlan, SlotTemplate, UrlPlan};
use super::why::Why;

/// Maximum number of earlier slots that are tried as the start of a slot.
const STARTS_MAX: usize = 6;

/// Names of the headers that a template may have.
const HEADERS: [&str; 2] = ["accept", "x-requested-with"];

/// What was learned from samples.
#[derive(Debug, Clone)]
pub struct LearnedReplay {
    /// The useful requests that can be replayed, and those that start them. It has no slots if there are none.
    pub template: ReplayTemplate,
    /// The names of slots with useful requests that cannot be replayed, and why.
    pub rejected: Vec<(String, Why)>,
}

/// Learns from samples of one cluster how to make the requests whose answers hold gains. It reads up to
/// [`SAMPLES_MAX`](super::SAMPLES_MAX) samples. A URL that stands in the page as a whole needs 2 samples that use its
/// slot, any other 3.
pub fn learn(samples: &[Sample]) -> LearnedReplay {
    let facts = PageFacts::of_all(samples);
    let slots = slots(&facts);
    let mut learned: Vec<Result<SlotTemplate, Why>> = Vec::new();
    for index in 0..slots.len() {
        let template = slot_template(&facts, &slots, index, &learned);
        learned.push(template);
    }
    let is_useful = |slot: &Slot| slot.requests.iter().any(|(sample, at)| facts[*sample].requests[*at].is_useful);
    let useful: Vec<bool> = slots.iter().map(is_useful).collect();
    let rejection = |((slot, result), useful): ((&Slot, &Result<SlotTemplate, Why>), &bool)| {
        result.as_ref().err().filter(|_| *useful).map(|why| (slot.name.clone(), why.clone()))
    };
    let rejected = slots.iter().zip(&learned).zip(&useful).filter_map(rejection).collect();
    let (headers, link_fields) = (common_headers(samples), link_fields(samples));
    LearnedReplay { template: ReplayTemplate { headers, link_fields, ..keep_needed(learned, &useful) }, rejected }
}

/// Learns one slot, given those before it.
fn slot_template(
    facts: &[PageFacts<'_>],
    slots: &[Slot],
    index: usize,
    learned: &[Result<SlotTemplate, Why>],
) -> Result<SlotTemplate, Why> {
    let slot = &slots[index];
    let (sample, request) = slot.requests[0];
    match facts[sample].requests[request].kind {
        SampleKind::Get | SampleKind::Link => {}
        SampleKind::Post => return Err(Why::Post),
        SampleKind::Socket => return Err(Why::Socket),
    }
    if slot.samples() < WHOLE_SAMPLES_MIN {
        return Err(Why::TooFewSamples(slot.samples()));
    }
    let mut found = plans(Start { facts, slot, after: None }, None);
    let may_start = |at: &usize| learned[*at].as_ref().is_ok_and(|slot| !slot.is_link);
    let earlier = (0..index).rev().filter(may_start).take(STARTS_MAX);
    for at in earlier {
        if found.is_ok() {
            break;
        }
        // The reason that is reported is that of the start by the page.
        found = plans(Start { facts, slot, after: Some(&slots[at]) }, Some(at)).or(found);
    }
    let mut plans = found?;
    for plan in plans.iter_mut().filter(|_| !slot.is_link(facts)) {
        let earlier = (0..index).rev().filter(may_start).take(STARTS_MAX).map(|at| (at, &slots[at]));
        if let Some(at) = continued_slot(facts, slot, earlier, plan) {
            (plan.start, plan.continues) = (Some(at), true);
        }
    }
    let is_useful = slot.requests.iter().any(|(sample, at)| facts[*sample].requests[*at].is_useful);
    let volatile_keys = volatile_keys(facts, slot, &plans);
    let is_link = slot.is_link(facts);
    Ok(SlotTemplate { name: slot.name.clone(), is_useful, is_link, volatile_keys, plans })
}

/// Returns the keys that a plan leaves out, or that only some requests have.
fn volatile_keys(facts: &[PageFacts<'_>], slot: &Slot, plans: &[RequestPlan]) -> Vec<String> {
    let requests = || slot.requests.iter().map(|(sample, at)| &facts[*sample].requests[*at]);
    let keys = |plan: &RequestPlan| match &plan.url {
        UrlPlan::Parts { query, .. } => {
            query.iter().filter(|(_, part)| part.is_volatile()).map(|(key, _)| key.clone()).collect()
        }
        UrlPlan::Whole { .. } => Vec::new(),
    };
    let mut volatile: Vec<String> = plans.iter().flat_map(keys).collect();
    for key in requests().flat_map(|request| request.parts.query.iter().map(|(key, _)| key)) {
        let column = Column::Value(key.clone(), 0);
        if requests().any(|request| column.value(request).is_none()) {
            volatile.push(key.clone());
        }
    }
    volatile.sort();
    volatile.dedup();
    volatile
}

/// Keeps the useful slots and those that start them.
fn keep_needed(learned: Vec<Result<SlotTemplate, Why>>, useful: &[bool]) -> ReplayTemplate {
    let mut needed: Vec<bool> = useful.to_vec();
    for (index, result) in learned.iter().enumerate().rev() {
        let Ok(slot) = result else {
            needed[index] = false;
            continue;
        };
        if needed[index] {
            slot.plans.iter().filter_map(|plan| plan.start).for_each(|start| needed[start] = true);
        }
    }
    let new_index = |old: usize| needed[..old].iter().filter(|needed| **needed).count();
    let mut slots = Vec::new();
    for (index, result) in learned.into_iter().enumerate() {
        let Ok(mut slot) = result else { continue };
        if needed[index] {
            slot.plans.iter_mut().for_each(|plan| plan.start = plan.start.map(new_index));
            slots.push(slot);
        }
    }
    ReplayTemplate { version: REPLAY_VERSION, slots, headers: Vec::new(), link_fields: Vec::new() }
}

/// Returns the fields whose URLs some sample shows as links, sorted.
fn link_fields(samples: &[Sample]) -> Vec<String> {
    let requests = samples.iter().flat_map(|sample| &sample.requests);
    let fields: BTreeSet<&String> = requests.flat_map(|request| &request.link_fields).collect();
    fields.into_iter().cloned().collect()
}

/// Returns the headers of these names that all useful requests have with the same value.
fn common_headers(samples: &[Sample]) -> Vec<(String, String)> {
    let requests = || samples.iter().flat_map(|sample| &sample.requests);
    let mut useful = requests().filter(|request| request.is_useful && request.kind == SampleKind::Get);
    let Some(first) = useful.next() else { return Vec::new() };
    let value = |request: &SampleRequest, name: &str| {
        request.headers.iter().find(|(known, _)| known.eq_ignore_ascii_case(name)).map(|(_, value)| value.clone())
    };
    let wanted = HEADERS.map(|name| (name, value(first, name)));
    let others: Vec<&SampleRequest> = useful.collect();
    let is_common = |(name, text): &(&str, Option<String>)| others.iter().all(|other| value(other, name) == *text);
    wanted.into_iter().filter(is_common).filter_map(|(name, text)| Some((name.to_owned(), text?))).collect()
}
