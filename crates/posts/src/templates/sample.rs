//! The pages that templates are learned from, and the places of their dates.

use std::collections::BTreeMap;

use harvestman_core::model::path_hash::step;
use url::Url;

use crate::anchors::Anchor;
use crate::tree::{NodeIndex, Tree};

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
