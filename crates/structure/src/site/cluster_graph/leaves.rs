//! Node deletion by links alone (section 4.3): headers and footers, duplicate content, uninformative clusters.

use super::graph::{ClusterGraph, GraphReason, Standing};

/// Prunes clusters that are linked from more than half of the other clusters by more links than half the sampled URLs.
/// It looks at all edges: after edges are chosen by coverage, no cluster is linked from so many.
pub(super) fn prune_headers_and_footers(graph: &mut ClusterGraph) {
    let others = graph.nodes.iter().filter(|node| node.size > 0).count().saturating_sub(1);
    let linked_from = linked_from(graph);
    for (node, linked_from) in graph.nodes.iter_mut().zip(linked_from) {
        if 2 * linked_from > others && 2 * node.links_in > u64::from(graph.pages) {
            node.standing = Standing::Pruned(GraphReason::HeaderFooter);
        }
    }
}

/// Returns for each cluster the number of other clusters that link to it.
fn linked_from(graph: &ClusterGraph) -> Vec<usize> {
    let mut counts = vec![0; graph.nodes.len()];
    graph.edges.iter().filter(|edge| edge.from != edge.to).for_each(|edge| counts[edge.to.index()] += 1);
    counts
}

/// Prunes duplicates. If two clusters led to a third, the edge from one of them was deleted, and neither that one nor
/// the third leads anywhere (except to itself) any more, that one is pruned. Edges are taken in order; a cluster that
/// was pruned no longer makes another a duplicate, so one of two that lead to each other stays.
pub(super) fn prune_duplicates(graph: &mut ClusterGraph) {
    let (leaves, linked_from) = (leaves(graph), linked_from(graph));
    for edge in graph.edges.iter().filter(|edge| !edge.kept && edge.from != edge.to) {
        let (from, to) = (edge.from.index(), edge.to.index());
        let stand = [from, to].map(|cluster| graph.nodes[cluster].standing) == [Standing::Kept; 2];
        if stand && leaves[from] && leaves[to] && linked_from[to] >= 2 {
            graph.nodes[from].standing = Standing::Pruned(GraphReason::DuplicateContent);
        }
    }
}

/// Prunes clusters that lead nowhere (except to themselves) and are smaller than the mean by more than twice the
/// standard deviation.
pub(super) fn prune_uninformative(graph: &mut ClusterGraph) {
    let leaves = leaves(graph);
    let bound = unusually_small(graph);
    for (node, leaf) in graph.nodes.iter_mut().zip(leaves) {
        if leaf && node.standing == Standing::Kept && f64::from(node.size) < bound {
            node.standing = Standing::Pruned(GraphReason::Uninformative);
        }
    }
}

/// Returns the mean size of clusters minus twice its standard deviation. It is often negative.
fn unusually_small(graph: &ClusterGraph) -> f64 {
    let sizes: Vec<f64> = graph.nodes.iter().map(|node| f64::from(node.size)).filter(|size| *size > 0.0).collect();
    let count = sizes.len().max(1) as f64;
    let mean = sizes.iter().sum::<f64>() / count;
    let variance = sizes.iter().map(|size| (size - mean).powi(2)).sum::<f64>() / count;
    2.0_f64.mul_add(-variance.sqrt(), mean)
}

/// Returns for each cluster whether no edge is left that leads out of it.
fn leaves(graph: &ClusterGraph) -> Vec<bool> {
    let mut leaves = vec![true; graph.nodes.len()];
    let out = graph.edges.iter().filter(|edge| edge.kept && edge.from != edge.to);
    out.for_each(|edge| leaves[edge.from.index()] = false);
    leaves
}
