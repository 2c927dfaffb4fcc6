//! The cluster graph (ClusterGraph 2009, sections 4.3 and 4.4): which clusters of URLs link to which, the part of it
//! that a crawl needs, and the filter derived from it.
//!
//! Input: the pages of a sample ([`GraphPage`]), each with the cluster of its URL, determined by any method. Output: a
//! [`ClusterGraph`] of clusters and edges, pruned by [`PruneOptions`]: as in the [paper](PruneOptions::paper), by links
//! alone, or (the default) by what the pages show, so that every cluster worth fetching stays reachable from the seeds.
//! Its [`GraphFilter`] is the form for crawling: it decides whether a link is followed by the clusters of its page and
//! its URL.

mod evidence;
mod graph;
mod graph_pages;
mod links_alone;
mod repeated_content;
mod worth;

use evidence::{Evidence, Starts};

pub use graph::{
    ClusterGraph, GraphEdge, GraphFilter, GraphNode, GraphReason, NodeRule, PruneOptions, Reach, Standing, Universe,
};
pub use graph_pages::{CLUSTERS_MAX, Cluster, GraphLink, GraphPage};
pub use repeated_content::Appraisal;
pub use worth::{SplitOff, Threshold};

impl ClusterGraph {
    /// Builds the graph of a sample without pruning it. It has `clusters` clusters, at most [`CLUSTERS_MAX`]; URLs of
    /// further clusters belong to none.
    pub fn whole(sample: &[GraphPage], clusters: usize, universe: Universe) -> Self {
        Evidence::new(sample, clusters.min(CLUSTERS_MAX), universe).graph
    }

    /// Builds and prunes the graph of a sample. `seeds` are the [URLs](GraphPage::url) where a crawl starts; those that
    /// were not sampled are ignored.
    ///
    /// Every type of URL should be a cluster here, however small: front pages and lists of boards are few, and edges
    /// can be restored only between clusters.
    pub fn learn(sample: &[GraphPage], clusters: usize, seeds: &[u64], options: &PruneOptions) -> Self {
        let mut evidence = Evidence::new(sample, clusters.min(CLUSTERS_MAX), options.universe);
        match options.nodes {
            NodeRule::Never => {}
            NodeRule::Links => links_alone::prune_headers_and_footers(&mut evidence.graph),
            NodeRule::Content(distinct_min) => {
                let appraisal = Appraisal::of(sample, clusters, distinct_min, options.sure);
                apply_verdicts(&mut evidence.graph, &appraisal.pruned);
            }
        }
        finished(evidence, seeds, options)
    }

    /// Builds the graph with given verdicts on the clusters: `pruned` has for each, by number, the reason why it is
    /// pruned, if it is. The node rule of `options` is ignored.
    pub fn learn_with_verdicts(
        sample: &[GraphPage],
        pruned: &[Option<GraphReason>],
        seeds: &[u64],
        options: &PruneOptions,
    ) -> Self {
        let mut evidence = Evidence::new(sample, pruned.len().min(CLUSTERS_MAX), options.universe);
        apply_verdicts(&mut evidence.graph, pruned);
        finished(evidence, seeds, &PruneOptions { nodes: NodeRule::Never, ..*options })
    }

    /// Returns the clusters, by number, that a crawl from `seeds` reaches through the pruned graph, given what `sample`
    /// says about the seeds.
    pub fn reached(&self, sample: &[GraphPage], seeds: &[u64]) -> Vec<Cluster> {
        let starts = Starts::new(self, sample, &seeds.iter().copied().collect());
        let number = |cluster| Cluster(u32::try_from(cluster).expect("clusters are numbered by u32"));
        evidence::reached(self, &starts).into_iter().map(number).collect()
    }
}

/// Completes the pruning after nodes were pruned.
fn finished(mut evidence: Evidence<'_>, seeds: &[u64], options: &PruneOptions) -> ClusterGraph {
    if let Some(required) = options.coverage {
        delete_edges(&mut evidence, required);
    }
    if options.nodes == NodeRule::Links {
        links_alone::prune_duplicates(&mut evidence.graph);
        links_alone::prune_uninformative(&mut evidence.graph);
    }
    let Evidence { mut graph, pages, .. } = evidence;
    delete_edges_of_pruned(&mut graph, options.nodes);
    if options.reach != Reach::Never {
        let starts = Starts::new(&graph, pages, &seeds.iter().copied().collect());
        evidence::put_edges_back(&mut graph, &starts, options.reach);
    }
    graph
}

fn apply_verdicts(graph: &mut ClusterGraph, pruned: &[Option<GraphReason>]) {
    let pruned = graph.nodes.iter_mut().zip(pruned).filter_map(|(node, why)| Some((node, (*why)?)));
    pruned.for_each(|(node, why)| node.standing = Standing::Pruned(why));
}

/// Applies the coverage rule to each cluster.
fn delete_edges(evidence: &mut Evidence<'_>, required: f64) {
    let graph = &mut evidence.graph;
    let mut incoming: Vec<Vec<usize>> = vec![Vec::new(); graph.nodes.len()];
    for (place, edge) in graph.edges.iter_mut().enumerate() {
        edge.kept = false;
        incoming[edge.to.index()].push(place);
    }
    for (node, places) in graph.nodes.iter().zip(incoming) {
        let reached: Vec<&[u32]> = places.iter().map(|place| &*evidence.reached[*place]).collect();
        for chosen in links_alone::covering(&reached, node.size, required) {
            graph.edges[places[chosen]].kept = true;
        }
    }
}

/// Deletes edges of pruned clusters. By links, a pruned cluster is no part of the graph any more. By content, only the
/// edges into it are deleted: its pages are not fetched, but seeds and sampled pages may be among them, and what they
/// link to is worth fetching.
fn delete_edges_of_pruned(graph: &mut ClusterGraph, rule: NodeRule) {
    let pruned: Vec<bool> = graph.nodes.iter().map(|node| node.standing.pruned().is_some()).collect();
    let stays = |edge: &GraphEdge| !pruned[edge.to.index()] && (rule != NodeRule::Links || !pruned[edge.from.index()]);
    graph.edges.iter_mut().for_each(|edge| edge.kept &= stays(edge));
}

#[cfg(test)]
mod content_tests;

#[cfg(test)]
mod prune_tests;

#[cfg(test)]
mod reach_tests;

#[cfg(test)]
mod samples_tests;

#[cfg(test)]
mod worth_tests;
