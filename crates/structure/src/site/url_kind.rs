//! The kind of an address, its pattern without the names of items, and its form, its pattern with nested repetitions
//! folded.
//!
//! In a pattern a title (`S`) differs from a short name (`*`), and a name with few siblings is kept. For the question
//! whether two addresses are of one kind neither matters: `/list/news/thread/S/` and `/list/S.org/thread/S/` are, if
//! the lists have the same parts. A kept name is that of an item if most of its URLs are below names that siblings
//! have, too.
//!
//! A site that generates addresses without end nests: a path repeats its own end, a parameter holds an address that
//! holds another. The form retains few enough repetitions for the number of forms to be finite: of a segment three in a
//! row, of a sequence of segments two, of a parameter one; parameters are reduced to their names.

use std::collections::{HashMap, HashSet};

use foldhash::fast::FixedState;
use smallvec::SmallVec;

use super::url_parts::{Segment, after_authority, each_segment, parameters, value_token};
use super::url_pattern::{ANY, HashedText, Place, Sink, UrlPatternLearner, UrlPatterns, hash};
use harvestman_core::model::PatternId;
use harvestman_core::model::path_hash::step;

/// A name below several names is shared if at least this number of them have it, and at least this share of those that
/// have any.
const SHARED_BY_MIN: u32 = 2;
const SHARED_BY: f64 = 0.1;

/// What an address is an instance of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct UrlKind {
    /// The kind of its path.
    pub path: PatternId,
    /// The kind of its path, and the names of its query's parameters.
    pub whole: PatternId,
    /// The values of its parameters that many URLs share and that are words: views, or types of pages.
    pub view: u64,
    /// The kind of its path with every name as that of an item, except for names that several items have below them,
    /// and the names of its parameters: what remains of the path is the number of segments, and which are numbers or
    /// tabs.
    pub shape: PatternId,
}

impl UrlPatterns {
    /// Returns the kind of a canonical URL. The host is not part of it. Does not allocate.
    pub fn kind(&self, url: &str) -> UrlKind {
        let (path, query) = after_authority(url);
        let (mut kind, mut shape) = (0, 0);
        let mut place = Place::default();
        each_segment(path, |segment| {
            let word = segment.word();
            let is_kept = self.keeps(segment, word, &mut place);
            let is_item = match segment {
                Segment::Slug(_) | Segment::Hex(_) => true,
                Segment::Number(_) => false,
                Segment::Prefix(_) | Segment::Name(_) => !is_kept || segment.is_name() && self.is_item(place.above),
            };
            kind = step(kind, if is_item { ANY } else { word });
            let is_of_shape = matches!(segment, Segment::Number(_)) || place.is_tab;
            shape = step(shape, if is_of_shape { word } else { ANY });
        });
        let (mut names, mut view, mut count) = (0_u64, 0_u64, 0);
        for (name, value) in parameters(query) {
            names = names.wrapping_add(hash(name) | 1);
            count += 1;
            let parameter = step(place.wild, hash(name));
            let word = value_token(value).filter(|value| value.bytes().any(|byte| byte.is_ascii_alphabetic()));
            let kept = word.map(|word| step(parameter, hash(word))).filter(|value| self.values.contains(value));
            view = view.wrapping_add(kept.unwrap_or(0));
        }
        UrlKind {
            path: PatternId::new(kind, 0),
            whole: PatternId::new(kind.wrapping_add(names), count),
            view,
            shape: PatternId::new(shape.wrapping_add(names), count),
        }
    }
}

/// The names below the names at one place, and below its titles.
#[derive(Debug, Default)]
pub(super) struct NamesBelow {
    /// How many of the names and titles have names below them.
    above: u32,
    /// How many of them have each of these.
    counts: HashMap<u64, u32, FixedState>,
}

impl NamesBelow {
    /// Returns the names that several have below them.
    pub fn shared(&self) -> impl Iterator<Item = u64> + '_ {
        self.counts.keys().copied().filter(|name| self.is_shared(*name))
    }

    fn is_shared(&self, name: u64) -> bool {
        let count = self.counts.get(&name).copied().unwrap_or(0);
        count >= SHARED_BY_MIN && f64::from(count) >= SHARED_BY * f64::from(self.above)
    }

    /// Returns whether a name with so many URLs, and these names below it, is that of an item: most of its URLs are
    /// below names that siblings have, too.
    fn are_of_item(&self, urls: u32, names: &HashMap<u64, u32>) -> bool {
        let shared = names.iter().filter(|(name, _)| self.is_shared(**name));
        2 * shared.map(|(_, urls)| urls).sum::<u32>() >= urls.max(1)
    }
}

impl UrlPatternLearner {
    /// Returns the names below the names and titles at each place.
    pub(super) fn names_below(&self) -> HashMap<u64, NamesBelow, FixedState> {
        let mut all: HashMap<u64, NamesBelow, FixedState> = HashMap::default();
        for (above, names) in &self.names {
            for children in names.keys().filter_map(|name| self.names.get(&step(*above, *name))) {
                let below = all.entry(*above).or_default();
                below.above += 1;
                children.keys().for_each(|name| *below.counts.entry(*name).or_default() += 1);
            }
        }
        // Titles are not told apart: each URL counts as one of another title.
        for (above, titles) in &self.titles {
            for children in titles.iter().filter_map(|title| self.names.get(&step(*above, *title))) {
                let below = all.entry(*above).or_default();
                below.above += children.values().max().copied().unwrap_or(0);
                children.iter().for_each(|(name, urls)| *below.counts.entry(*name).or_default() += urls);
            }
        }
        all
    }

    /// Returns the names that are those of items, each with the path above.
    pub(super) fn items(&self, below: &HashMap<u64, NamesBelow, FixedState>) -> HashSet<u64, FixedState> {
        let mut items = HashSet::default();
        for (above, names) in &self.names {
            let Some(below) = below.get(above) else { continue };
            let paths = names.iter().map(|(name, urls)| (step(*above, *name), *urls));
            let is_item =
                |(path, urls): &(u64, u32)| self.names.get(path).is_some_and(|names| below.are_of_item(*urls, names));
            items.extend(paths.filter(is_item).map(|(path, _)| path));
        }
        items
    }
}

/// Maximum number of equal segments in a row.
const RUN_MAX: usize = 3;
/// Maximum length of sequences of segments that are folded; shorter ones may occur twice in a row.
const PERIOD_MAX: usize = 4;

impl UrlPatterns {
    /// Returns the form of a canonical URL as a hash. The host is not part of it.
    pub fn form(&self, url: &str) -> u64 {
        let mut sink = Words::default();
        self.walk(url, &mut sink);
        let path = sink.segments.iter().fold(0, |above, word| step(above, *word));
        sink.parameters.iter().fold(path, |all, name| all.wrapping_add(step(1, *name)))
    }

    /// Returns the spelling of the form, such as `/user/login/?next=`.
    pub fn spell_form(&self, url: &str) -> String {
        let mut sink = Spelt::default();
        self.walk(url, &mut sink);
        let mut text: String = sink.segments.iter().flat_map(|segment| ["/", segment]).collect();
        for (at, name) in sink.parameters.iter().enumerate() {
            text.extend([if at == 0 { "?" } else { "&" }, name, "="]);
        }
        text
    }
}

/// The parts of a URL. Few URLs have more, so most forms are found without an allocation.
type Parts<T> = SmallVec<[T; 16]>;

/// Appends a segment and folds repetitions beyond the limit.
fn put<T: PartialEq>(segments: &mut Parts<T>, segment: T) {
    segments.push(segment);
    for period in 1..=PERIOD_MAX {
        let copies = if period == 1 { RUN_MAX + 1 } else { 3 };
        let Some(start) = segments.len().checked_sub(copies * period) else { return };
        let tail = &segments[start..];
        if tail[period..].iter().zip(tail).all(|(later, before)| later == before) {
            segments.truncate(segments.len() - period);
            return;
        }
    }
}

fn put_once<T: PartialEq>(all: &mut Parts<T>, one: T) {
    if !all.contains(&one) {
        all.push(one);
    }
}

#[derive(Default)]
struct Words {
    segments: Parts<u64>,
    parameters: Parts<u64>,
}

impl Sink for Words {
    fn segment(&mut self, _: Segment<'_>, kept: Option<u64>) {
        put(&mut self.segments, kept.unwrap_or(ANY));
    }

    fn parameter(&mut self, name: HashedText<'_>, _: Option<HashedText<'_>>) {
        put_once(&mut self.parameters, name.hash);
    }
}

#[derive(Default)]
struct Spelt {
    segments: Parts<String>,
    parameters: Parts<String>,
}

impl Sink for Spelt {
    fn segment(&mut self, segment: Segment<'_>, kept: Option<u64>) {
        put(&mut self.segments, if kept.is_some() { segment.spell().into_owned() } else { "*".to_owned() });
    }

    fn parameter(&mut self, name: HashedText<'_>, _: Option<HashedText<'_>>) {
        put_once(&mut self.parameters, name.text.to_owned());
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn learned(urls: &[String]) -> UrlPatterns {
        let mut learner = UrlPatternLearner::default();
        urls.iter().for_each(|url| learner.see(url));
        learner.patterns()
    }

    /// Two lists, one with a short name and one with a long one, and two sections that have nothing in common.
    fn site() -> UrlPatterns {
        let list = |name: &str, number: usize| {
            let parts = ["thread", "message", "export"].map(|part| format!("http://f/list/{name}/{part}/{number}"));
            parts.to_vec()
        };
        let lists =
            (0..6).flat_map(|number| [list("news@f.org", number), list("announcements-and-more@f.org", number)]);
        let others = (0..6).map(|number| vec![format!("http://f/blog/{number}"), format!("http://f/shop/{number}")]);
        learned(&lists.chain(others).flatten().collect::<Vec<_>>())
    }

    #[test]
    fn names_of_items_are_recognised_by_the_names_below_them() {
        let patterns = site();
        let kind = |url: &str| patterns.kind(url);
        let (short, long) =
            ("http://f/list/news@f.org/thread/1", "http://f/list/announcements-and-more@f.org/thread/2");
        assert_ne!(patterns.of(short).coarse, patterns.of(long).coarse);
        assert_eq!(kind(short), kind(long));
        assert_ne!(kind(short), kind("http://f/list/news@f.org/message/1"));
        assert_ne!(kind("http://f/blog/1"), kind("http://f/shop/1"));
    }

    #[test]
    fn titles_and_short_names_of_items_are_of_one_kind() {
        let patterns = site();
        assert_eq!(patterns.kind("http://f/2021/a-title-of-a-post/"), patterns.kind("http://f/2022/short/"));
        assert_ne!(patterns.kind("http://f/2021/short/"), patterns.kind("http://f/2021/12/"));
    }

    #[test]
    fn parameters_belong_to_the_kind_but_not_to_that_of_the_path() {
        let patterns = site();
        let (plain, sorted) = (patterns.kind("http://f/blog/1"), patterns.kind("http://f/blog/2?sort=date&page=1"));
        assert_eq!(plain.path, sorted.path);
        assert_ne!(plain.whole, sorted.whole);
        assert_eq!(sorted, patterns.kind("http://f/blog/3?page=7&sort=name"));
    }

    #[test]
    fn a_word_that_many_values_share_is_a_view() {
        let tabs =
            |number: usize| ["posts", "stats"].map(|tab| format!("http://f/user/{number}?tab={tab}&page={number}"));
        let patterns = learned(&(0..6).flat_map(tabs).collect::<Vec<_>>());
        let kind = |url: &str| patterns.kind(url);
        let posts = kind("http://f/user/1?tab=posts&page=1");
        assert_eq!(posts, kind("http://f/user/77?tab=posts&page=5"));
        let stats = kind("http://f/user/1?tab=stats&page=1");
        assert_eq!((posts.path, posts.whole, posts.shape), (stats.path, stats.whole, stats.shape));
        assert_ne!(posts.view, stats.view);
        assert_eq!(kind("http://f/user/1?tab=once&page=1").view, 0);
    }

    #[test]
    fn marks_before_a_name_are_kept() {
        let all = (0..9).flat_map(|number| {
            let name = char::from(b'a' + number);
            [
                format!("http://f/@{name}{name}"),
                format!("http://f/~{name}{name}"),
                format!("http://f/{name}-title-of-a-page"),
            ]
        });
        let patterns = learned(&all.collect::<Vec<_>>());
        let kind = |url: &str| patterns.kind(url);
        assert_eq!(kind("http://f/@zoe"), kind("http://f/@yan-with-a-long-name-77"));
        assert_ne!(kind("http://f/@zoe"), kind("http://f/~zoe"));
        assert_ne!(kind("http://f/@zoe"), kind("http://f/a-title-of-a-page"));
        assert_eq!(patterns.spell("http://f/@zoe"), "/@*");
    }

    #[test]
    fn addresses_of_one_shape_differ_in_names_but_not_in_numbers_or_parameters() {
        let patterns = site();
        let shape = |url: &str| patterns.kind(url).shape;
        assert_eq!(shape("http://f/blog/about"), shape("http://f/shop/imprint"));
        assert_ne!(shape("http://f/blog/about"), shape("http://f/blog/1"));
        assert_ne!(shape("http://f/blog/about"), shape("http://f/blog/about/team"));
        assert_ne!(shape("http://f/blog/about"), shape("http://f/blog/about?page=2"));
    }

    #[test]
    fn before_anything_was_counted_every_name_counts() {
        let patterns = UrlPatterns::default();
        assert_ne!(patterns.kind("http://f/a/"), patterns.kind("http://f/b/"));
        assert_eq!(patterns.kind("http://f/topic/1/"), patterns.kind("http://f/topic/2/"));
    }

    proptest! {
        #[test]
        fn the_pattern_determines_the_kind(
            one in "http://f/(list|blog)/([0-9]{1,2}|news@f.org|[a-b]{1,3})(/thread)?(\\?p=[1-3])?",
            other in "http://f/(list|blog)/([0-9]{1,2}|news@f.org|[a-b]{1,3})(/thread)?(\\?p=[1-3])?",
        ) {
            let patterns = site();
            let same_pattern = patterns.of(&one).coarse == patterns.of(&other).coarse;
            prop_assert!(!same_pattern || patterns.kind(&one) == patterns.kind(&other));
        }
    }

    fn spell(path: &str) -> String {
        UrlPatterns::default().spell_form(&format!("http://h.test{path}"))
    }

    #[test]
    fn what_nests_in_a_parameter_is_no_part_of_the_form() {
        assert_eq!(spell("/user/login/?next=/topic/5/"), "/user/login/?next=");
        assert_eq!(spell("/user/login/?next=/user/login/%3Fnext%3D/topic/5/"), "/user/login/?next=");
        assert_eq!(spell("/t?a=1&a=2&b=3"), "/t?a=&b=");
    }

    #[test]
    fn repeated_segments_are_folded_up_and_few_are_kept() {
        assert_eq!(spell("/2026/11/"), "/N/N/");
        assert_eq!(spell("/deeper/0/1/2"), "/deeper/N/N/N");
        assert_eq!(spell("/deeper/0/1/2/1/0/2/2"), "/deeper/N/N/N");
        assert_eq!(spell("/a/1/a/2/a/3/a/4/a/5"), "/a/N/a/N");
        assert_eq!(spell("/x/y/z/x/y/z/x/y/z/end"), "/x/y/z/x/y/z/end");
    }

    proptest! {
        #[test]
        fn two_urls_have_one_form_where_it_is_spelt_alike(
            one in "(/(a|b|[0-9]{1,2}|[a-z]{1,3}-[a-z]{10,12})){0,7}(/)?([?](a|b|c)=[a-z0-9/]{0,3}(&(a|b|c)=[a-z]){0,3})?",
            other in "(/(a|b|[0-9]{1,2})){0,7}(/)?([?](a|b|c)=[a-z0-9/]{0,3}(&(a|b|c)=[a-z]){0,3})?",
        ) {
            let patterns = UrlPatterns::default();
            let (one, other) = (format!("http://h.test{one}"), format!("http://h.test{other}"));
            let names = |url: &str| {
                let spelt = patterns.spell_form(url);
                let (path, query) = spelt.split_once('?').unwrap_or((&spelt, ""));
                let mut names: Vec<String> = query.split('&').map(str::to_owned).collect();
                names.sort();
                (path.to_owned(), names)
            };
            prop_assert_eq!(patterns.form(&one) == patterns.form(&other), names(&one) == names(&other));
        }

        #[test]
        fn a_path_of_any_length_over_two_names_has_one_of_few_forms(path in "(/(a|b)){0,200}") {
            // Even without threefold repetition there are infinitely many words over three letters, but not over one or
            // its like.
            let spelt = spell(&path);
            prop_assert!(!spelt.contains("/a/a/a/a") && !spelt.contains("/a/b/a/b/a/b"), "{}", spelt);
        }
    }
}
