//! Learns from the answers of chains what says that there is no more, and which requests continue those of another
//! kind: where the answers to these say that there is no more, a page does not make them.

use super::facts::{Chain, PageFacts};
use super::places::{Places, Spot, ValuePlace};
use super::slots::Slot;
use super::template::{RequestPlan, StopRule};

/// Minimum number of samples that continue.
const SAMPLES_MIN: usize = 3;

/// Returns the rule that no answer before the last of its chain meets, and at least half of the last ones. The browser
/// may have been stopped before the end of some chains.
pub(super) fn learn_stop(chains: &[Chain], facts: &[PageFacts<'_>]) -> StopRule {
    let answer = |chain: &Chain, at: usize| facts[chain.sample].requests[chain.requests[at]].answer();
    let last: Vec<&Places> = chains.iter().map(|chain| answer(chain, chain.requests.len() - 1)).collect();
    let earlier = chains.iter().flat_map(|chain| (0..chain.requests.len() - 1).map(move |at| answer(chain, at)));
    let earlier: Vec<&Places> = earlier.collect();
    let Some(example) = earlier.first() else { return StopRule::NothingNew };
    let candidates =
        last.iter().flat_map(|places| places.iter().filter_map(|(place, values)| value_rule(place, values)));
    let shorter = example.iter().filter_map(|(place, values)| shorter_rule(place, values));
    let mut best = (0, StopRule::NothingNew);
    for rule in candidates.chain(shorter) {
        if earlier.iter().any(|places| rule.is_met(places)) {
            continue;
        }
        let met = last.iter().filter(|places| rule.is_met(places)).count();
        if met > best.0 && met * 2 >= last.len() {
            best = (met, rule);
        }
    }
    best.1
}

/// Returns the rule of a flag or of an empty list.
fn value_rule(place: &ValuePlace, values: &[String]) -> Option<StopRule> {
    let value = values.first().filter(|_| !place.field.contains('*'))?;
    let is_stop = match place.spot {
        Spot::Field => matches!(value.as_str(), "true" | "false"),
        Spot::Length => value == "0",
        _ => false,
    };
    is_stop.then(|| StopRule::Value(place.clone(), value.clone()))
}

/// Returns the rule of a list that is shorter than in an answer before the last.
fn shorter_rule(place: &ValuePlace, values: &[String]) -> Option<StopRule> {
    let is_list = place.spot == Spot::Length && !place.field.contains(".*");
    let length = values.first().filter(|_| is_list)?.parse().ok().filter(|length| *length > 1)?;
    Some(StopRule::ShorterThan(place.clone(), length))
}

/// Returns the slot among `earlier` whose answers tell whether a chain that the page starts begins at all: its rule to
/// stop is met by them on the samples without such a chain, and not on the others.
pub(super) fn continued_slot<'s>(
    facts: &[PageFacts<'_>],
    slot: &Slot,
    earlier: impl Iterator<Item = (usize, &'s Slot)>,
    plan: &RequestPlan,
) -> Option<usize> {
    let is_told = plan.start.is_none() && plan.fan.is_none() && plan.stop != StopRule::NothingNew;
    let continues = |(at, other): (usize, &'s Slot)| is_continued(facts, slot, other, &plan.stop).then_some(at);
    earlier.filter(|_| is_told).find_map(continues)
}

fn is_continued(facts: &[PageFacts<'_>], slot: &Slot, other: &Slot, stop: &StopRule) -> bool {
    let mut continued = 0;
    for (sample, page) in facts.iter().enumerate() {
        let of_sample =
            |slot: &Slot| slot.requests.iter().filter(|(of, _)| *of == sample).map(|(_, at)| *at).collect::<Vec<_>>();
        let (own, before) = (of_sample(slot), of_sample(other));
        // Each page that makes any request makes one of the other kind first.
        let [at] = before[..] else {
            if own.is_empty() && before.is_empty() {
                continue;
            }
            return false;
        };
        if own.first().is_some_and(|first| *first < at) || stop.is_met(page.requests[at].answer()) != own.is_empty() {
            return false;
        }
        continued += usize::from(!own.is_empty());
    }
    continued >= SAMPLES_MIN
}

impl StopRule {
    /// Returns whether an answer says that there is no more. [`Self::NothingNew`] is not decided here.
    pub(super) fn is_met(&self, answer: &Places) -> bool {
        match self {
            Self::NothingNew => false,
            Self::Value(place, text) => answer.at(place).first() == Some(text),
            Self::ShorterThan(place, length) => {
                answer.at(place).first().and_then(|text| text.parse::<u64>().ok()).is_some_and(|found| found < *length)
            }
        }
    }
}
