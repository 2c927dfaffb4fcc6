//! Page types by everything that a page has: a random forest over the presence of features.
//!
//! Input: the features of sample pages, by type. Output: [`TypeForest`], a classifier. Each tree is grown from a
//! bootstrap of the samples; a node tests whether a page has a feature, the one of some drawn at random that leaves the
//! least Gini impurity (Breiman, *Random forests*, Machine Learning 45, 2001; trees vote with the shares of their
//! leaves).
//!
//! Features that the same samples have are one column, and each tree tests a random one of them. Otherwise the paths of
//! a page, of which a template puts dozens on every page, would be drawn all the time, and the few parts of an address
//! hardly ever. Where samples of several types look alike, the features decide that tell these apart, and no others:
//! the content of pages, which makes distances between pages noisy, is not looked at.

use std::collections::BTreeMap;

use harvestman_core::seed::Seed;
use harvestman_papers::site::PageFeatures;
use rand::Rng;
use rand::seq::{IndexedRandom, SliceRandom};

/// Number of trees.
const TREES: usize = 100;
/// Share of the columns that are drawn for a node.
const DRAWN: f64 = 0.3;

/// Features that the same samples have.
struct Column {
    features: Vec<u64>,
    /// For each sample, whether it has them.
    has: Vec<bool>,
}

/// A node of a tree.
#[derive(Debug, Clone, PartialEq)]
enum Node {
    /// Tests for a feature; the nodes for pages without it and with it.
    Test { feature: u64, without: usize, with: usize },
    /// For each type that its samples have, its share of them.
    Leaf(Vec<(usize, f64)>),
}

/// A tree: its nodes, of which the last one is the root.
#[derive(Debug, Clone, PartialEq)]
struct Tree(Vec<Node>);

/// Tells page types apart. Types are numbered from 0, in the order of their samples.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct TypeForest {
    types: usize,
    trees: Vec<Tree>,
}

impl TypeForest {
    /// Learns from sample pages, which are grouped by type. A type without samples is never found.
    pub(super) fn learn(samples: &[Vec<PageFeatures>], seed: Seed) -> Self {
        let training = Training::of(samples);
        let mut rng = seed.child("forest").rng();
        let trees = if training.types.is_empty() { 0 } else { TREES };
        let mut grow = || {
            let drawn = (0..training.types.len()).map(|_| rng.random_range(0..training.types.len())).collect();
            training.tree(drawn, DRAWN, &mut rng)
        };
        Self { types: samples.len(), trees: (0..trees).map(|_| grow()).collect() }
    }

    /// Returns the type for which most trees vote; of several, the first. `None` if there are no samples.
    pub(super) fn classify(&self, page: &PageFeatures) -> Option<usize> {
        let page: Vec<u64> = page.iter().collect();
        let mut votes = vec![0.0; self.types];
        for (number, share) in self.trees.iter().flat_map(|tree| tree.leaf(&page)) {
            votes[*number] += share;
        }
        let voted = votes.into_iter().enumerate().filter(|(_, votes)| *votes > 0.0);
        voted.reduce(|best, next| if next.1 > best.1 { next } else { best }).map(|(number, _)| number)
    }
}

impl Tree {
    /// Returns the shares of the leaf of a page with these features, which are in ascending order.
    fn leaf(&self, page: &[u64]) -> &[(usize, f64)] {
        let mut at = self.0.len() - 1;
        // A node's children are before it.
        loop {
            match &self.0[at] {
                Node::Leaf(shares) => return shares,
                Node::Test { feature, without, with } => {
                    at = if page.binary_search(feature).is_ok() { *with } else { *without };
                }
            }
        }
    }
}

/// What trees are grown from.
struct Training {
    /// The type of each sample.
    types: Vec<usize>,
    columns: Vec<Column>,
}

impl Training {
    fn of(samples: &[Vec<PageFeatures>]) -> Self {
        let types: Vec<usize> =
            samples.iter().enumerate().flat_map(|(number, pages)| vec![number; pages.len()]).collect();
        let mut having: BTreeMap<u64, Vec<usize>> = BTreeMap::new();
        for (sample, page) in samples.iter().flatten().enumerate() {
            page.iter().for_each(|feature| having.entry(feature).or_default().push(sample));
        }
        let mut alike: BTreeMap<Vec<usize>, Vec<u64>> = BTreeMap::new();
        for (feature, having) in having.into_iter().filter(|(_, having)| having.len() < types.len()) {
            alike.entry(having).or_default().push(feature);
        }
        let column = |(having, features): (Vec<usize>, Vec<u64>)| {
            let mut has = vec![false; types.len()];
            having.into_iter().for_each(|sample| has[sample] = true);
            Column { features, has }
        };
        Self { columns: alike.into_iter().map(column).collect(), types }
    }

    /// Grows a tree from these samples, some of which may occur several times, until its leaves are of one type or
    /// cannot be told apart. For each node, this share of the columns is drawn.
    fn tree(&self, samples: Vec<usize>, drawn: f64, rng: &mut impl Rng) -> Tree {
        let features: Vec<u64> =
            self.columns.iter().map(|column| column.features.choose(rng).copied().unwrap_or_default()).collect();
        let mut tree = Tree(Vec::new());
        self.grow(samples, drawn, &features, &mut tree, rng);
        tree
    }

    /// Adds the node for these samples, and all below. Returns its position. The depth is bounded by the number of
    /// different samples, since each test separates some.
    fn grow(&self, samples: Vec<usize>, drawn: f64, features: &[u64], tree: &mut Tree, rng: &mut impl Rng) -> usize {
        let node = match self.best_test(&samples, drawn, rng) {
            None => Node::Leaf(self.shares(&samples)),
            Some(column) => {
                let (with, without): (Vec<usize>, Vec<usize>) =
                    samples.into_iter().partition(|sample| self.columns[column].has[*sample]);
                let without = self.grow(without, drawn, features, tree, rng);
                let with = self.grow(with, drawn, features, tree, rng);
                Node::Test { feature: features[column], without, with }
            }
        };
        tree.0.push(node);
        tree.0.len() - 1
    }

    /// Returns the column that leaves the least impurity: the best of those drawn, or if these separate nothing, the
    /// first further one that does. `None` if all samples are of one type, or none can be told apart.
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a share of a number of columns")]
    fn best_test(&self, samples: &[usize], drawn: f64, rng: &mut impl Rng) -> Option<usize> {
        if samples.iter().all(|sample| self.types[*sample] == self.types[samples[0]]) {
            return None;
        }
        let mut order: Vec<usize> = (0..self.columns.len()).collect();
        order.shuffle(rng);
        let least = (drawn * self.columns.len() as f64).ceil() as usize;
        let mut best: Option<(f64, usize)> = None;
        for (looked_at, column) in order.into_iter().enumerate() {
            if looked_at >= least && best.is_some() {
                break;
            }
            if let Some(purity) = self.purity(samples, column)
                && best.is_none_or(|(most, _)| purity > most)
            {
                best = Some((purity, column));
            }
        }
        best.map(|(_, column)| column)
    }

    /// Returns the sum over both sides of a test of Σ n(type)² / n, which is largest where the Gini impurity is least;
    /// `None` if one side is empty.
    fn purity(&self, samples: &[usize], column: usize) -> Option<f64> {
        let mut counts: BTreeMap<usize, [f64; 2]> = BTreeMap::new();
        let mut sides = [0.0_f64; 2];
        for sample in samples {
            let side = usize::from(self.columns[column].has[*sample]);
            counts.entry(self.types[*sample]).or_default()[side] += 1.0;
            sides[side] += 1.0;
        }
        if sides.contains(&0.0) {
            return None;
        }
        Some(counts.values().map(|[without, with]| without * without / sides[0] + with * with / sides[1]).sum())
    }

    /// Returns the share of each type among these samples.
    fn shares(&self, samples: &[usize]) -> Vec<(usize, f64)> {
        let mut counts: BTreeMap<usize, f64> = BTreeMap::new();
        samples.iter().for_each(|sample| *counts.entry(self.types[*sample]).or_default() += 1.0);
        counts.into_iter().map(|(number, count)| (number, count / samples.len() as f64)).collect()
    }
}

#[cfg(test)]
#[path = "type_forest_tests.rs"]
mod tests;
