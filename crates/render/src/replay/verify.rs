//! Compares the requests that a template makes with those that a browser made.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;

use url::Url;

use super::compose::compose;
use super::make_url::without_volatile;
use super::run::{Replay, ReplayLimits};
use super::sample::{SAMPLE_REQUESTS_MAX, SAMPLES_MAX, Sample, SampleRequest};
use super::template::{ReplayTemplate, UrlPlan};

/// Maximum number of changes that [`settle`] tries, each of which costs a verification.
const CHANGES_MAX: usize = 64;

/// How the requests of a template compare with those of the browser.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Verification {
    /// Number of useful requests of the browser.
    pub useful: usize,
    /// Number of them whose URL the template makes, apart from volatile parameters.
    pub found: usize,
    /// Number of requests that the template makes.
    pub requests: usize,
}

impl Verification {
    /// Returns the share of useful requests that the template makes; 0 if the browser made none, which verifies
    /// nothing.
    pub fn share(&self) -> f64 {
        self.found as f64 / self.useful.max(1) as f64
    }
}

/// Returns how the requests of a template compare with those of samples that were not learned from. Answers are those
/// of the samples; a request that the browser did not make has none. It reads up to [`SAMPLES_MAX`] samples.
pub fn verify(template: &ReplayTemplate, held_out: &[Sample]) -> Verification {
    let template = Arc::new(template.clone());
    let mut all = Verification::default();
    for sample in held_out.iter().take(SAMPLES_MAX) {
        let of_sample = verify_one(&template, sample);
        all.useful += of_sample.useful;
        all.found += of_sample.found;
        all.requests += of_sample.requests;
    }
    all
}

/// The requests and links that a template makes for a sample, and the answers that the sample has for them.
struct Played<'s> {
    replay: Replay,
    /// Keys of the URLs.
    made: BTreeSet<String>,
    answers: Vec<&'s [u8]>,
    volatile_keys: Vec<String>,
}

fn play<'s>(template: &Arc<ReplayTemplate>, sample: &'s Sample) -> Played<'s> {
    let volatile_keys: Vec<String> = template.slots.iter().flat_map(|slot| slot.volatile_keys.clone()).collect();
    let key_of = |url: &Url| without_volatile(url, &volatile_keys);
    let known: BTreeMap<String, &[u8]> =
        requests(sample).map(|request| (key_of(&request.url), request.body.as_slice())).collect();
    let (mut replay, first) =
        Replay::first(Arc::clone(template), &sample.page_url, &sample.html, ReplayLimits::default());
    let (mut queue, mut made, mut answers) = (VecDeque::from(first), BTreeSet::new(), Vec::new());
    while let Some(url) = queue.pop_front() {
        let key = key_of(&url);
        if let Some(body) = known.get(&key) {
            queue.extend(replay.next(&url, body));
            answers.push(*body);
        }
        made.insert(key);
    }
    made.extend(replay.links().iter().map(|(_, link)| key_of(link)));
    Played { replay, made, answers, volatile_keys }
}

fn requests(sample: &Sample) -> impl Iterator<Item = &SampleRequest> {
    sample.requests.iter().take(SAMPLE_REQUESTS_MAX)
}

fn verify_one(template: &Arc<ReplayTemplate>, sample: &Sample) -> Verification {
    let played = play(template, sample);
    let useful = requests(sample).filter(|request| request.is_useful);
    let useful: BTreeSet<String> =
        useful.map(|request| without_volatile(&request.url, &played.volatile_keys)).collect();
    let found = useful.iter().filter(|key| played.made.contains(*key)).count();
    Verification { useful: useful.len(), found, requests: played.replay.requests() }
}

/// Returns the page of a sample with what the requests of a template bring of its answers: what a replay would make of
/// it.
pub fn predicted_page(template: &Arc<ReplayTemplate>, sample: &Sample) -> String {
    let played = play(template, sample);
    compose(&sample.html, &played.answers, played.replay.links(), &template.link_fields)
}

/// Returns the template with other plans and sources first if they make more of the useful requests of further
/// samples. Of several explanations that fit all samples learned from, one may be there by chance.
pub fn settle(template: &ReplayTemplate, samples: &[Sample]) -> ReplayTemplate {
    let (mut best, mut found) = (template.clone(), verify(template, samples));
    for change in changes(template).into_iter().take(CHANGES_MAX) {
        if found.found == found.useful {
            break;
        }
        let mut changed = best.clone();
        change.apply(&mut changed);
        let verification = verify(&changed, samples);
        if verification.found > found.found {
            (best, found) = (changed, verification);
        }
    }
    best
}

/// A change of the order of preference.
#[derive(Debug, Clone, Copy)]
struct Change {
    slot: usize,
    /// Index of the list of sources in the slot's first plan; `None` changes the order of plans.
    list: Option<usize>,
    /// Number of places by which the list is rotated.
    by: usize,
}

fn changes(template: &ReplayTemplate) -> Vec<Change> {
    let mut changes = Vec::new();
    for (slot, known) in template.slots.iter().enumerate() {
        changes.extend((1..known.plans.len()).map(|by| Change { slot, list: None, by }));
        let mut plans = known.plans.clone();
        let lists = plans.first_mut().map(|plan| plan.url.source_lists()).unwrap_or_default();
        for (list, sources) in lists.iter().enumerate() {
            changes.extend((1..sources.len()).map(|by| Change { slot, list: Some(list), by }));
        }
    }
    changes
}

impl Change {
    fn apply(self, template: &mut ReplayTemplate) {
        let Some(slot) = template.slots.get_mut(self.slot) else { return };
        match (self.list, slot.plans.first_mut()) {
            (None, _) => rotate(&mut slot.plans, self.by),
            (Some(list), Some(plan)) => {
                // Another plan may have come first.
                if let Some(sources) = plan.url.source_lists().into_iter().nth(list) {
                    rotate(sources, self.by);
                }
            }
            (Some(_), None) => {}
        }
    }
}

fn rotate<T>(list: &mut [T], by: usize) {
    list.rotate_left(by.min(list.len()));
}

impl UrlPlan {
    /// Returns all lists of sources.
    fn source_lists(&mut self) -> Vec<&mut Vec<super::source::PartSource>> {
        match self {
            Self::Whole { sources, .. } => vec![sources],
            Self::Parts { origin, segments, query } => {
                let parts = Some(origin).into_iter().chain(segments).chain(query.iter_mut().map(|(_, part)| part));
                parts.flat_map(|part| part.pieces.iter_mut().map(|piece| &mut piece.sources)).collect()
            }
        }
    }
}
