//! Frequent itemsets by FP-growth (Han, Pei, Yin 2000), in all bins at once.
//!
//! Input: transactions, each with its count in every bin. Output: the itemsets that are frequent in *every* bin. Mining
//! each bin by itself and intersecting the results gives the same, since a superset is not more frequent in any bin;
//! but itemsets that are frequent only in some bins are never built. Time and space grow with the number of itemsets,
//! hence the limits.
//!
//! The FP-tree stores transactions with common prefixes together.

use std::collections::{BTreeMap, HashMap};

use foldhash::fast::FixedState;

/// The items of a transaction, each once and in ascending order, and how often it occurs in each bin.
///
/// The more frequent an item, the smaller its number should be: that makes the tree small. The result does not depend
/// on it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Transaction {
    pub items: Vec<u16>,
    pub counts: Vec<u32>,
}

const ROOT: u32 = 0;
const NO_NODE: u32 = u32::MAX;

struct Node {
    item: u16,
    parent: u32,
    /// Another node of the same item.
    next: u32,
}

/// One item of the tree with all its nodes.
struct Head {
    first: u32,
    /// Support in each bin.
    counts: Vec<u32>,
}

/// The tree of the items that are frequent in every bin.
pub(super) struct FpTree {
    bins: usize,
    nodes: Vec<Node>,
    /// `bins` numbers for each node.
    counts: Vec<u32>,
    heads: BTreeMap<u16, Head>,
}

impl FpTree {
    /// Builds the tree. Items with less than `least` occurrences in any bin are dropped.
    pub fn new(transactions: &[Transaction], least: u32) -> Self {
        let bins = transactions.first().map_or(0, |transaction| transaction.counts.len());
        let root = Node { item: 0, parent: NO_NODE, next: NO_NODE };
        let mut tree = Self { bins, nodes: vec![root], counts: vec![0; bins], heads: frequent(transactions, least) };
        let mut children = HashMap::with_hasher(FixedState::default());
        for transaction in transactions {
            tree.insert(transaction, &mut children);
        }
        tree
    }

    fn insert(&mut self, transaction: &Transaction, children: &mut HashMap<(u32, u16), u32, FixedState>) {
        let mut at = ROOT;
        for &item in &transaction.items {
            let Some(head) = self.heads.get_mut(&item) else { continue };
            at = *children.entry((at, item)).or_insert_with(|| {
                let new = self.nodes.len() as u32;
                self.nodes.push(Node { item, parent: at, next: std::mem::replace(&mut head.first, new) });
                self.counts.resize(self.counts.len() + self.bins, 0);
                new
            });
            let counts = &mut self.counts[at as usize * self.bins..][..self.bins];
            add(counts, &transaction.counts);
        }
    }

    /// Returns the frequent items in ascending order, with their support in each bin.
    pub fn items(&self) -> impl Iterator<Item = (u16, &[u32])> {
        self.heads.iter().map(|(item, head)| (*item, &*head.counts))
    }

    /// Returns the transactions above an item: the smaller items of all transactions that have it. `steps` grows by the
    /// nodes visited.
    pub fn above(&self, item: u16, steps: &mut u64) -> Vec<Transaction> {
        let mut above = Vec::new();
        let mut node = self.heads.get(&item).map_or(NO_NODE, |head| head.first);
        while node != NO_NODE {
            let items = self.ancestors(node);
            *steps += items.len() as u64 + 1;
            if !items.is_empty() {
                let counts = self.counts[node as usize * self.bins..][..self.bins].to_vec();
                above.push(Transaction { items, counts });
            }
            node = self.nodes[node as usize].next;
        }
        above
    }

    fn ancestors(&self, node: u32) -> Vec<u16> {
        let mut items = Vec::new();
        let mut at = self.nodes[node as usize].parent;
        while at != ROOT {
            items.push(self.nodes[at as usize].item);
            at = self.nodes[at as usize].parent;
        }
        items.reverse();
        items
    }
}

fn frequent(transactions: &[Transaction], least: u32) -> BTreeMap<u16, Head> {
    let mut heads: BTreeMap<u16, Head> = BTreeMap::new();
    for transaction in transactions {
        for item in &transaction.items {
            let unseen = || Head { first: NO_NODE, counts: vec![0; transaction.counts.len()] };
            add(&mut heads.entry(*item).or_insert_with(unseen).counts, &transaction.counts);
        }
    }
    heads.retain(|_, head| head.counts.iter().all(|count| *count >= least));
    heads
}

fn add(to: &mut [u32], counts: &[u32]) {
    for (to, count) in to.iter_mut().zip(counts) {
        *to += count;
    }
}

/// An itemset: another one and one smaller item. They are the nodes of a tree, in which every subset of an itemset is
/// found by following its items in descending order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub(super) struct FrequentSet {
    /// The position of the other itemset in the list, counted from 1; 0 for the empty set. It comes before this one.
    pub parent: u32,
    pub item: u16,
    /// Occurrences in all bins together.
    pub support: u32,
}

/// Limits on the cost of mining.
#[derive(Debug, Clone, Copy)]
pub(super) struct MiningLimits {
    pub itemsets_max: usize,
    pub steps_max: u64,
}

/// There are more itemsets than allowed, or they take too long to find.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct LimitReached;

/// Returns all itemsets that occur at least `least` times in every bin (and at least once), except the empty one.
pub(super) fn fp_growth(
    transactions: &[Transaction],
    least: u32,
    limits: MiningLimits,
) -> Result<Vec<FrequentSet>, LimitReached> {
    let least = least.max(1);
    let mut growth = Growth { least, limits, steps: 0, found: Vec::new() };
    growth.grow(&FpTree::new(transactions, least), 0)?;
    Ok(growth.found)
}

struct Growth {
    least: u32,
    limits: MiningLimits,
    steps: u64,
    found: Vec<FrequentSet>,
}

impl Growth {
    /// Finds the itemsets that extend `parent`, which occurs in all of the tree's transactions. The recursion is as
    /// deep as the longest transaction is long.
    fn grow(&mut self, tree: &FpTree, parent: u32) -> Result<(), LimitReached> {
        for (item, counts) in tree.items() {
            if self.found.len() >= self.limits.itemsets_max || self.steps > self.limits.steps_max {
                return Err(LimitReached);
            }
            self.found.push(FrequentSet { parent, item, support: counts.iter().sum() });
            let set = self.found.len() as u32;
            let above = tree.above(item, &mut self.steps);
            if !above.is_empty() {
                self.grow(&FpTree::new(&above, self.least), set)?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
#[path = "tests/fp_growth.rs"]
mod tests;
