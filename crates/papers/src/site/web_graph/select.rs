//! The choice of the next link of a page (xCrawl 2009, section 4, `SelectLink`).

use rand::Rng;

use super::WebGraph;

/// The probability that a walk returns to a random authority after a page: the best one of the paper (section 5.3).
pub const RESTART_PROBABILITY: f64 = 0.15;

/// How a link is chosen.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum LinkChoice {
    /// As printed: the link to the node with the largest weight. Links to equal weights are equally likely. Such a walk
    /// may stay among a few known pages.
    Best,
    /// A random link, with probability proportional to the weight of its node.
    Proportional {
        /// The share of draws, 0 to 1, that are restricted to nodes that were not visited yet, where the page links to
        /// such nodes.
        unvisited: f64,
    },
}

impl Default for LinkChoice {
    /// Proportional, half of the draws restricted to unvisited nodes.
    fn default() -> Self {
        Self::Proportional { unvisited: 0.5 }
    }
}

/// Returns the weight of each outgoing edge of a node: weight(v) / outdegree(v), which is the same for all of them.
pub fn edge_weight(graph: &WebGraph, weights: &[f64], node: u32) -> f64 {
    weight_of(weights, node) / f64::from(graph.outdegree(node).max(1))
}

/// Chooses one of the nodes that `page` links to and for which `open` holds, by the weights of these nodes: the edges
/// of a page all weigh the same. `None` if there is no such node. O(links of the page).
pub fn select_link(
    graph: &WebGraph,
    weights: &[f64],
    page: u32,
    choice: LinkChoice,
    open: impl Fn(u32) -> bool,
    rng: &mut impl Rng,
) -> Option<u32> {
    let mut candidates: Vec<u32> = graph.successors(page).filter(|node| open(*node)).collect();
    match choice {
        LinkChoice::Best => {
            let best = candidates.iter().map(|node| weight_of(weights, *node)).fold(0.0, f64::max);
            candidates.retain(|node| weight_of(weights, *node) >= best);
            uniform(&candidates, rng)
        }
        LinkChoice::Proportional { unvisited } => {
            let restricted = rng.random::<f64>() < unvisited;
            if restricted && candidates.iter().any(|node| !graph.is_visited(*node)) {
                candidates.retain(|node| !graph.is_visited(*node));
            }
            proportional(&candidates, weights, rng)
        }
    }
}

fn proportional(candidates: &[u32], weights: &[f64], rng: &mut impl Rng) -> Option<u32> {
    let total: f64 = candidates.iter().map(|node| weight_of(weights, *node)).sum();
    let mut way = rng.random::<f64>() * total;
    if total <= 0.0 {
        return uniform(candidates, rng);
    }
    let drawn = candidates.iter().find(|node| {
        way -= weight_of(weights, **node);
        way < 0.0
    });
    // Rounding may lead past the end.
    drawn.or_else(|| candidates.iter().rfind(|node| weight_of(weights, **node) > 0.0)).copied()
}

fn uniform(candidates: &[u32], rng: &mut impl Rng) -> Option<u32> {
    (!candidates.is_empty()).then(|| candidates[rng.random_range(0..candidates.len())])
}

/// The weight of a node; 0 where it has none, so that sums are finite.
fn weight_of(weights: &[f64], node: u32) -> f64 {
    weights.get(node as usize).copied().filter(|weight| weight.is_finite()).unwrap_or(0.0).max(0.0)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::site::web_graph::made::{Made, nodes};
    use harvestman_core::seed::Seed;

    /// Page 0 links to 1 to 4, of which 1 was visited.
    fn graph() -> (WebGraph, Vec<u32>) {
        let graph = Made::new(&[(0, &[1, 2, 3, 4]), (1, &[0])], &[]).whole();
        let nodes = nodes(&graph, &[0, 1, 2, 3, 4]);
        (graph, nodes)
    }

    fn drawn(weights: &[f64], choice: LinkChoice, open: impl Fn(u32) -> bool) -> BTreeMap<u32, u32> {
        let (graph, nodes) = graph();
        let mut by_node = vec![0.0; 5];
        nodes.iter().zip(weights).for_each(|(node, weight)| by_node[*node as usize] = *weight);
        let (mut rng, mut times) = (Seed(5).rng(), BTreeMap::new());
        for _ in 0..4_000 {
            if let Some(node) = select_link(&graph, &by_node, nodes[0], choice, &open, &mut rng) {
                *times.entry(nodes.iter().position(|other| *other == node).unwrap() as u32).or_default() += 1;
            }
        }
        times
    }

    #[test]
    fn the_weight_of_a_node_is_divided_among_its_edges() {
        let (graph, nodes) = graph();
        assert_eq!(edge_weight(&graph, &[0.8; 5], nodes[0]), 0.2);
        assert_eq!(edge_weight(&graph, &[0.8; 5], nodes[4]), 0.8);
        assert_eq!(edge_weight(&graph, &[], 77), 0.0);
    }

    #[test]
    fn the_best_link_is_chosen_and_equal_ones_are_equally_likely() {
        let best = |weights: &[f64]| drawn(weights, LinkChoice::Best, |_| true);
        assert_eq!(best(&[9.0, 0.1, 0.7, 0.3, 0.2]), BTreeMap::from([(2, 4_000)]));
        let found = best(&[0.0, 0.1, 0.7, 0.7, 0.2]);
        assert!(found.len() == 2 && found.values().all(|times| (1_850..2_150).contains(times)), "{found:?}");
        assert_eq!(best(&[0.0; 5]).len(), 4);
    }

    #[test]
    fn proportional_draws_follow_the_weights() {
        let found = drawn(&[0.0, 0.6, 0.3, 0.0, 0.1], LinkChoice::Proportional { unvisited: 0.0 }, |_| true);
        assert!((2_300..2_500).contains(&found[&1]) && (1_100..1_300).contains(&found[&2]), "{found:?}");
        assert!((320..480).contains(&found[&4]) && !found.contains_key(&3), "{found:?}");
        assert_eq!(drawn(&[0.0, f64::NAN, 0.0], LinkChoice::Proportional { unvisited: 0.0 }, |_| true).len(), 4);
    }

    #[test]
    fn some_draws_are_restricted_to_unvisited_nodes() {
        let found = drawn(&[0.0, 0.5, 0.5], LinkChoice::Proportional { unvisited: 0.5 }, |_| true);
        assert!((900..1_100).contains(&found[&1]), "a quarter: {found:?}");
        let visited = graph().1[1];
        let only = drawn(&[0.0, 0.5, 0.5], LinkChoice::Proportional { unvisited: 1.0 }, |node| node == visited);
        assert_eq!(only, BTreeMap::from([(1, 4_000)]), "there is no other");
    }

    #[test]
    fn without_open_links_there_is_none() {
        for choice in [LinkChoice::Best, LinkChoice::default()] {
            assert!(drawn(&[1.0; 5], choice, |_| false).is_empty());
        }
        assert_eq!(select_link(&WebGraph::default(), &[], 3, LinkChoice::Best, |_| true, &mut Seed(1).rng()), None);
    }
}
