//! URL patterns: what URLs of one type have in common.
//!
//! Input: URLs, each once. Output: an immutable [`UrlPatterns`] that maps any URL to a [`UrlPattern`]. In its path,
//! numbers become `N`, slugs `S`, and names that are only instances of something `*`; of its query the names of the
//! parameters remain, and at the finer resolution the values that many URLs share.
//!
//! One URL does not show which names are instances: `/tag/music/` and `/user/settings/` look alike. It is decided by
//! counting. A name is kept if it has few siblings, or if it leads to far more URLs than its siblings usually do. A
//! member whose tabs were seen leads to more than others: a name with many siblings is not kept if some of these have
//! the same names below. Names that several instances have below them are kept there: `/user/bob/posts/`.

use std::collections::hash_map::Entry;
use std::collections::{BTreeSet, HashMap, HashSet};

use foldhash::fast::FixedState;
use serde::{Serialize, Serializer};

use super::url_parts::{Segment, after_authority, each_segment, parameters, value_token};
use harvestman_core::model::path_hash::{fold_run, step};
use harvestman_core::model::{PatternId, UrlPattern};

/// Maximum number of siblings with which any name is kept.
const SIBLINGS_FEW: usize = 8;
/// With more siblings, a name is kept if it leads to this many times as many URLs as the median sibling.
const STANDS_OUT: u32 = 4;
/// Names and values on fewer URLs are never kept.
const SUPPORT: u32 = 4;
/// A value is kept if at least this share of the URLs with its parameter has it.
const VALUE_SHARE: f64 = 0.05;
/// Maximum number of names and values that are counted; later ones are counted only if they are known.
const COUNTED_MAX: usize = 200_000;

/// Counts the parts of URLs.
#[derive(Debug, Clone, Default)]
pub struct UrlPatternLearner {
    /// Path above → name → URLs.
    pub(super) names: HashMap<u64, HashMap<u64, u32>>,
    names_counted: usize,
    /// Path above → the words of titles and identifiers there: one for each extension.
    pub(super) titles: HashMap<u64, BTreeSet<u64>>,
    /// Path and parameter → URLs; and → value → URLs.
    parameters: HashMap<u64, u32>,
    values: HashMap<(u64, u64), u32>,
}

impl UrlPatternLearner {
    /// Counts a canonical URL, which should be passed only once.
    pub fn see(&mut self, url: &str) {
        let (path, query) = after_authority(url);
        let (mut above, mut wild) = (0, 0);
        each_segment(path, |segment| {
            let word = segment.word();
            let is_name = segment.is_name();
            if is_name {
                self.count_name(above, word);
            } else if segment.is_instance() {
                self.note_title(above, word);
            }
            above = step(above, word);
            wild = step(wild, if is_name || segment.is_instance() { ANY } else { word });
        });
        for (name, value) in parameters(query) {
            let parameter = step(wild, hash(name));
            if self.parameters.len() < COUNTED_MAX || self.parameters.contains_key(&parameter) {
                *self.parameters.entry(parameter).or_default() += 1;
            }
            if let Some(value) = value_token(value) {
                let key = (parameter, hash(value));
                if self.values.len() < COUNTED_MAX || self.values.contains_key(&key) {
                    *self.values.entry(key).or_default() += 1;
                }
            }
        }
    }

    fn count_name(&mut self, above: u64, name: u64) {
        let room = self.names_counted < COUNTED_MAX;
        match self.names.entry(above).or_default().entry(name) {
            Entry::Occupied(mut count) => *count.get_mut() += 1,
            Entry::Vacant(free) if room => {
                free.insert(1);
                self.names_counted += 1;
            }
            Entry::Vacant(_) => {}
        }
    }

    fn note_title(&mut self, above: u64, word: u64) {
        if self.titles.len() < COUNTED_MAX || self.titles.contains_key(&above) {
            let words = self.titles.entry(above).or_default();
            if words.len() < SIBLINGS_FEW {
                words.insert(word);
            }
        }
    }

    /// Returns the patterns from the counts so far.
    pub fn patterns(&self) -> UrlPatterns {
        let below = self.names_below();
        let mut items = self.items(&below);
        let mut names = Hashed::default();
        for (above, siblings) in &self.names {
            let median = median(siblings);
            let is_of_item = |name: u64| siblings.len() > SIBLINGS_FEW && items.contains(&name);
            let kept = siblings.iter().filter(|(_, count)| is_kept(**count, siblings.len(), median));
            names.extend(kept.map(|(name, _)| step(*above, *name)).filter(|name| !is_of_item(*name)));
        }
        for (above, below) in &below {
            names.extend(below.shared().map(|name| step(step(*above, ANY), name)));
        }
        let shared = |&(&(parameter, _), &count): &(&(u64, u64), &u32)| {
            let all = self.parameters.get(&parameter).copied().unwrap_or(0);
            count >= SUPPORT && f64::from(count) >= VALUE_SHARE * f64::from(all)
        };
        let values =
            self.values.iter().filter(shared).map(|((parameter, value), _)| step(*parameter, *value)).collect();
        // Names that are not kept are instances anyway.
        items.retain(|item| names.contains(item));
        UrlPatterns { names: Some(names), values, items }
    }
}

/// Returns the median of the numbers of URLs that the names lead to.
fn median(names: &HashMap<u64, u32>) -> u32 {
    let mut counts: Vec<u32> = names.values().copied().collect();
    counts.sort_unstable();
    counts.get(counts.len() / 2).copied().unwrap_or(0)
}

/// Whether a name with `count` URLs is kept that has `siblings` siblings, itself included.
fn is_kept(count: u32, siblings: usize, median: u32) -> bool {
    count >= SUPPORT && (siblings <= SIBLINGS_FEW || count >= STANDS_OUT.saturating_mul(median))
}

/// Maps URLs to their patterns. The default keeps every name and no value, as before anything is counted.
#[derive(Debug, Clone, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct UrlPatterns {
    /// Names that are kept, with the path above; `None` means all.
    #[serde(serialize_with = "sorted_names")]
    names: Option<Hashed>,
    /// Values that are kept, with their path and parameter.
    #[serde(serialize_with = "sorted")]
    pub(super) values: Hashed,
    /// Kept names that are those of items ([`UrlPatterns::kind`]), with the path above.
    #[serde(default, serialize_with = "sorted")]
    items: Hashed,
}

type Hashed = HashSet<u64, FixedState>;

/// Serializes in a fixed order, so that the same patterns always have the same stored form.
fn sorted<S: Serializer>(kept: &Hashed, to: S) -> Result<S::Ok, S::Error> {
    kept.iter().collect::<BTreeSet<_>>().serialize(to)
}

fn sorted_names<S: Serializer>(kept: &Option<Hashed>, to: S) -> Result<S::Ok, S::Error> {
    kept.as_ref().map(|kept| kept.iter().collect::<BTreeSet<_>>()).serialize(to)
}

impl UrlPatterns {
    /// Returns the pattern of a canonical URL. Does not allocate.
    pub fn of(&self, url: &str) -> UrlPattern {
        let mut sink = Hashes::default();
        self.walk(url, &mut sink);
        UrlPattern {
            coarse: PatternId::new(sink.path.wrapping_add(sink.names), sink.parameters),
            fine: PatternId::new(sink.path.wrapping_add(sink.values), sink.parameters),
        }
    }

    /// Returns the spelling of the finer pattern, such as `/topic/N/S/?page=*`.
    pub fn spell(&self, url: &str) -> String {
        let mut sink = Spelling::default();
        self.walk(url, &mut sink);
        sink.0
    }

    /// Returns the pattern of the URL's path alone.
    pub fn of_path(&self, url: &str) -> PatternId {
        self.of(url.split('?').next().unwrap_or_default()).coarse
    }

    pub(super) fn walk(&self, url: &str, sink: &mut impl Sink) {
        let (path, query) = after_authority(url);
        let mut place = Place::default();
        each_segment(path, |segment| {
            let word = segment.word();
            let is_kept = self.keeps(segment, word, &mut place);
            sink.segment(segment, is_kept.then_some(word));
        });
        // Parameters may come in any order: canonical URLs may or may not have them sorted.
        for (name, value) in parameters(query) {
            let name = HashedText::of(name);
            let parameter = step(place.wild, name.hash);
            let value = value_token(value).map(HashedText::of);
            let kept = value.filter(|value| self.values.contains(&step(parameter, value.hash)));
            sink.parameter(name, kept);
        }
    }

    /// Whether the next segment of a path, with its word, is kept.
    pub(super) fn keeps(&self, segment: Segment<'_>, word: u64, place: &mut Place) -> bool {
        let below = step(place.above, word);
        let known = |name: u64| self.names.as_ref().is_none_or(|names| names.contains(&name));
        let is_name = segment.is_name();
        place.is_tab = is_name && place.above_instance.is_some_and(|above| known(step(above, word)));
        let is_kept = !is_name || place.is_tab || known(below);
        let is_instance = segment.is_instance() || !is_kept || self.is_item(below);
        place.above_instance = is_instance.then(|| step(place.above, ANY));
        place.above = below;
        place.wild = step(place.wild, if is_name || segment.is_instance() { ANY } else { word });
        is_kept
    }

    pub(super) fn is_item(&self, name: u64) -> bool {
        self.items.contains(&name)
    }
}

/// Where in a path a segment is.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Place {
    /// The path down to here.
    pub above: u64,
    /// The same with all names and instances alike.
    pub wild: u64,
    /// The same with any name in place of the last segment, if that is an instance of something.
    above_instance: Option<u64>,
    /// Whether the last segment is a name that several instances have below them.
    pub is_tab: bool,
}

/// The name or the value of a parameter, with its hash.
#[derive(Debug, Clone, Copy)]
pub(super) struct HashedText<'u> {
    pub text: &'u str,
    pub hash: u64,
}

impl<'u> HashedText<'u> {
    fn of(text: &'u str) -> Self {
        Self { text, hash: hash(text) }
    }
}

pub(super) trait Sink {
    /// Adds a segment, with its word if it is kept.
    fn segment(&mut self, segment: Segment<'_>, kept: Option<u64>);
    /// Adds a parameter and, if that is kept, its value.
    fn parameter(&mut self, name: HashedText<'_>, value: Option<HashedText<'_>>);
}

#[derive(Default)]
struct Hashes {
    path: u64,
    /// Sums, so that the order of parameters does not matter.
    names: u64,
    values: u64,
    parameters: u64,
}

impl Sink for Hashes {
    fn segment(&mut self, _: Segment<'_>, kept: Option<u64>) {
        self.path = step(self.path, kept.unwrap_or(ANY));
    }

    fn parameter(&mut self, name: HashedText<'_>, value: Option<HashedText<'_>>) {
        let name = name.hash | 1;
        self.parameters += 1;
        self.names = self.names.wrapping_add(name);
        self.values = self.values.wrapping_add(value.map_or(name, |value| step(name, value.hash)));
    }
}

#[derive(Default)]
struct Spelling(String);

impl Sink for Spelling {
    fn segment(&mut self, segment: Segment<'_>, kept: Option<u64>) {
        self.0.push('/');
        self.0.push_str(&if kept.is_some() { segment.spell() } else { "*".into() });
    }

    fn parameter(&mut self, name: HashedText<'_>, value: Option<HashedText<'_>>) {
        self.0.push(if self.0.contains('?') { '&' } else { '?' });
        self.0.push_str(name.text);
        self.0.push('=');
        self.0.push_str(value.map_or("*", |value| value.text));
    }
}

/// The word of a name that is not kept.
pub(super) const ANY: u64 = 0x2a;

pub(super) fn hash(text: &str) -> u64 {
    fold_run(text.as_bytes())
}

#[cfg(test)]
#[path = "url_pattern_tests.rs"]
mod tests;
