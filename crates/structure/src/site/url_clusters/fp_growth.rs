//! Frequent itemsets by FP-growth (Han, Pei, Yin 2000), in all bins at once.
//!
//! Input: transactions, each with its count in every bin. Output: the itemsets that are frequent in *every* bin. Mining
//! each bin by itself and intersecting the results gives the same, since a superset is not more frequent in any bin;
//! but itemsets that are frequent only in some bins are never built. Time and space grow with the number of itemsets,
//! hence the limits.

use super::fp_tree::{FpTree, Transaction};

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
