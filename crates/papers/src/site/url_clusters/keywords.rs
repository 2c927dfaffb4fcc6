//! The frequent itemsets of one part of URLs, prepared for finding the largest in a URL.
//!
//! Items that always occur together (`127`, `0` and `1` of an address; the twenty fields of a search form) are one
//! *unit*: n of them have 2ⁿ frequent subsets, which all have the same support. Itemsets are sets of units, and each
//! itemset of items corresponds to one of units, each of which contributes those of its items that the URL has. So
//! nothing is lost, and the number does not explode.

use hashbrown::HashTable;
use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_64;

use super::fp_growth::FrequentSet;

/// The stored form of a set of keywords: everything in the order of the texts, so that the same keywords always give
/// the same file.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub(super) struct KeywordsForm {
    /// Items in the order of their texts, each with its unit.
    pub items: Vec<(Box<str>, u16)>,
    /// Frequent itemsets of units. Each unit alone is one.
    pub sets: Vec<FrequentSet>,
}

/// A [`KeywordsForm`] that no learner can have made.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub(super) struct Malformed(pub &'static str);

/// An item, by its rank among the texts.
pub(super) type ItemId = u16;

/// The id of no item.
pub(super) const NO_ITEM: ItemId = ItemId::MAX;

#[derive(Debug, Clone)]
struct Item {
    text: Box<[u8]>,
    hash: u64,
    unit: u16,
}

/// First bytes and lengths of items, one bit each: most slugs and numbers are excluded as keywords by these alone.
#[derive(Debug, Clone, Default)]
struct Shapes {
    firsts: [u64; 4],
    lengths: u64,
}

impl Shapes {
    fn of(items: &[Item]) -> Self {
        let mut shapes = Self::default();
        for text in items.iter().map(|item| &item.text) {
            let first = text.first().copied().unwrap_or(0);
            shapes.firsts[usize::from(first >> 6)] |= 1 << (first & 63);
            shapes.lengths |= 1 << text.len().min(63);
        }
        shapes
    }

    #[inline]
    fn may_be(&self, text: &[u8]) -> bool {
        let first = text.first().copied().unwrap_or(0);
        self.lengths >> text.len().min(63) & 1 == 1 && self.firsts[usize::from(first >> 6)] >> (first & 63) & 1 == 1
    }
}

/// Itemsets as a tree: the children of a node add one smaller unit to it.
#[derive(Debug, Clone)]
pub(super) struct Keywords {
    form: KeywordsForm,
    items: Vec<Item>,
    table: HashTable<ItemId>,
    shapes: Shapes,
    /// The start of each node's children in `children`; node 0 is the empty set.
    starts: Vec<u32>,
    /// Unit and node, for each parent in the order of units.
    children: Vec<(u16, u32)>,
    supports: Vec<u32>,
}

/// All other fields follow from the form.
impl PartialEq for Keywords {
    fn eq(&self, other: &Self) -> bool {
        self.form == other.form
    }
}

impl Eq for Keywords {}

impl Keywords {
    pub fn new(form: KeywordsForm) -> Result<Self, Malformed> {
        check(&form)?;
        let item = |(text, unit): &(Box<str>, u16)| {
            let text: Box<[u8]> = text.as_bytes().into();
            Item { hash: xxh3_64(&text), text, unit: *unit }
        };
        let items: Vec<Item> = form.items.iter().map(item).collect();
        let mut table = HashTable::with_capacity(items.len());
        for (id, item) in items.iter().enumerate() {
            table.insert_unique(item.hash, id as ItemId, |id| items[usize::from(*id)].hash);
        }
        let shapes = Shapes::of(&items);
        let (starts, children) = tree(&form.sets);
        let supports = std::iter::once(u32::MAX).chain(form.sets.iter().map(|set| set.support)).collect();
        Ok(Self { form, items, table, shapes, starts, children, supports })
    }

    pub fn form(&self) -> &KeywordsForm {
        &self.form
    }

    /// Returns the item with this text.
    #[inline]
    pub fn find(&self, text: &[u8]) -> Option<ItemId> {
        if !self.shapes.may_be(text) {
            return None;
        }
        self.table.find(xxh3_64(text), |id| *self.items[usize::from(*id)].text == *text).copied()
    }

    /// Returns the hash of an item's text.
    pub fn hash(&self, item: ItemId) -> u64 {
        self.items[usize::from(item)].hash
    }

    pub(super) fn unit(&self, item: ItemId) -> u16 {
        self.items[usize::from(item)].unit
    }

    pub(super) fn support(&self, node: u32) -> u32 {
        self.supports[node as usize]
    }

    /// Returns the node that a unit leads to from another.
    #[inline]
    pub(super) fn child(&self, node: u32, unit: u16) -> Option<u32> {
        let start = self.starts[node as usize] as usize;
        let children = &self.children[start..self.starts[node as usize + 1] as usize];
        if node == 0 {
            // Every unit alone is frequent.
            return Some(children[usize::from(unit)].1);
        }
        children.binary_search_by_key(&unit, |child| child.0).ok().map(|at| children[at].1)
    }
}

/// Builds the children of each node, sorted by unit.
fn tree(sets: &[FrequentSet]) -> (Vec<u32>, Vec<(u16, u32)>) {
    let mut edges: Vec<(u32, u16, u32)> = (1..).zip(sets).map(|(node, set)| (set.parent, set.item, node)).collect();
    edges.sort_unstable();
    let nodes = sets.len() as u32 + 1;
    let starts = (0..=nodes).map(|node| edges.partition_point(|edge| edge.0 < node) as u32).collect();
    (starts, edges.into_iter().map(|(_, unit, node)| (unit, node)).collect())
}

fn check(form: &KeywordsForm) -> Result<(), Malformed> {
    let sorted = form.items.windows(2).all(|pair| pair[0].0 < pair[1].0);
    if !sorted || form.items.len() >= usize::from(NO_ITEM) || form.sets.len() >= u32::MAX as usize {
        return Err(Malformed("keywords are not sorted or too many"));
    }
    let mut alone: Vec<u16> = form.sets.iter().filter(|set| set.parent == 0).map(|set| set.item).collect();
    alone.sort_unstable();
    if alone.iter().enumerate().any(|(at, unit)| at != usize::from(*unit)) {
        return Err(Malformed("the itemsets of one unit are not numbered from 0"));
    }
    let known = |unit: u16| usize::from(unit) < alone.len();
    let grows_down = |(at, set): (usize, &FrequentSet)| {
        let parent = set.parent as usize;
        known(set.item) && parent <= at && (parent == 0 || form.sets[parent - 1].item > set.item)
    };
    if !form.items.iter().all(|item| known(item.1)) || !form.sets.iter().enumerate().all(grows_down) {
        return Err(Malformed("an itemset refers to an unknown unit or a later itemset"));
    }
    let mut edges: Vec<(u32, u16)> = form.sets.iter().map(|set| (set.parent, set.item)).collect();
    edges.sort_unstable();
    if edges.windows(2).any(|pair| pair[0] == pair[1]) {
        return Err(Malformed("an itemset is listed twice"));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn form(items: &[(&str, u16)], sets: &[(u32, u16)]) -> KeywordsForm {
        let items = items.iter().map(|(text, unit)| ((*text).into(), *unit)).collect();
        let sets = sets.iter().map(|(parent, item)| FrequentSet { parent: *parent, item: *item, support: 5 }).collect();
        KeywordsForm { items, sets }
    }

    #[test]
    fn units_lead_down_the_tree_in_falling_order() {
        let form = form(&[("a", 0), ("b", 1), ("c", 1)], &[(0, 0), (0, 1), (2, 0)]);
        let keywords = Keywords::new(form.clone()).unwrap();
        assert_eq!((keywords.child(0, 1), keywords.child(2, 0), keywords.child(1, 1)), (Some(2), Some(3), None));
        assert_eq!(keywords.find(b"c").map(|item| keywords.unit(item)), Some(1));
        assert_eq!(keywords.find(b"d"), None);
        assert_eq!(keywords.form(), &form);
    }

    #[test]
    fn what_no_learner_made_is_refused() {
        let refused = |items: &[(&str, u16)], sets: &[(u32, u16)]| Keywords::new(form(items, sets)).is_err();
        assert!(!refused(&[], &[]));
        assert!(refused(&[("b", 0), ("a", 0)], &[(0, 0)]), "unsorted");
        assert!(refused(&[("a", 1)], &[(0, 0)]), "an item of no unit");
        assert!(refused(&[("a", 0)], &[(0, 1)]), "units not from 0");
        assert!(refused(&[("a", 0)], &[(2, 0), (0, 0)]), "a parent behind its child");
        assert!(refused(&[("a", 0), ("b", 1)], &[(0, 0), (0, 1), (1, 1)]), "a child that is no smaller");
        assert!(refused(&[("a", 0), ("b", 1)], &[(0, 0), (0, 1), (2, 0), (2, 0)]), "twice");
    }
}
