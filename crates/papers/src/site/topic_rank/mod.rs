//! The weights of pages by topic-sensitive PageRank from known authorities (xCrawl 2009, section 4; Haveliwala,
//! *Topic-sensitive PageRank*, WWW 2002).
//!
//! The initial weights are 1 for authorities, for other nodes their hub weight and 1/n where that is 0 (formula 1).
//! They are propagated along links: a page gives each of its d successors 1/d of its weight, times c.
//!
//! [`topic_rank()`] computes all weights; [`TopicRank`] updates them after changes of the graph.

mod full;
mod incremental;

pub use full::{RankForm, RankOptions, topic_rank};
pub use incremental::TopicRank;

use super::web_graph::WebGraph;

/// Returns the initial weights by node (formula 1), given the hub weights. `n` is the number of pages in the graph; a
/// caller that updates weights may round it, because a change of n is a change of nearly all weights.
pub fn topic_weights(graph: &WebGraph, hubs: &[f64], n: u32) -> Vec<f64> {
    let least = 1.0 / f64::from(n.max(1));
    let mut weights = vec![least; graph.nodes() as usize];
    weights.iter_mut().zip(hubs).filter(|(_, hub)| **hub > 0.0).for_each(|(weight, hub)| *weight = *hub);
    graph.authorities().iter().for_each(|node| weights[*node as usize] = 1.0);
    weights
}

/// Returns the initial weights of PageRank without a topic: 1/n for each node.
pub fn uniform_weights(graph: &WebGraph, n: u32) -> Vec<f64> {
    vec![1.0 / f64::from(n.max(1)); graph.nodes() as usize]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::site::web_graph::made::{Made, nodes};

    #[test]
    fn authorities_weigh_one_hubs_their_weight_and_others_one_nth() {
        let graph = Made::new(&[(0, &[1, 2, 3]), (1, &[])], &[1]).whole();
        let [list, one, two] = nodes(&graph, &[0, 1, 2])[..] else { unreachable!() };
        let mut hubs = vec![0.0; 3];
        hubs[list as usize] = 0.6;
        hubs[one as usize] = 0.3;
        let weights = topic_weights(&graph, &hubs, 5);
        assert_eq!([list, one, two].map(|node| weights[node as usize]), [0.6, 1.0, 0.2]);
        assert_eq!(weights[3], 0.2, "a node without a hub weight");
        assert_eq!(uniform_weights(&graph, 8), [0.125; 4]);
        assert!(topic_weights(&WebGraph::default(), &[], 0).is_empty());
    }
}
