//! The pages that templates are learned from, with the places of their dates: some of each kind of page. The kind of a
//! page is told by where its dates are.

use std::collections::BTreeMap;

use url::Url;

use crate::anchors::Anchor;
use crate::tree::{NodeIndex, Tree};
use harvestman_core::model::path_hash::step;

/// Number of elements that make the place of a date on the page.
const NEAR_ELEMENTS: usize = 3;

/// A page with its dates.
#[derive(Debug, Clone, Copy)]
pub struct SamplePage<'s> {
    /// The page.
    pub tree: &'s Tree,
    /// Its dates.
    pub anchors: &'s [Anchor],
    /// Its address.
    pub url: &'s Url,
}

/// The place of dates on the pages of a template, more or less exactly.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum DatePlace {
    /// Under the same elements with the same classes.
    Path(u64),
    /// Under the same elements.
    Tags(u64),
    /// Next to the same elements.
    Near(u64),
}

impl Default for DatePlace {
    fn default() -> Self {
        Self::Near(0)
    }
}

impl DatePlace {
    /// Returns the places of a date.
    pub fn of(tree: &Tree, node: NodeIndex) -> [Self; 3] {
        let near = tree.upwards(node).take(NEAR_ELEMENTS).fold(1, |hash, above| step(hash, tree.node(above).word));
        [Self::Path(tree.node(node).path), Self::Tags(tree.node(node).tags), Self::Near(near)]
    }
}

/// The dates of a page at each place, as indices.
pub type DateGroups = BTreeMap<DatePlace, Vec<usize>>;

/// Returns the dates of a page at each place.
pub fn dates_by_place(tree: &Tree, anchors: &[Anchor]) -> DateGroups {
    let mut groups = DateGroups::new();
    for (number, anchor) in anchors.iter().enumerate().filter(|(_, anchor)| !anchor.is_later) {
        for place in DatePlace::of(tree, anchor.node) {
            groups.entry(place).or_default().push(number);
        }
    }
    groups
}

/// Maximum number of pages of a kind.
const ALIKE_MAX: usize = 24;
/// Number of pages from which it is known what all of them have, and the share of the pages with a place that all have.
const PAGES_MIN: usize = 24;
const ALL_MIN: f64 = 0.75;
/// Maximum number of places that are known.
const PLACES_MAX: usize = 20_000;

/// The kinds of the pages of a sample.
#[derive(Debug, Clone, Default)]
pub struct SampleKinds {
    /// How many pages are taken of each kind: those with most dates at a place.
    taken: BTreeMap<Option<DatePlace>, usize>,
    /// How many pages have dates at each place, of those that were seen.
    by_place: BTreeMap<DatePlace, usize>,
    pages: usize,
}

impl SampleKinds {
    /// Returns whether a page is to be taken, and counts it: the sample has few of its kind. What is beside the posts
    /// of all pages of a site, such as a list of its months, may have most of the dates of each, and tells no kind.
    pub fn takes(&mut self, tree: &Tree, anchors: &[Anchor]) -> bool {
        let mut counts: BTreeMap<DatePlace, usize> = BTreeMap::new();
        for anchor in anchors {
            let [.., near] = DatePlace::of(tree, anchor.node);
            *counts.entry(near).or_default() += 1;
        }
        self.see(counts.keys());
        let most = |of: &dyn Fn(&DatePlace) -> bool| {
            counts.iter().filter(|(place, _)| of(place)).max_by_key(|(_, count)| **count).map(|(place, _)| *place)
        };
        let kind = most(&|place| !self.is_of_all(place)).or_else(|| most(&|_| true));
        let taken = self.taken.entry(kind).or_default();
        let is_taken = *taken < ALIKE_MAX;
        *taken += usize::from(is_taken);
        is_taken
    }

    fn see<'p>(&mut self, places: impl Iterator<Item = &'p DatePlace>) {
        self.pages += 1;
        for place in places {
            if self.by_place.len() < PLACES_MAX || self.by_place.contains_key(place) {
                *self.by_place.entry(*place).or_default() += 1;
            }
        }
    }

    /// Returns whether nearly all pages have dates at a place.
    fn is_of_all(&self, place: &DatePlace) -> bool {
        let with_it = self.by_place.get(place).copied().unwrap_or_default();
        self.pages >= PAGES_MIN && with_it as f64 >= ALL_MIN * self.pages as f64
    }
}

#[cfg(test)]
mod tests {
    use jiff::civil::date;

    use super::*;
    use crate::anchors::find_anchors;

    fn takes(kinds: &mut SampleKinds, source: &str) -> bool {
        let tree = Tree::parse(source).unwrap();
        let anchors = find_anchors(&tree, date(2020, 4, 25).at(12, 0, 0, 0));
        kinds.takes(&tree, &anchors)
    }

    #[test]
    fn dates_beside_the_posts_of_all_pages_do_not_hide_their_kinds() {
        let months = "<ul><li>3 April 2020</li><li>2 March 2020</li><li>1 May 2019</li></ul>";
        let mut kinds = SampleKinds::default();
        for _ in 0..PAGES_MIN {
            takes(&mut kinds, months);
        }
        assert!(!takes(&mut kinds, months), "as all of them");
        let replies = format!("<p><time>5 April 2020</time></p>{months}");
        assert!((0..ALIKE_MAX / 2).all(|_| takes(&mut kinds, &replies)));
        assert!(!takes(&mut kinds, months), "enough of them");
    }
}
