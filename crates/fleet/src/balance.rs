//! How partitions move so that nodes have even loads.
//!
//! Input: who holds each partition now, what each weighs, and each node's weight; output: which partitions move where. From the node with the
//! highest load for its weight one partition after the other moves to where the higher load of the two becomes lowest, as long as nodes are too
//! far apart. Each step lowers the load of the higher of two nodes and leaves the other one below it, so that the highest load never grows, and
//! it ends. A node that can be helped by no move is passed over. O(steps · partitions of a node · nodes).
//!
//! Source: local search in the neighbourhood of jumps; what it ends at with equal weights is at most 2 − 2/(n + 1) times the best that there is
//! (Finn and Horowitz 1979), and where partitions are small against a node's share, within one partition of even.

use super::Partition;
use super::assignment::Weight;

/// When it pays to move something.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BalanceThresholds {
    /// Nothing moves unless two nodes are further apart than this share of an even load, and a move would help.
    pub begin: f64,
    /// From then on moves go on between nodes that are further apart than this.
    pub end: f64,
    /// No more steps than so many at once.
    pub steps_max: usize,
    /// Nothing moves as long as less than this is known for each node: it would be moved by chance.
    pub known_min: u64,
}

impl BalanceThresholds {
    /// As it is looked every now and then.
    pub const USUAL: Self = Self { begin: 0.15, end: 0.05, steps_max: 32, known_min: 20 };
    /// As people ask for it.
    pub const ASKED: Self = Self { begin: 0.02, end: 0.02, steps_max: 256, known_min: 0 };
}

/// A partition that is to move to a node.
pub type Move = (Partition, usize);

/// What is to move. `holders` and `known` have an entry for each partition, in their order: the node that holds it, and its load. `weights` has one
/// for each node; nodes without a weight neither give nor take. Moves are in the order of the partitions.
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
    after.filter(|(_, (before, after))| before != after).map(|(partition, (_, after))| (partition, *after)).collect()
}

/// A partition, by its number, and the node that it is to move to.
type Step = (usize, usize);

struct Nodes<'a> {
    known: &'a [u64],
    holders: Vec<usize>,
    loads: Vec<u64>,
    /// What an even load of each node is; 0: it takes no part.
    even: Vec<f64>,
}

impl<'a> Nodes<'a> {
    /// None where there is nothing to spread, or nobody to spread it over.
    fn new(holders: &[usize], known: &'a [u64], weights: &[Weight]) -> Option<Self> {
        let mut loads = vec![0; weights.len()];
        for (holder, known) in holders.iter().zip(known) {
            *loads.get_mut(*holder)? += known;
        }
        let total: u64 = loads.iter().sum();
        let weighs: f64 = weights.iter().copied().map(f64::from).sum();
        if total == 0 || weighs == 0.0 {
            return None;
        }
        let even = weights.iter().map(|weight| total as f64 * f64::from(*weight) / weighs).collect();
        Some(Self { known, holders: holders.to_vec(), loads, even })
    }

    /// The load of a node for its weight, were it this: 1 is even.
    fn level(&self, node: usize, load: u64) -> f64 {
        load as f64 / self.even[node]
    }

    /// The best step, off the fullest node that one helps.
    fn step(&self, apart: f64) -> Option<Step> {
        let mut ranked: Vec<(f64, usize)> = (0..self.loads.len())
            .filter(|node| self.even[*node] > 0.0)
            .map(|node| (self.level(node, self.loads[node]), node))
            .collect();
        ranked.sort_by(|one, other| other.0.total_cmp(&one.0).then(one.1.cmp(&other.1)));
        let mut given = vec![Vec::new(); self.loads.len()];
        self.holders.iter().enumerate().for_each(|(partition, holder)| given[*holder].push(partition));
        let off = |(at, from): (usize, &(f64, usize))| self.best(*from, &given[from.1], &ranked[at + 1..], apart);
        ranked.iter().enumerate().find_map(off)
    }

    /// The best step from a node with these partitions to one of those that are less full: the one after which the fuller of both is the least so.
    fn best(&self, (level, from): (f64, usize), given: &[usize], others: &[(f64, usize)], apart: f64) -> Option<Step> {
        let far = others.iter().filter(|(its, _)| level - its > apart);
        let after = |partition: usize, to: usize| {
            let known = self.known[partition];
            self.level(from, self.loads[from] - known).max(self.level(to, self.loads[to] + known))
        };
        let steps =
            far.flat_map(|(_, to)| given.iter().map(move |partition| (after(*partition, *to), *partition, *to)));
        let better = steps.filter(|(after, ..)| *after < level);
        let best = better.min_by(|one, other| one.0.total_cmp(&other.0).then((one.1, one.2).cmp(&(other.1, other.2))));
        best.map(|(_, partition, to)| (partition, to))
    }

    fn take(&mut self, (partition, to): Step) {
        let known = self.known[partition];
        self.loads[self.holders[partition]] -= known;
        self.loads[to] += known;
        self.holders[partition] = to;
    }
}

#[cfg(test)]
#[path = "balance_tests.rs"]
mod tests;
