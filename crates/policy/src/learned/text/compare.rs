//! Near-duplicates, and pages within others.

use super::content::{Content, SHINGLES_MIN};
use super::key::{ContentId, Relation, TextKey};

/// Pages are alike from this Jaccard index of their shingles on, or of their whole texts where these are compared.
const ALIKE: f64 = 0.7;
const ALIKE_WHOLLY: f64 = 0.9;
/// A page is within another that shows this share of its shingles.
const WITHIN: f64 = 0.65;
/// Of the smaller one's shingles, the share that a page must be the holder or the latest page of to be compared
/// exactly. Where a page shows most of another but many pages show that too, one of these is compared instead.
const HINT: f64 = 0.1;
/// Maximum number of pages that are compared exactly, and by the shared shingles that were counted.
const CANDIDATES: usize = 12;
const COUNTED: usize = 100;

/// How much two pages have in common: shingles, or whole texts where a page has few shingles.
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
            (self.by_text && self.theirs > 0 && self.share() >= WITHIN).then_some(Relation::Within)
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
            if f64::from(*shared) >= HINT * own.len().min(theirs.len()) as f64 {
                found.compare(own, theirs, by_text, *id);
            }
        }
        let rest = candidates.iter().skip(CANDIDATES).take(if by_text { COUNTED } else { 0 });
        let within = |(id, shared): &&(ContentId, u32)| {
            content_of(*id).is_some_and(|other| {
                let size = other.shingles.len();
                size >= SHINGLES_MIN / 2 && f64::from(*shared) >= WITHIN * size as f64
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
            None if by_text && overlap.share_of_other() >= WITHIN => self.contains.push(id),
            None => {}
        }
    }
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
    }
}
