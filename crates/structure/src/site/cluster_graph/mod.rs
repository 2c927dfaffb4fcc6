//! The cluster graph (ClusterGraph 2009, sections 4.3 and 4.4): which clusters of URLs link to which, the part of it
//! that a crawl needs, and the filter derived from it.
//!
//! Input: the pages of a sample ([`GraphPage`]), each with the cluster of its URL, determined by any method. Output: a
//! [`ClusterGraph`] of clusters and edges, pruned by [`PruneOptions`]: as in the [paper](PruneOptions::paper), by links
//! alone, or (the default) by what the pages show, so that every cluster worth fetching stays reachable from the seeds.
//! Its [`GraphFilter`] is the form for crawling: it decides whether a link is followed by the clusters of its page and
//! its URL.

#[cfg(test)]
mod content_tests;
mod evidence;
mod graph;
mod graph_pages;
mod links_alone;
mod prune;
#[cfg(test)]
mod prune_tests;
#[cfg(test)]
mod reach_tests;
mod repeated_content;
#[cfg(test)]
mod samples;
mod worth;
#[cfg(test)]
mod worth_tests;

pub use graph::{
    ClusterGraph, GraphEdge, GraphFilter, GraphNode, GraphReason, NodeRule, PruneOptions, Reach, Standing, Universe,
};
pub use graph_pages::{Cluster, GraphLink, GraphPage};
pub use repeated_content::Appraisal;
pub use worth::{SplitOff, Threshold};

/// Maximum number of clusters in a graph: the filter then takes 2 MiB. Clusters with higher numbers count as none.
pub const CLUSTERS_MAX: usize = 4_096;
