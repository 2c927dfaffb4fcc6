//! Groups the requests of different pages into slots: the same kind of request on each page.

use std::collections::{BTreeMap, BTreeSet};

use super::facts::PageFacts;
use super::make_url::stable_keys;
use super::sample::SampleKind;
use super::url_parts::UrlParts;

/// Maximum number of slots that are learned; those that appear later on their pages are ignored.
const SLOTS_MAX: usize = 64;
/// Minimum number of samples that have a segment for it to name a slot.
const FIXED_SAMPLES_MIN: usize = 2;

/// Requests of the same kind.
#[derive(Debug)]
pub(super) struct Slot {
    /// Origin, path and keys, with `*` for segments that may differ.
    pub name: String,
    /// Indexes of samples and of requests in them, in order.
    pub requests: Vec<(usize, usize)>,
}

impl Slot {
    /// Returns whether its URLs are links of pages, not requests.
    pub fn is_link(&self, facts: &[PageFacts<'_>]) -> bool {
        self.requests.first().is_some_and(|(sample, at)| facts[*sample].requests[*at].kind == SampleKind::Link)
    }

    /// Returns the number of samples that use it.
    pub fn samples(&self) -> usize {
        self.requests.iter().map(|(sample, _)| sample).collect::<BTreeSet<_>>().len()
    }
}

/// Groups requests by origin, path shape, query keys and kind. Returns the slots in the order in which they first
/// appear.
///
/// A segment belongs to the shape if several samples have it there and the URLs of their pages do not: then `posts`
/// and `users` are two slots, but the names of two forums are one. Segments with digits never belong to it, except
/// versions (`v2`).
pub(super) fn slots(facts: &[PageFacts<'_>]) -> Vec<Slot> {
    let fixed = fixed_segments(facts);
    let mut slots: BTreeMap<String, Slot> = BTreeMap::new();
    for (sample, page) in facts.iter().enumerate() {
        for (index, request) in page.requests.iter().enumerate() {
            let name = name(&request.parts, request.kind, |place| fixed.contains(&place));
            let slot = slots.entry(name.clone()).or_insert(Slot { name, requests: Vec::new() });
            slot.requests.push((sample, index));
        }
    }
    let mut slots: Vec<Slot> = slots.into_values().collect();
    slots.sort_by_key(|slot| slot.requests.iter().map(|(_, request)| *request).min());
    slots.truncate(SLOTS_MAX);
    slots
}

/// Number of segments, index and text of a segment.
type SegmentPlace<'f> = (usize, usize, &'f str);

fn fixed_segments<'f>(facts: &'f [PageFacts<'_>]) -> BTreeSet<SegmentPlace<'f>> {
    let mut samples: BTreeMap<SegmentPlace<'f>, BTreeSet<usize>> = BTreeMap::new();
    for (sample, page) in facts.iter().enumerate() {
        for parts in page.requests.iter().map(|request| &request.parts) {
            for (index, segment) in parts.segments.iter().enumerate() {
                samples.entry((parts.segments.len(), index, segment)).or_default().insert(sample);
            }
        }
    }
    let is_fixed = |(place, samples): &(SegmentPlace<'f>, BTreeSet<usize>)| {
        let is_in_page = |sample: &usize| facts[*sample].url.path().split('/').any(|segment| segment == place.2);
        samples.len() >= FIXED_SAMPLES_MIN && is_name(place.2) && !samples.iter().all(is_in_page)
    };
    samples.into_iter().filter(is_fixed).map(|(place, _)| place).collect()
}

/// Returns whether a segment may be a name that all pages share.
fn is_name(segment: &str) -> bool {
    let is_version = segment.len() <= 3 && segment.starts_with('v');
    is_version || !segment.bytes().any(|byte| byte.is_ascii_digit())
}

fn name<'f>(parts: &'f UrlParts, kind: SampleKind, is_fixed: impl Fn(SegmentPlace<'f>) -> bool) -> String {
    let mut name = match kind {
        SampleKind::Get => parts.origin.clone(),
        SampleKind::Link => format!("link {}", parts.origin),
        SampleKind::Post => format!("POST {}", parts.origin),
        SampleKind::Socket => format!("socket {}", parts.origin),
    };
    for (index, segment) in parts.segments.iter().enumerate() {
        name.push('/');
        name.push_str(if is_fixed((parts.segments.len(), index, segment)) { segment } else { "*" });
    }
    for (index, key) in stable_keys(parts).iter().enumerate() {
        name.push(if index == 0 { '?' } else { '&' });
        name.push_str(key);
    }
    name
}
