//! Weights that are updated where the graph or the initial weights have changed.
//!
//! Of each node the weight x(v) that was counted so far and the residual r(v) that was not are known, such that
//! r = (1 - c)·t + c·M·x - x for the initial weights t and the matrix M of the links. A change adds to residuals. A
//! push moves the residual of a node to its weight and c/d of it to the residual of each of its d successors. The true
//! weights differ from x by at most Σ|r| / (1 - c) in sum. Source: McSherry, *A uniform approach to accelerated
//! PageRank computation*, WWW 2005, section 4; Berkhin, *Bookmark-coloring algorithm*, Internet Mathematics 3 (2006).
//!
//! It needs [`RankForm::Teleport`](super::RankForm::Teleport), whose weights are linear in the initial ones.

use std::collections::VecDeque;

use super::RankOptions;
use crate::site::web_graph::WebGraph;

/// Maximum number of pushes of an update. The residuals that are then left are pushed by the next update.
const PUSHES_MAX: u64 = 20_000_000;

/// Weights of a growing graph by topic-sensitive PageRank. About 40 bytes per node.
#[derive(Debug, Clone)]
pub struct TopicRank {
    options: RankOptions,
    weights: Vec<f64>,
    residuals: Vec<f64>,
    /// The initial weights that the residuals include.
    initial: Vec<f64>,
    /// Whether the weight of a page flows to its successors. Its links were all added at once.
    linked: Vec<bool>,
    queued: Vec<bool>,
}

impl TopicRank {
    /// Creates the weights of an empty graph. [`RankOptions::tolerance`] bounds the sum of the residuals;
    /// [`RankOptions::form`] and [`RankOptions::steps_max`] are not used.
    pub const fn new(options: RankOptions) -> Self {
        Self {
            options,
            weights: Vec::new(),
            residuals: Vec::new(),
            initial: Vec::new(),
            linked: Vec::new(),
            queued: Vec::new(),
        }
    }

    /// Returns the weights by node, as of the last update.
    pub fn weights(&self) -> &[f64] {
        &self.weights
    }

    /// Updates the weights to `graph`, which has grown since the last update, and to these initial weights by node.
    /// Returns the number of pushes. O(nodes + links of pushed nodes).
    pub fn update(&mut self, graph: &WebGraph, initial: &[f64]) -> u64 {
        let nodes = graph.nodes() as usize;
        [&mut self.weights, &mut self.residuals, &mut self.initial]
            .into_iter()
            .for_each(|values| values.resize(nodes, 0.0));
        [&mut self.linked, &mut self.queued].into_iter().for_each(|flags| flags.resize(nodes, false));
        self.take_initial(initial);
        self.take_links(graph);
        self.push_residuals(graph)
    }

    fn take_initial(&mut self, initial: &[f64]) {
        for ((residual, known), initial) in self.residuals.iter_mut().zip(&mut self.initial).zip(initial) {
            *residual += (1.0 - self.options.damping) * (initial - *known);
            *known = *initial;
        }
    }

    /// Lets the counted weight of newly visited pages flow along their links.
    fn take_links(&mut self, graph: &WebGraph) {
        for page in 0..graph.nodes() {
            let at = page as usize;
            if !self.linked[at] && graph.outdegree(page) > 0 {
                self.linked[at] = true;
                self.flow(graph, page, self.weights[at]);
            }
        }
    }

    /// Adds what the successors of `page` receive of `weight` to their residuals.
    fn flow(&mut self, graph: &WebGraph, page: u32, weight: f64) {
        let edge = self.options.damping * weight / f64::from(graph.outdegree(page).max(1));
        graph.successors(page).for_each(|to| self.residuals[to as usize] += edge);
    }

    fn push_residuals(&mut self, graph: &WebGraph) -> u64 {
        let least = self.options.tolerance / f64::from(graph.nodes().max(1));
        let mut queue: VecDeque<u32> = VecDeque::new();
        (0..graph.nodes()).for_each(|node| self.enqueue(node, least, &mut queue));
        let mut pushes = 0;
        while let Some(node) = queue.pop_front() {
            self.queued[node as usize] = false;
            // Each push reduces Σ|r| by at least (1 - c) · least.
            if pushes < PUSHES_MAX {
                pushes += 1;
                let residual = std::mem::take(&mut self.residuals[node as usize]);
                self.weights[node as usize] += residual;
                self.flow(graph, node, residual);
                graph.successors(node).for_each(|to| self.enqueue(to, least, &mut queue));
            }
        }
        pushes
    }

    fn enqueue(&mut self, node: u32, least: f64, queue: &mut VecDeque<u32>) {
        let at = node as usize;
        if self.residuals[at].abs() > least && !std::mem::replace(&mut self.queued[at], true) {
            queue.push_back(node);
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::{topic_rank, topic_weights};
    use super::*;
    use crate::site::web_graph::made::{add, made, url};

    fn exact(graph: &WebGraph, initial: &[f64]) -> Vec<f64> {
        let options = RankOptions { tolerance: 1e-13, steps_max: 1_000, ..RankOptions::default() };
        topic_rank(graph, initial, None, &options)
    }

    fn difference(one: &[f64], other: &[f64]) -> f64 {
        assert_eq!(one.len(), other.len());
        one.iter().zip(other).map(|(one, other)| (one - other).abs()).sum()
    }

    /// A chain of pages from an authority.
    fn chain(pages: u32) -> WebGraph {
        let mut graph = WebGraph::default();
        (0..pages).for_each(|page| add(&mut graph, &(page, vec![page + 1], page == 0)));
        graph
    }

    #[test]
    fn what_does_not_change_is_not_pushed_again() {
        let mut graph = chain(2_000);
        let mut rank = TopicRank::new(RankOptions::default());
        let all = rank.update(&graph, &topic_weights(&graph, &[], 2_048));
        assert!(all >= 2_000, "{all} pushes");
        assert_eq!(rank.update(&graph, &topic_weights(&graph, &[], 2_048)), 0);
        add(&mut graph, &(5_000, vec![5_001, 1_500], false));
        let few = rank.update(&graph, &topic_weights(&graph, &[], 2_048));
        assert!(few > 0 && few < 100, "{few} pushes");
    }

    #[test]
    fn the_last_push_of_a_change_may_be_smaller_than_the_tolerance_but_nothing_is_lost() {
        let graph = chain(50);
        let mut rank = TopicRank::new(RankOptions::default());
        // Changes each of which is too small to be pushed.
        let mut initial = topic_weights(&graph, &[], 64);
        rank.update(&graph, &initial);
        for _ in 0..1_000 {
            initial[50] += 1e-5;
            rank.update(&graph, &initial);
        }
        let bound = RankOptions::default().tolerance / (1.0 - RankOptions::default().damping);
        assert!(difference(rank.weights(), &exact(&graph, &initial)) < bound);
    }

    #[test]
    fn an_authority_that_is_found_later_changes_what_it_links_to() {
        let mut graph = chain(10);
        let mut rank = TopicRank::new(RankOptions::default());
        rank.update(&graph, &topic_weights(&graph, &[], 10));
        let node = graph.node(url(6)).unwrap();
        let before = rank.weights()[node as usize + 1];
        graph.accept(node);
        rank.update(&graph, &topic_weights(&graph, &[], 10));
        assert!(rank.weights()[node as usize + 1] > before + 0.1);
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, cases: 64, ..ProptestConfig::default() })]

        #[test]
        fn weights_are_those_of_the_full_computation_within_the_tolerance(
            made in made(), tolerance in 1e-9..1e-2_f64, hubs in prop::collection::vec(0.0..1.0_f64, 0..30),
        ) {
            let mut rank = TopicRank::new(RankOptions { tolerance, ..RankOptions::default() });
            let mut graph = WebGraph::default();
            for (at, page) in made.pages.iter().enumerate() {
                add(&mut graph, page);
                let hubs = if at % 2 == 0 { &hubs[..] } else { &[] };
                let initial = topic_weights(&graph, hubs, graph.nodes());
                rank.update(&graph, &initial);
                let found = difference(rank.weights(), &exact(&graph, &initial));
                prop_assert!(found < tolerance / 0.15 + 1e-9, "{} with a tolerance of {}", found, tolerance);
            }
        }
    }
}
