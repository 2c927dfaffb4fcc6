//! Pruning: which rules apply, and their order.

use super::content::Appraisal;
use super::evidence::Evidence;
use super::graph::{ClusterGraph, GraphEdge, GraphReason, Standing};
use super::options::{NodeRule, PruneOptions, Reach, Universe};
use super::reach::Starts;
use super::sample::{Cluster, GraphPage};
use super::{CLUSTERS_MAX, coverage, leaves, reach};

impl ClusterGraph {
    /// The graph of a sample, not pruned. Of `clusters` clusters, at most [`CLUSTERS_MAX`]; what belongs to further ones belongs to
    /// none.
    pub fn whole(sample: &[GraphPage], clusters: usize, universe: Universe) -> Self {
        Evidence::new(sample, clusters.min(CLUSTERS_MAX), universe).graph
    }

    /// The graph of a sample, pruned. `seeds` are the [URLs](GraphPage::url) where a crawl starts; those that were not sampled are
    /// passed over.
    ///
    /// Every kind of URL should be a cluster here, however small: front pages and lists of boards are few, and edges can be put
    /// back only through what has a number.
    pub fn learn(sample: &[GraphPage], clusters: usize, seeds: &[u64], options: &PruneOptions) -> Self {
        let mut evidence = Evidence::new(sample, clusters.min(CLUSTERS_MAX), options.universe);
        match options.nodes {
            NodeRule::Never => {}
            NodeRule::Links => leaves::prune_headers_and_footers(&mut evidence.graph),
            NodeRule::Content(distinct_min) => {
                let appraisal = Appraisal::of(sample, clusters, distinct_min, options.sure);
                prune_as_told(&mut evidence.graph, &appraisal.pruned);
            }
        }
        finished(evidence, seeds, options)
    }

    /// The same where it is known what the clusters are worth: `pruned` says of each, by number, why it is pruned, if it is. What
    /// `options` say of nodes is not asked.
    pub fn learn_told(
        sample: &[GraphPage],
        pruned: &[Option<GraphReason>],
        seeds: &[u64],
        options: &PruneOptions,
    ) -> Self {
        let mut evidence = Evidence::new(sample, pruned.len().min(CLUSTERS_MAX), options.universe);
        prune_as_told(&mut evidence.graph, pruned);
        finished(evidence, seeds, &PruneOptions { nodes: NodeRule::Never, ..*options })
    }

    /// The clusters, by number, that a crawl from `seeds` comes to through the pruned graph, by what `sample` says of the seeds.
    pub fn reached(&self, sample: &[GraphPage], seeds: &[u64]) -> Vec<Cluster> {
        let starts = Starts::new(self, sample, &seeds.iter().copied().collect());
        let number = |cluster| Cluster(u32::try_from(cluster).expect("clusters are numbered by u32"));
        reach::reached(self, &starts).into_iter().map(number).collect()
    }
}

/// What is left to do once nodes were pruned.
fn finished(mut evidence: Evidence<'_>, seeds: &[u64], options: &PruneOptions) -> ClusterGraph {
    if let Some(required) = options.coverage {
        delete_edges(&mut evidence, required);
    }
    if options.nodes == NodeRule::Links {
        leaves::prune_duplicates(&mut evidence.graph);
        leaves::prune_uninformative(&mut evidence.graph);
    }
    let Evidence { mut graph, pages, .. } = evidence;
    delete_edges_of_pruned(&mut graph, options.nodes);
    if options.reach != Reach::Never {
        let starts = Starts::new(&graph, pages, &seeds.iter().copied().collect());
        reach::put_edges_back(&mut graph, &starts, options.reach);
    }
    graph
}

fn prune_as_told(graph: &mut ClusterGraph, pruned: &[Option<GraphReason>]) {
    let pruned = graph.nodes.iter_mut().zip(pruned).filter_map(|(node, why)| Some((node, (*why)?)));
    pruned.for_each(|(node, why)| node.standing = Standing::Pruned(why));
}

/// The rule of coverage, for each cluster.
fn delete_edges(evidence: &mut Evidence<'_>, required: f64) {
    let graph = &mut evidence.graph;
    let mut incoming: Vec<Vec<usize>> = vec![Vec::new(); graph.nodes.len()];
    for (place, edge) in graph.edges.iter_mut().enumerate() {
        edge.kept = false;
        incoming[edge.to.index()].push(place);
    }
    for (node, places) in graph.nodes.iter().zip(incoming) {
        let reached: Vec<&[u32]> = places.iter().map(|place| &*evidence.reached[*place]).collect();
        for chosen in coverage::covering(&reached, node.size, required) {
            graph.edges[places[chosen]].kept = true;
        }
    }
}

/// By links, a pruned cluster is no part of the graph any more. By content, only the edges into it go: its pages are not fetched,
/// but seeds and sampled pages may be such, and what they link to is worth having.
fn delete_edges_of_pruned(graph: &mut ClusterGraph, rule: NodeRule) {
    let pruned: Vec<bool> = graph.nodes.iter().map(|node| node.standing.pruned().is_some()).collect();
    let stays = |edge: &GraphEdge| !pruned[edge.to.index()] && (rule != NodeRule::Links || !pruned[edge.from.index()]);
    graph.edges.iter_mut().for_each(|edge| edge.kept &= stays(edge));
}
