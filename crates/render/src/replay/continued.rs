//! Learns which requests continue those of another kind: where the answers to these say that there is no more, a page
//! does not make them.

use super::facts::PageFacts;
use super::slots::Slot;
use super::template::{RequestPlan, StopRule};

/// Minimum number of samples that continue.
const SAMPLES_MIN: usize = 3;

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
