//! Parts a page into records at the dates of one place of the template (after MiBAT, Song et al. 2010).
//!
//! A record is the largest subtree with one of these dates, together with the siblings that belong to it.

use std::collections::{BTreeMap, HashMap, HashSet};

use crate::anchors::Anchor;
use crate::tree::{NodeIndex, Tree};

/// A part of a page that may be a post.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Record {
    /// The index of its date, if it has one.
    pub anchor: Option<usize>,
    /// Its nodes, which are siblings in document order.
    pub parts: Vec<NodeIndex>,
}

/// Parts a page at dates; `anchors` are indices into `all`, in document order.
pub fn records(tree: &Tree, all: &[Anchor], anchors: &[usize]) -> Vec<Record> {
    let counts = counts(tree, all, anchors);
    let mains = mains(tree, all, (anchors, &counts));
    let mut parents: BTreeMap<NodeIndex, Vec<NodeIndex>> = BTreeMap::new();
    mains.keys().for_each(|main| parents.entry(tree.node(*main).parent).or_default().push(*main));
    let main_words: HashSet<u64> = mains.keys().map(|main| tree.node(*main).word).collect();
    let gaps = Gaps::of(tree, (&parents, &counts), &main_words);
    let mut records: Vec<Record> = Vec::new();
    for (parent, of_parent) in &parents {
        records.extend(gaps.records(tree, *parent, (of_parent, &mains)));
    }
    records.sort_by_key(|record| record.parts[0]);
    records
}

/// Returns the number of dates in each node that has any.
fn counts(tree: &Tree, all: &[Anchor], anchors: &[usize]) -> HashMap<NodeIndex, u32> {
    let mut counts = HashMap::new();
    for anchor in anchors {
        tree.upwards(all[*anchor].node).for_each(|node| *counts.entry(node).or_default() += 1);
    }
    counts
}

/// Returns the largest node around a date without another one.
fn main_of(tree: &Tree, counts: &HashMap<NodeIndex, u32>, node: NodeIndex) -> NodeIndex {
    let single = tree.upwards(node).take_while(|above| counts.get(above).is_none_or(|count| *count <= 1));
    single.filter(|above| *above != 0).last().unwrap_or(node)
}

/// Returns the nodes with one date each, and the dates. Where most have the same name and classes, so have the others, if there
/// is such a node around their dates: the last of nested replies would reach further.
fn mains(
    tree: &Tree,
    all: &[Anchor],
    (anchors, counts): (&[usize], &HashMap<NodeIndex, u32>),
) -> BTreeMap<NodeIndex, usize> {
    let largest: Vec<_> = anchors.iter().map(|anchor| (main_of(tree, counts, all[*anchor].node), *anchor)).collect();
    let mut times: BTreeMap<u64, usize> = BTreeMap::new();
    largest.iter().for_each(|(main, _)| *times.entry(tree.node(*main).word).or_default() += 1);
    let usual = times.into_iter().max_by_key(|(_, times)| *times).filter(|(_, times)| *times * 2 > anchors.len());
    let mut mains = BTreeMap::new();
    for (main, anchor) in largest {
        let inside = || tree.upwards(all[anchor].node).take_while(|node| *node > main);
        let word = usual.map(|(word, _)| word).filter(|word| tree.node(main).word != *word);
        let main = word.and_then(|word| inside().find(|node| tree.node(*node).word == word)).unwrap_or(main);
        mains.entry(main).or_insert(anchor);
    }
    mains
}

/// The siblings that stand between the records.
struct Gaps {
    /// The words of nodes that stand between records.
    words: HashSet<u64>,
    /// Whether they belong to the record behind them.
    is_before: bool,
    /// The words of the nodes with dates.
    mains: HashSet<u64>,
    with_dates: HashSet<NodeIndex>,
}

impl Gaps {
    fn of(
        tree: &Tree,
        (parents, counts): (&BTreeMap<NodeIndex, Vec<NodeIndex>>, &HashMap<NodeIndex, u32>),
        mains: &HashSet<u64>,
    ) -> Self {
        let (mut words, mut before, mut after) = (HashSet::new(), 0_u32, 0_u32);
        let mut edges = Vec::new();
        for (parent, of_parent) in parents {
            let (first, last) = (of_parent[0], of_parent[of_parent.len() - 1]);
            // Replies to a post stand behind it.
            let last_dated = tree.children(*parent).filter(|child| counts.contains_key(child)).last().unwrap_or(last);
            let between = tree.children(*parent).filter(|child| (first..last_dated).contains(child));
            words.extend(between.filter(|child| !counts.contains_key(child)).map(|child| tree.node(child).word));
            edges.push((first, last));
        }
        // The outer side of the first and last record tells to which side the siblings belong.
        for (first, last) in edges {
            let next = sibling_after(tree, last).map(|node| tree.node(node).word);
            let previous = sibling_before(tree, first).map(|node| tree.node(node).word);
            before += u32::from(previous.is_some_and(|word| words.contains(&word)));
            after += u32::from(next.is_some_and(|word| words.contains(&word)));
        }
        let with_dates = counts.keys().copied().collect();
        Self { words, is_before: before > after, mains: mains.clone(), with_dates }
    }

    fn records(
        &self,
        tree: &Tree,
        parent: NodeIndex,
        (of_parent, mains): (&[NodeIndex], &BTreeMap<NodeIndex, usize>),
    ) -> Vec<Record> {
        let mut records: Vec<Record> = Vec::new();
        // Siblings that wait for the record behind them.
        let mut waiting = Vec::new();
        for child in tree.children(parent) {
            if of_parent.contains(&child) {
                let mut parts = std::mem::take(&mut waiting);
                parts.push(child);
                records.push(Record { anchor: mains.get(&child).copied(), parts });
                continue;
            }
            let word = tree.node(child).word;
            if self.with_dates.contains(&child) {
                continue;
            }
            if self.mains.contains(&word)
                && tree.node(child).words > 0
                && !tree.name(child).is_empty()
                && !self.words.contains(&word)
            {
                // It looks as a record, but shows no date.
                records.push(Record { anchor: None, parts: vec![child] });
                continue;
            }
            if !self.words.contains(&word) {
                waiting.clear();
                continue;
            }
            match records.last_mut() {
                _ if self.is_before => waiting.push(child),
                Some(record) => record.parts.push(child),
                None => {}
            }
        }
        records
    }
}

fn sibling_after(tree: &Tree, node: NodeIndex) -> Option<NodeIndex> {
    let parent = tree.parent(node)?;
    Some(tree.node(node).end).filter(|next| *next < tree.node(parent).end)
}

fn sibling_before(tree: &Tree, node: NodeIndex) -> Option<NodeIndex> {
    let parent = tree.parent(node)?;
    tree.children(parent).take_while(|child| *child < node).last()
}
