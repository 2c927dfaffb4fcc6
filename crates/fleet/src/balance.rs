//! Moves partitions so that nodes have even loads.
//!
//! Input: the holder of each partition, its load, and each node's weight. Output: which partitions move where. While
//! nodes are too far apart, the node with the highest load relative to its weight gives away one partition, to the node
//! where the higher of both loads becomes lowest. Each step lowers the higher of the two loads and leaves the other one
//! below it, so the highest load never grows and the procedure ends. A node that no move can relieve is skipped.
//! O(steps · partitions of a node · nodes).
//!
//! Source: local search in the jump neighbourhood. With equal weights the result is at most 2 − 2/(n + 1) times the
//! optimum (Finn and Horowitz 1979); if partitions are small relative to a node's share, it is within one partition of
//! even.

use super::Partition;
use super::assignment::Weight;

/// When a rebalance is worth its cost.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BalanceThresholds {
    /// Nothing moves unless two nodes differ by more than this share of an even load and a move helps.
    pub begin: f64,
    /// Once moves have begun, they continue between nodes that differ by more than this.
    pub end: f64,
    /// The most steps of one rebalance.
    pub steps_max: usize,
    /// Nothing moves while fewer URLs than this are known per node: the move would follow chance.
    pub known_min: u64,
}

impl BalanceThresholds {
    /// The thresholds of periodic checks.
    pub const PERIODIC: Self = Self { begin: 0.15, end: 0.05, steps_max: 32, known_min: 20 };
    /// The thresholds of requested rebalances.
    pub const REQUESTED: Self = Self { begin: 0.02, end: 0.02, steps_max: 256, known_min: 0 };
}

/// A partition that moves to a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Move {
    /// The partition.
    pub partition: Partition,
    /// The index of the node that it moves to.
    pub to: usize,
}

/// Computes the moves. `holders` and `known` have one entry for each partition, in order: the node that holds it, and
/// its load. `weights` has one entry for each node; nodes of weight 0 neither give nor take. Moves are in the order of
/// the partitions.
pub fn balance(holders: &[usize], known: &[u64], weights: &[Weight], bounds: &BalanceThresholds) -> Vec<Move> {
    let Some(mut nodes) = Nodes::new(holders, known, weights) else { return Vec::new() };
    let many = weights.iter().filter(|weight| **weight > 0).count() as u64;
    if known.iter().sum::<u64>() < bounds.known_min.saturating_mul(many) {
        return Vec::new();
    }
    let mut apart = bounds.begin;
    for _ in 0..bounds.steps_max {
        let Some(step) = nodes.step(apart) else { break };
        nodes.take(step);
        apart = bounds.end;
    }
    let after = (0_u16..).map(Partition).zip(holders.iter().zip(&nodes.holders));
    after
        .filter(|(_, (before, after))| before != after)
        .map(|(partition, (_, after))| Move { partition, to: *after })
        .collect()
}

/// A step of the search, by the numbers of a partition and of the node that it moves to.
struct Step {
    partition: usize,
    to: usize,
}

struct Nodes<'a> {
    known: &'a [u64],
    holders: Vec<usize>,
    loads: Vec<u64>,
    /// The even load of each node; 0 if it takes no part.
    even: Vec<f64>,
}

impl<'a> Nodes<'a> {
    /// Returns `None` if there is no load or no weight.
    fn new(holders: &[usize], known: &'a [u64], weights: &[Weight]) -> Option<Self> {
        let mut loads = vec![0; weights.len()];
        for (holder, known) in holders.iter().zip(known) {
            *loads.get_mut(*holder)? += known;
        }
        let total: u64 = loads.iter().sum();
        let weight_sum: f64 = weights.iter().copied().map(f64::from).sum();
        if total == 0 || weight_sum == 0.0 {
            return None;
        }
        let even = weights.iter().map(|weight| total as f64 * f64::from(*weight) / weight_sum).collect();
        Some(Self { known, holders: holders.to_vec(), loads, even })
    }

    /// Returns the load of a node relative to its even load: 1 is even.
    fn level(&self, node: usize, load: u64) -> f64 {
        load as f64 / self.even[node]
    }

    /// Returns the best step from the most loaded node that a step relieves.
    fn step(&self, apart: f64) -> Option<Step> {
        let mut ranked: Vec<(f64, usize)> = (0..self.loads.len())
            .filter(|node| self.even[*node] > 0.0)
            .map(|node| (self.level(node, self.loads[node]), node))
            .collect();
        ranked.sort_by(|one, other| other.0.total_cmp(&one.0).then(one.1.cmp(&other.1)));
        let mut given = vec![Vec::new(); self.loads.len()];
        self.holders.iter().enumerate().for_each(|(partition, holder)| given[*holder].push(partition));
        let off = |(at, (level, from)): (usize, &(f64, usize))| {
            self.best(*level, *from, &given[*from], &ranked[at + 1..], apart)
        };
        ranked.iter().enumerate().find_map(off)
    }

    /// Returns the best step from a node with these partitions to one of the less loaded nodes: the one that minimises
    /// the higher load of both.
    fn best(&self, level: f64, from: usize, given: &[usize], others: &[(f64, usize)], apart: f64) -> Option<Step> {
        let far = others.iter().filter(|(its, _)| level - its > apart);
        let after = |partition: usize, to: usize| {
            let known = self.known[partition];
            self.level(from, self.loads[from] - known).max(self.level(to, self.loads[to] + known))
        };
        let pairs = far.flat_map(|(_, to)| given.iter().map(move |partition| (*partition, *to)));
        let steps = pairs.map(|(partition, to)| (after(partition, to), partition, to));
        let better = steps.filter(|(after, ..)| *after < level);
        let best = better.min_by(|one, other| one.0.total_cmp(&other.0).then((one.1, one.2).cmp(&(other.1, other.2))));
        best.map(|(_, partition, to)| Step { partition, to })
    }

    fn take(&mut self, Step { partition, to }: Step) {
        let known = self.known[partition];
        self.loads[self.holders[partition]] -= known;
        self.loads[to] += known;
        self.holders[partition] = to;
    }
}

#[cfg(test)]
#[path = "balance_tests.rs"]
mod tests;
