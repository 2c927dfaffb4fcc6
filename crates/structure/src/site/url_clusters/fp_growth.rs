//! Frequent itemsets by FP-growth (Han, Pei, Yin 2000), in all bins at once.
//!
//! In: transactions, each with its count in every bin. Out: the itemsets that are frequent in *every* bin. That is what
//! mining each bin by itself and intersecting the results gives, since a superset is no more frequent in any bin; but what
//! is frequent only here and there is never made. Time and space grow with the number of itemsets, which is why there are
//! limits.

use super::fp_tree::{FpTree, Transaction};

/// An itemset: another one and one smaller item. They are the nodes of a tree, in which every subset of an itemset is found by
/// going through its items in falling order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub(super) struct FrequentSet {
    /// The other one's place in the list, counted from 1; 0 for the empty set. It stands before this one.
    pub parent: u32,
    pub item: u16,
    /// Occurrences in all bins together.
    pub support: u32,
}

/// What mining may cost.
#[derive(Debug, Clone, Copy)]
pub(super) struct MiningLimits {
    pub itemsets_max: usize,
    pub steps_max: u64,
}

/// There are more itemsets than allowed, or they take too long to find.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct LimitReached;

/// All itemsets that occur at least `least` times in every bin (and at least once), but the empty one.
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
    /// Finds the itemsets that extend `parent`, which occurs in all of the tree's transactions. As deep as the longest
    /// transaction is long.
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
