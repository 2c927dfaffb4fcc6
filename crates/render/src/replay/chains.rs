//! Arranges the requests of a slot in chains: by page, by the answer that may have started them, or by one of its
//! columns.

use std::collections::BTreeMap;

use url::Url;

use super::column::Column;
use super::extract::{Encoding, Extract, decode};
use super::facts::{Chain, PageFacts};
use super::fan_condition::fan_condition;
use super::make_url::{resolve, without_volatile};
use super::places::{Places, ValuePlace};
use super::slots::Slot;
use super::template::{Fan, UrlShape};

/// Maximum number of places that are tried as a fan for a column.
const FANS_MAX: usize = 8;
/// Share of requested values that counts for a place with a condition.
const CONDITIONAL_SHARE: f64 = 0.95;
/// Minimum share of the URLs of a place that were requested, for the place to be the source of whole URLs.
const WHOLE_SHARE_MIN: f64 = 0.5;

/// What may start the chains of a slot.
#[derive(Clone, Copy)]
pub(super) struct Start<'f> {
    pub facts: &'f [PageFacts<'f>],
    pub slot: &'f Slot,
    /// An earlier slot whose answers start the chains; `None` if the page does.
    pub after: Option<&'f Slot>,
}

impl<'f> Start<'f> {
    /// Returns the earlier requests whose answers may have started a request, the latest first.
    fn starters(&self, sample: usize, request: usize) -> impl Iterator<Item = usize> {
        let earlier = self.after.map_or(&[][..], |slot| &slot.requests).iter().rev();
        earlier.filter(move |(of, at)| *of == sample && *at < request).map(|(_, at)| *at)
    }

    /// Returns one chain for each sample; `None` if one has no answer that starts it.
    pub fn one_each(&self) -> Option<Vec<Chain>> {
        let mut samples: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        self.slot.requests.iter().for_each(|(sample, request)| samples.entry(*sample).or_default().push(*request));
        let chain = |(sample, requests): (usize, Vec<usize>)| {
            let started_by = self.starters(sample, requests[0]).next();
            (started_by.is_some() || self.after.is_none()).then_some(Chain { sample, requests, started_by, each: None })
        };
        samples.into_iter().map(chain).collect()
    }

    /// Returns a chain for each value of a place; `None` if the values of a column do not come from there.
    pub fn fanned(&self, fan: &Fan, column: &Column) -> Option<Vec<Chain>> {
        let mut chains: BTreeMap<(usize, String), Chain> = BTreeMap::new();
        for (sample, request) in &self.slot.requests {
            let (started_by, each) = self.origin_of(*sample, *request, fan, column)?;
            let empty = Chain { sample: *sample, requests: Vec::new(), started_by, each: Some(each.clone()) };
            chains.entry((*sample, each)).or_insert(empty).requests.push(*request);
        }
        Some(chains.into_values().collect())
    }

    fn origin_of(&self, sample: usize, request: usize, fan: &Fan, column: &Column) -> Option<(Option<usize>, String)> {
        let page = &self.facts[sample];
        let wanted = column.value(&page.requests[request])?;
        let mut known: Vec<(Option<usize>, &Places)> = vec![(None, &page.places)];
        if self.after.is_some() {
            known = self.starters(sample, request).map(|at| (Some(at), page.requests[at].answer())).collect();
        }
        let is_wanted = |text: &&str| match column {
            Column::Whole => is_same_url(&page.url, text, &page.requests[request].url),
            _ => decode(text) == decode(wanted) && Encoding::ALL.iter().any(|encoding| encoding.write(text) == wanted),
        };
        known.into_iter().find_map(|(at, places)| {
            let mut texts = places.at(&fan.place).iter().filter_map(|value| fan.extract.apply(value));
            texts.find(is_wanted).map(|text| (at, text.to_owned()))
        })
    }

    /// Returns the places that may be fans for a column, those with the fewest values that were not requested first.
    pub fn fans(&self, column: &Column, shape: &UrlShape) -> Vec<Fan> {
        let Some((sample, request)) = self.slot.requests.first().copied() else { return Vec::new() };
        let page = &self.facts[sample];
        let starter = self.starters(sample, request).next().map(|at| page.requests[at].answer());
        let places = if self.after.is_some() { starter } else { Some(&page.places) };
        let (Some(places), Some(value)) = (places, column.value(&page.requests[request])) else { return Vec::new() };
        let fans: Vec<Fan> = match column {
            Column::Whole => whole_fans(places, &page.url, &page.requests[request].url),
            _ => {
                let fan = |(place, extract): (&ValuePlace, &Extract)| Fan {
                    place: place.clone(),
                    extract: extract.clone(),
                    condition: None,
                };
                places.origins_of(&decode(value)).map(fan).collect()
            }
        };
        let counted = fans.into_iter().map(|fan| (self.share_used(&fan, column, shape), fan));
        let mut counted: Vec<(f64, Fan)> = counted.filter(|(share, _)| *share > 0.0).collect();
        for (share, fan) in counted.iter_mut().filter(|(share, _)| *share < 1.0) {
            fan.condition = fan_condition(self.facts, self.slot, self.after, fan, column);
            // Nearly as good as a place all of whose values are requested.
            *share = if fan.condition.is_some() { share.max(CONDITIONAL_SHARE) } else { *share };
        }
        counted.sort_by(|(a, _), (b, _)| b.total_cmp(a));
        counted.into_iter().map(|(_, fan)| fan).take(FANS_MAX).collect()
    }

    /// Returns the share of the values of a place, in all samples, that were requested. For whole URLs it is 0 below
    /// the minimum, as each of the others costs a request.
    fn share_used(&self, fan: &Fan, column: &Column, shape: &UrlShape) -> f64 {
        let (mut values, mut used) = (0, std::collections::BTreeSet::new());
        for (sample, page) in self.facts.iter().enumerate() {
            let requests = || self.slot.requests.iter().filter(|(of, _)| *of == sample);
            let Some((_, first)) = requests().next() else { continue };
            let starter = self.starters(sample, *first).next().map(|at| page.requests[at].answer());
            let Some(places) = (if self.after.is_some() { starter } else { Some(&page.places) }) else { continue };
            let texts = places.at(&fan.place).iter().filter_map(|value| fan.extract.apply(value));
            let fits =
                |text: &&str| *column != Column::Whole || resolve(&page.url, text).is_some_and(|url| shape.fits(&url));
            values += texts.filter(fits).collect::<std::collections::BTreeSet<_>>().len();
            used.extend(requests().filter_map(|(_, at)| column.value(&page.requests[*at])).map(|text| (sample, text)));
        }
        let share = used.len() as f64 / values.max(1) as f64;
        if *column == Column::Whole && share < WHOLE_SHARE_MIN { 0.0 } else { share }
    }
}

/// Returns the places that have a URL as a whole.
pub(super) fn whole_fans(places: &Places, base: &Url, wanted: &Url) -> Vec<Fan> {
    let may_be = |value: &&String| value.contains(['/', '?']) && value.len() > 1;
    let has = |values: &[String]| values.iter().filter(may_be).any(|value| is_same_url(base, value, wanted));
    let fans = places.iter().filter(|(_, values)| has(values));
    fans.map(|(place, _)| Fan { place: place.clone(), extract: Extract::Whole, condition: None })
        .take(FANS_MAX)
        .collect()
}

/// Returns whether a text means a URL on a page, apart from volatile parameters.
pub(super) fn is_same_url(base: &Url, text: &str, wanted: &Url) -> bool {
    // Most texts are ruled out by their end, without resolving them. What `URL` normalises are escapes and dots.
    let end = text.split(['?', '#']).next().unwrap_or(text).rsplit('/').next().unwrap_or(text);
    let is_plain = end.bytes().all(|byte| byte.is_ascii_alphanumeric());
    if is_plain && !wanted.path().ends_with(end) && !end.is_empty() {
        return false;
    }
    resolve(base, text)
        .is_some_and(|url| url == *wanted || without_volatile(&url, &[]) == without_volatile(wanted, &[]))
}
