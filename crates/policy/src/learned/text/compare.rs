//! Near-duplicates, and pages within others.

use super::content::{Content, SHINGLES_MAX, SHINGLES_MIN, TEXTS_MAX};
use super::key::{ContentId, Relation, TextKey};

/// Pages are alike from this Jaccard index of their shingles on, or of their whole texts where these are compared.
const ALIKE: f64 = 0.7;
const ALIKE_WHOLLY: f64 = 0.9;
/// A page is within another that shows this share of its shingles.
const WITHIN: f64 = 0.65;
/// Of the smaller one's shingles, the share that a page must be the holder or the latest page of to be compared
/// exactly. Where a page shows most of another but many pages show that too, one of these is compared instead.
const HINT: f64 = 0.1;
/// A page is within another only if at least this number of its keys was compared.
const KEYS_MIN: u32 = SHINGLES_MIN as u32 / 2;
/// Maximum number of pages that are compared exactly, and by the shared shingles that were counted.
const CANDIDATES: usize = 12;
const COUNTED: usize = 100;

/// How much two pages have in common: shingles, or whole texts where a page has few shingles. Counted are the keys that
/// both would keep.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Overlap {
    /// On both pages.
    pub both: u32,
    /// On the page.
    pub own: u32,
    /// On the other page.
    pub theirs: u32,
    /// Whether shingles were compared.
    pub by_text: bool,
}

impl Overlap {
    /// Compares two pages, by what the first one is compared by.
    pub fn of(page: &Content, other: &Content) -> Self {
        let (own, by_text) = page.compared();
        Self::of_keys(own, if by_text { &other.shingles } else { &other.texts }, by_text)
    }

    fn of_keys(own: &[TextKey], theirs: &[TextKey], by_text: bool) -> Self {
        let (own, theirs) = comparable(own, theirs, by_text);
        Self { both: common(own, theirs), own: own.len() as u32, theirs: theirs.len() as u32, by_text }
    }

    /// The share of the page's keys that are on the other one.
    pub fn share(self) -> f64 {
        f64::from(self.both) / f64::from(self.own.max(1))
    }

    /// The share of the other page's keys that are on the page.
    pub fn share_of_other(self) -> f64 {
        f64::from(self.both) / f64::from(self.theirs.max(1))
    }

    /// The Jaccard index.
    pub fn jaccard(self) -> f64 {
        let both = f64::from(self.both);
        both / (f64::from(self.own) + f64::from(self.theirs) - both)
    }

    /// Returns how the page relates to the other one, if it is like or within it.
    pub fn relation(self) -> Option<Relation> {
        if self.theirs > 0 && self.jaccard() >= if self.by_text { ALIKE } else { ALIKE_WHOLLY } {
            Some(Relation::Alike)
        } else {
            let is_within = self.own >= KEYS_MIN && self.theirs > 0 && self.share() >= WITHIN;
            (self.by_text && is_within).then_some(Relation::Within)
        }
    }
}

/// The earlier pages that a page is like, within, or shows the text of.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Comparison {
    /// The page that it is another view of.
    pub alike: Option<ContentId>,
    /// The pages that it is within.
    pub within: Vec<ContentId>,
    /// The pages that are within it.
    pub contains: Vec<ContentId>,
}

impl Comparison {
    /// Compares a page with `candidates`, those that share most with it first, with the number of shared keys.
    /// `content_of` returns the content of one; `None` if it was forgotten.
    pub fn of<'a>(
        page: &Content,
        candidates: &[(ContentId, u32)],
        content_of: impl Fn(ContentId) -> Option<&'a Content>,
    ) -> Self {
        let (own, by_text) = page.compared();
        let mut found = Self::default();
        for (id, shared) in candidates.iter().take(CANDIDATES) {
            let Some(other) = content_of(*id) else { continue };
            let theirs = if by_text { &other.shingles } else { &other.texts };
            let (mine, others) = comparable(own, theirs, by_text);
            if f64::from(*shared) >= HINT * mine.len().min(others.len()) as f64 {
                found.compare(own, theirs, by_text, *id);
            }
        }
        let rest = candidates.iter().skip(CANDIDATES).take(if by_text { COUNTED } else { 0 });
        let within = |(id, shared): &&(ContentId, u32)| {
            content_of(*id).is_some_and(|other| {
                let size = comparable(own, &other.shingles, by_text).1.len();
                size >= KEYS_MIN as usize && f64::from(*shared) >= WITHIN * size as f64
            })
        };
        found.contains.extend(rest.filter(within).map(|(id, _)| *id));
        found
    }

    fn compare(&mut self, own: &[TextKey], theirs: &[TextKey], by_text: bool, id: ContentId) {
        let overlap = Overlap::of_keys(own, theirs, by_text);
        match overlap.relation() {
            Some(Relation::Alike) => self.alike = self.alike.or(Some(id)),
            Some(Relation::Within) => self.within.push(id),
            None if by_text && overlap.theirs >= KEYS_MIN && overlap.share_of_other() >= WITHIN => {
                self.contains.push(id)
            }
            None => {}
        }
    }
}

/// Returns the largest key that a page with these keys, which are sorted, would keep.
fn end_of(keys: &[TextKey], by_text: bool) -> TextKey {
    let max = if by_text { SHINGLES_MAX } else { TEXTS_MAX };
    keys.last().filter(|_| keys.len() >= max).copied().unwrap_or(TextKey::MAX)
}

/// Returns those of the keys of two pages that both would keep. Of a page with more keys than are kept, the smallest
/// are kept (a bottom-k sketch: Broder 1997).
fn comparable<'a>(one: &'a [TextKey], other: &'a [TextKey], by_text: bool) -> (&'a [TextKey], &'a [TextKey]) {
    let end = end_of(one, by_text).min(end_of(other, by_text));
    let up_to_end = |keys: &'a [TextKey]| &keys[..keys.partition_point(|key| *key <= end)];
    (up_to_end(one), up_to_end(other))
}

/// The number of values in both sorted lists, each without repetition. It has no branch that depends on the values,
/// which nobody could predict.
fn common(one: &[TextKey], other: &[TextKey]) -> u32 {
    let (mut at, mut at_other, mut both) = (0, 0, 0);
    while let (Some(a), Some(b)) = (one.get(at), other.get(at_other)) {
        both += u32::from(a == b);
        at += usize::from(a <= b);
        at_other += usize::from(b <= a);
    }
    both
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};

    use proptest::prelude::*;

    use super::*;

    fn content(shingles: impl IntoIterator<Item = TextKey>) -> Content {
        Content { shingles: shingles.into_iter().collect(), ..Content::default() }
    }

    fn compare(page: &Content, others: &[Content]) -> Comparison {
        let pages: BTreeMap<ContentId, &Content> = (0..).map(ContentId).zip(others).collect();
        let shared =
            |other: &Content| common(page.compared().0, if page.compared().1 { &other.shingles } else { &other.texts });
        let mut candidates: Vec<_> = pages.iter().map(|(id, other)| (*id, shared(other))).collect();
        candidates.sort_by_key(|(_, shared)| std::cmp::Reverse(*shared));
        Comparison::of(page, &candidates, |id| pages.get(&id).copied())
    }

    #[test]
    fn a_page_is_alike_within_or_contains_another() {
        let question = content(0..100);
        let alike = compare(&content(10..110), std::slice::from_ref(&question));
        assert_eq!(alike.alike, Some(ContentId(0)));
        let answer = compare(&content(40..60), std::slice::from_ref(&question));
        assert_eq!((answer.alike, answer.within), (None, vec![ContentId(0)]));
        let outer = compare(&question, &[content(40..60), content(90..120), content(70..82)]);
        assert_eq!((outer.alike, outer.contains), (None, vec![ContentId(0), ContentId(2)]));
    }

    /// Keys that are spread as hashes are.
    fn spread(keys: std::ops::Range<u32>) -> Vec<TextKey> {
        keys.map(|key| key.wrapping_mul(0x9e37_79b1).rotate_left(7).wrapping_mul(0x85eb_ca6b)).collect()
    }

    /// The content of a page with these shingles, of which the smallest are kept.
    fn kept(mut shingles: Vec<TextKey>) -> Content {
        shingles.sort_unstable();
        shingles.truncate(SHINGLES_MAX);
        content(shingles)
    }

    #[test]
    fn a_message_is_within_a_page_of_more_text_than_is_kept() {
        for thread in [600, 2_000, 6_000] {
            let whole = kept(spread(0..thread));
            for from in [0, 100, thread - 200] {
                let message = kept(spread(from..from + 200));
                assert_eq!(compare(&message, std::slice::from_ref(&whole)).within, [ContentId(0)], "{thread} {from}");
                assert_eq!(compare(&whole, std::slice::from_ref(&message)).contains, [ContentId(0)], "{thread} {from}");
            }
            let half = kept(spread(thread - 60..thread + 140));
            assert_eq!(compare(&half, std::slice::from_ref(&whole)), Comparison::default(), "{thread}");
            let grown = kept(spread(0..thread + thread / 10));
            assert_eq!(compare(&grown, std::slice::from_ref(&whole)).alike, Some(ContentId(0)), "{thread}");
        }
    }

    #[test]
    fn pages_of_few_words_are_alike_by_their_whole_texts() {
        let texts = |texts: std::ops::Range<TextKey>| Content { texts: texts.collect(), ..Content::default() };
        assert_eq!(compare(&texts(0..20), &[texts(0..19)]).alike, Some(ContentId(0)));
        assert_eq!(compare(&texts(0..20), &[texts(0..10), Content::default()]), Comparison::default());
    }

    #[test]
    fn small_pages_beyond_the_first_candidates_are_within_too() {
        let parts: Vec<_> = (0..30).map(|part| content(part * 10..part * 10 + 10)).collect();
        assert_eq!(compare(&content(0..300), &parts).contains.len(), 30);
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn common_values_are_those_of_both_sets(
            one in prop::collection::btree_set(0..40_u32, 0..30), other in prop::collection::btree_set(0..40_u32, 0..30),
        ) {
            let list = |set: &BTreeSet<TextKey>| set.iter().copied().collect::<Vec<_>>();
            prop_assert_eq!(common(&list(&one), &list(&other)) as usize, one.intersection(&other).count());
        }

        #[test]
        fn an_overlap_of_kept_keys_is_near_that_of_all(one in 1_u32..3_000, other in 1_u32..3_000, from in 0_u32..2_000) {
            let (whole, part) = (spread(0..one), spread(from..from + other));
            let overlap = Overlap::of(&kept(part.clone()), &kept(whole.clone()));
            let both = f64::from(one.saturating_sub(from).min(other));
            // The standard error of a share of so many keys, four times.
            let error = |keys: u32| 2.0 / f64::from(keys.max(1)).sqrt();
            prop_assert!((overlap.share() - both / f64::from(other)).abs() <= error(overlap.own), "{overlap:?}");
            prop_assert!((overlap.share_of_other() - both / f64::from(one)).abs() <= error(overlap.theirs), "{overlap:?}");
        }
    }
}
