//! The cluster graph (ClusterGraph 2009, sections 4.3 and 4.4): which clusters of URLs link to which, and the part of
//! it that a crawl needs.
//!
//! Input: the pages of a sample ([`GraphPage`]), each with the cluster of its URL. Output: a [`ClusterGraph`] of
//! clusters and edges, pruned by links alone; it decides whether a link is followed by the clusters of its page and its
//! URL.
//!
//! On recorded sites such a graph ends at the seeds or near them: the edges that reach the most URLs of a cluster are
//! seldom those by which a crawl gets there, and the pages that the seeds link to are linked from everywhere.

mod edge_targets;
mod graph;
mod links_alone;
#[cfg(test)]
mod prune_tests;
#[cfg(test)]
mod samples_tests;

use edge_targets::WholeGraph;

pub use graph::{Cluster, ClusterGraph, GraphEdge, GraphNode, GraphPage};

/// The share of a cluster's URLs that the edges into it must reach; edges beyond it are deleted (section 4.3).
const COVERAGE: f64 = 0.6;

impl ClusterGraph {
    /// Builds and prunes the graph of a sample. It has `clusters` clusters; URLs of further clusters belong to none.
    pub fn learn(sample: &[GraphPage], clusters: usize) -> Self {
        let mut whole = WholeGraph::new(sample, clusters);
        // It looks at all edges: after edges are chosen by coverage, no cluster is linked from so many.
        links_alone::prune_headers_and_footers(&mut whole.graph);
        delete_edges(&mut whole);
        let mut graph = whole.graph;
        links_alone::prune_duplicates(&mut graph);
        links_alone::prune_uninformative(&mut graph);
        delete_edges_of_pruned(&mut graph);
        graph
    }
}

/// Applies the coverage rule to each cluster.
fn delete_edges(whole: &mut WholeGraph) {
    let graph = &mut whole.graph;
    let mut incoming: Vec<Vec<usize>> = vec![Vec::new(); graph.nodes.len()];
    for (place, edge) in graph.edges.iter_mut().enumerate() {
        edge.kept = false;
        incoming[edge.to.index()].push(place);
    }
    for (node, places) in graph.nodes.iter().zip(incoming) {
        let reached: Vec<&[u32]> = places.iter().map(|place| &*whole.reached[*place]).collect();
        for chosen in links_alone::covering(&reached, node.size, COVERAGE) {
            graph.edges[places[chosen]].kept = true;
        }
    }
}

/// Deletes the edges of pruned clusters, which are no part of the graph any more.
fn delete_edges_of_pruned(graph: &mut ClusterGraph) {
    let pruned: Vec<bool> = graph.nodes.iter().map(|node| node.pruned.is_some()).collect();
    graph.edges.iter_mut().for_each(|edge| edge.kept &= !pruned[edge.from.index()] && !pruned[edge.to.index()]);
}
