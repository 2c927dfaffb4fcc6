//! Parts a page into records at the dates of one place of the template (after MiBAT, Song et al. 2010).
//!
//! A record is the largest subtree with one of these dates, together with the siblings that belong to it.

use std::collections::BTreeMap;

use crate::anchors::Anchor;
use crate::maps::{HashMap, HashSet};
use crate::tree::{NodeIndex, Tree};

/// Share of the dates that are in elements with a word, for records to be these elements, and share of the text in
/// them.
const USUAL_MIN: f64 = 0.9;
const TEXT_MIN: f64 = 0.8;

/// A part of a page that may be a post.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Record {
    /// The index of its date, if it has one.
    pub anchor: Option<usize>,
    /// Its nodes, which are siblings in document order.
    pub parts: Vec<NodeIndex>,
    /// The elements in these that are records of another kind, in document order.
    pub cut: Vec<NodeIndex>,
    /// Whether it is such a record: it is in one of the kind that is listed on the page.
    pub is_inner: bool,
}

impl Record {
    /// Returns a record with no other in it.
    pub const fn new(anchor: Option<usize>, parts: Vec<NodeIndex>) -> Self {
        Self { anchor, parts, cut: Vec::new(), is_inner: false }
    }

    /// Returns its nodes, each with the part that it is in.
    pub fn nodes<'t>(&'t self, tree: &'t Tree) -> impl Iterator<Item = (NodeIndex, NodeIndex)> + 't {
        let all = self.parts.iter().flat_map(|part| tree.inside(*part).map(move |node| (node, *part)));
        all.filter(|(node, _)| !self.is_cut(tree, *node))
    }

    fn is_cut(&self, tree: &Tree, node: NodeIndex) -> bool {
        let last = self.cut.partition_point(|cut| *cut <= node).checked_sub(1).and_then(|last| self.cut.get(last));
        last.is_some_and(|last| tree.range(*last).contains(&node))
    }

    /// Returns whether a node is in it, and is none of its parts.
    pub fn contains(&self, tree: &Tree, node: NodeIndex) -> bool {
        self.parts.iter().any(|part| *part != node && tree.range(*part).contains(&node))
    }
}

/// How the pages of a template are parted.
#[derive(Debug, Clone, Default)]
pub struct Cuts {
    /// How often each word is that of the largest element with a single date.
    largest: BTreeMap<u64, usize>,
    /// The words of the elements around dates, up to the largest.
    around: BTreeMap<u64, Around>,
    /// The text in the largest elements, in words.
    words: usize,
    /// The words of siblings that stand between records.
    between: HashSet<u64>,
    /// How often these stand before the first record, and behind the last.
    before: u32,
    after: u32,
}

/// The elements with a word around dates.
#[derive(Debug, Clone, Copy, Default)]
struct Around {
    /// The number of dates.
    dates: usize,
    /// The text in them, in words.
    words: usize,
    /// The number of elements between them and the dates.
    levels: usize,
}

/// A page with the dates at one place of the template; `anchors` are indices into `all`, in document order.
#[derive(Debug, Clone, Copy)]
pub struct DatedPage<'t> {
    /// The page.
    pub tree: &'t Tree,
    /// All its dates.
    pub all: &'t [Anchor],
    /// Those at the place.
    pub anchors: &'t [usize],
}

impl Cuts {
    /// Learns from a page with several dates.
    pub fn learn(&mut self, page: DatedPage<'_>) {
        let tree = page.tree;
        let counts = page.counts();
        for (largest, anchor) in page.largest(&counts).zip(page.anchors) {
            *self.largest.entry(tree.node(largest).word).or_default() += 1;
            self.words += tree.node(largest).words;
            let inside = tree.upwards(page.all[*anchor].node).take_while(|node| *node >= largest);
            // The outermost of several with one word counts.
            let outermost: BTreeMap<u64, (usize, NodeIndex)> =
                inside.enumerate().map(|(level, node)| (tree.node(node).word, (level, node))).collect();
            for (word, (level, node)) in outermost {
                let around = self.around.entry(word).or_default();
                around.dates += 1;
                around.words += tree.node(node).words;
                around.levels += level;
            }
        }
        for (parent, of_parent) in by_parent(tree, self.elements(page, &counts).keys()) {
            let (first, last) = (of_parent[0], of_parent[of_parent.len() - 1]);
            // Replies to a post stand behind it.
            let last_dated = tree.children(parent).filter(|child| counts.contains_key(child)).last().unwrap_or(last);
            let between = tree.children(parent).filter(|child| (first..last_dated).contains(child));
            self.between.extend(between.filter(|child| !counts.contains_key(child)).map(|child| tree.node(child).word));
            // The outer side of the first and last record tells to which side the siblings belong.
            let next = sibling_after(tree, last).map(|node| tree.node(node).word);
            let previous = tree.sibling_before(first).map(|node| tree.node(node).word);
            self.before += u32::from(previous.is_some_and(|word| self.between.contains(&word)));
            self.after += u32::from(next.is_some_and(|word| self.between.contains(&word)));
        }
    }

    /// Parts a page.
    pub fn records(&self, page: DatedPage<'_>) -> Vec<Record> {
        let tree = page.tree;
        let counts = page.counts();
        let elements = self.elements(page, &counts);
        let mut records: Vec<Record> = Vec::new();
        for (parent, of_parent) in by_parent(tree, elements.keys()) {
            records.extend(self.siblings(tree, parent, &of_parent, &elements, &counts));
        }
        records.sort_by_key(|record| record.parts[0]);
        records
    }

    /// Returns the word of the elements that records are in: that of the largest elements around nearly all dates, if
    /// these have nearly all of the text, or else that of most of the largest. The largest elements themselves differ
    /// where replies are nested: that of a post with replies is smaller, that of a single reply reaches further.
    fn usual(&self) -> Option<u64> {
        let all: usize = self.largest.values().sum();
        let common = self.around.iter().filter(|(_, around)| around.dates as f64 >= USUAL_MIN * all as f64);
        let common = common.max_by_key(|(_, around)| (around.words, around.levels));
        let common = common.filter(|(_, around)| around.words as f64 >= TEXT_MIN * self.words as f64);
        let most = || self.largest.iter().find(|(_, times)| **times * 2 > all);
        common.map(|(word, _)| *word).or_else(|| most().map(|(word, _)| *word))
    }

    /// Returns the elements with one date each, and the dates.
    fn elements(&self, page: DatedPage<'_>, counts: &HashMap<NodeIndex, u32>) -> BTreeMap<NodeIndex, usize> {
        let DatedPage { tree, all, anchors } = page;
        let usual = self.usual();
        let mut elements = BTreeMap::new();
        for (largest, anchor) in page.largest(counts).zip(anchors) {
            let inside = tree.upwards(all[*anchor].node).take_while(|node| *node >= largest);
            let usual = usual.and_then(|usual| inside.filter(|node| tree.node(*node).word == usual).last());
            // Nothing on the page tells how far its only record reaches.
            let mut around = tree.upwards(all[*anchor].node).filter(|_| anchors.len() == 1);
            let known = usual.or_else(|| around.find(|node| self.largest.contains_key(&tree.node(*node).word)));
            elements.entry(known.unwrap_or(largest)).or_insert(*anchor);
        }
        elements
    }

    fn siblings(
        &self,
        tree: &Tree,
        parent: NodeIndex,
        of_parent: &[NodeIndex],
        elements: &BTreeMap<NodeIndex, usize>,
        dated: &HashMap<NodeIndex, u32>,
    ) -> Vec<Record> {
        let is_before = self.before > self.after;
        let looks: HashSet<u64> = of_parent.iter().map(|other| tree.node(*other).word).collect();
        let mut records: Vec<Record> = Vec::new();
        // Siblings that wait for the record behind them.
        let mut waiting = Vec::new();
        for child in tree.children(parent) {
            if of_parent.binary_search(&child).is_ok() {
                let mut parts = std::mem::take(&mut waiting);
                parts.push(child);
                records.push(Record::new(elements.get(&child).copied(), parts));
                continue;
            }
            if dated.contains_key(&child) {
                continue;
            }
            let word = tree.node(child).word;
            match records.last_mut() {
                _ if !self.between.contains(&word) => {
                    waiting.clear();
                    let is_shown = tree.node(child).words > 0 && !tree.name(child).is_empty();
                    if is_shown && looks.contains(&word) {
                        // It looks as a record, but shows no date.
                        records.push(Record::new(None, vec![child]));
                    }
                }
                _ if is_before => waiting.push(child),
                Some(record) => record.parts.push(child),
                None => {}
            }
        }
        records
    }
}

impl DatedPage<'_> {
    /// Returns the number of dates in each node that has any.
    fn counts(self) -> HashMap<NodeIndex, u32> {
        let mut counts = HashMap::default();
        for anchor in self.anchors {
            self.tree.upwards(self.all[*anchor].node).for_each(|node| *counts.entry(node).or_default() += 1);
        }
        counts
    }

    /// Returns, for each date, the largest node around it without another one.
    fn largest(self, counts: &HashMap<NodeIndex, u32>) -> impl Iterator<Item = NodeIndex> {
        self.anchors.iter().map(|anchor| {
            let node = self.all[*anchor].node;
            let single = self.tree.upwards(node).take_while(|above| counts.get(above).is_none_or(|count| *count <= 1));
            single.filter(|above| *above != 0).last().unwrap_or(node)
        })
    }
}

/// Returns nodes by the element that they are in.
fn by_parent<'n>(tree: &Tree, nodes: impl Iterator<Item = &'n NodeIndex>) -> BTreeMap<NodeIndex, Vec<NodeIndex>> {
    let mut parents: BTreeMap<NodeIndex, Vec<NodeIndex>> = BTreeMap::new();
    nodes.for_each(|node| parents.entry(tree.node(*node).parent).or_default().push(*node));
    parents
}

fn sibling_after(tree: &Tree, node: NodeIndex) -> Option<NodeIndex> {
    let parent = tree.parent(node)?;
    Some(tree.node(node).end).filter(|next| *next < tree.node(parent).end)
}
