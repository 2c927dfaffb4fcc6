//! Learns which values of a place start no request: those whose item says that there is nothing.

use std::collections::BTreeSet;

use super::column::Column;
use super::extract::decode;
use super::facts::PageFacts;
use super::places::{Places, ValuePlace};
use super::slots::Slot;
use super::template::{Fan, FanCondition};

/// Values of fields that say that there is nothing.
const NOTHING: [&str; 4] = ["0", "false", "", "null"];
/// Share of the values without a request that the condition must rule out: a browser may have been stopped before it
/// made all.
const RULED_OUT_MIN: f64 = 0.5;

/// Returns the field beside the values of a fan that says which of them start no request; `None` if no field does.
pub(super) fn fan_condition(
    facts: &[PageFacts<'_>],
    slot: &Slot,
    after: Option<&Slot>,
    fan: &Fan,
    column: &Column,
) -> Option<FanCondition> {
    let lists = lists(facts, slot, after, fan, column);
    let (list, _) = fan.place.field.rsplit_once('.')?;
    let siblings = |places: &Places| -> Vec<ValuePlace> {
        let is_sibling =
            |place: &ValuePlace| place.field.rsplit_once('.').is_some_and(|(of, _)| of == list) && *place != fan.place;
        places.iter().map(|(place, _)| place).filter(|place| is_sibling(place)).cloned().collect()
    };
    let candidates: BTreeSet<ValuePlace> = lists.iter().flat_map(|(places, _)| siblings(places)).collect();
    let conditions = candidates.into_iter().flat_map(|place| {
        NOTHING.into_iter().map(move |value| FanCondition { place: place.clone(), is_not: value.to_owned() })
    });
    let counted = conditions.filter_map(|condition| Some((ruled_out(&lists, fan, &condition)?, condition)));
    let best = counted.max_by(|(a, _), (b, _)| a.total_cmp(b))?;
    (best.0 >= RULED_OUT_MIN).then_some(best.1)
}

/// Returns the pages or answers that hold the values of a fan, and which of these were requested.
fn lists<'f>(
    facts: &'f [PageFacts<'_>],
    slot: &Slot,
    after: Option<&Slot>,
    fan: &Fan,
    column: &Column,
) -> Vec<(&'f Places, Vec<bool>)> {
    let mut lists = Vec::new();
    for (sample, page) in facts.iter().enumerate() {
        let requests = slot.requests.iter().filter(|(of, _)| *of == sample);
        let wanted: BTreeSet<String> =
            requests.filter_map(|(_, at)| column.value(&page.requests[*at])).map(decode).collect();
        let of_sample = after.map(|slot| slot.requests.iter().filter(|(of, _)| *of == sample));
        let places: Vec<&Places> = match of_sample {
            Some(answers) => answers.map(|(_, at)| page.requests[*at].answer()).collect(),
            None => vec![&page.places],
        };
        for places in places {
            let values = places.at(&fan.place).iter();
            let is_wanted =
                |value: &String| fan.extract.apply(value).is_some_and(|text| wanted.contains(&decode(text)));
            lists.push((places, values.map(is_wanted).collect()));
        }
    }
    lists
}

/// Returns the share of the values without a request that a condition rules out; `None` if it rules out one with a
/// request, or none without.
fn ruled_out(lists: &[(&Places, Vec<bool>)], fan: &Fan, condition: &FanCondition) -> Option<f64> {
    let (mut unwanted, mut ruled_out) = (0, 0);
    for (places, wanted) in lists {
        for (at, is_wanted) in wanted.iter().enumerate() {
            let holds = condition.holds(places, fan, at);
            if *is_wanted && !holds {
                return None;
            }
            unwanted += u32::from(!is_wanted);
            ruled_out += u32::from(!is_wanted && !holds);
        }
    }
    (ruled_out > 0).then(|| f64::from(ruled_out) / f64::from(unwanted))
}

impl FanCondition {
    /// Returns whether the value of the fan with this index starts a request. Where the fields do not belong to each
    /// other, it does.
    pub(super) fn holds(&self, places: &Places, fan: &Fan, at: usize) -> bool {
        let beside = places.at(&self.place);
        beside.len() != places.at(&fan.place).len() || beside.get(at).is_none_or(|value| *value != self.is_not)
    }
}
