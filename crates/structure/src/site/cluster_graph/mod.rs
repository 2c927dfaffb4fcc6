//! The cluster graph (ClusterGraph 2009, sections 4.3 and 4.4): which clusters of URLs link to which, what of it a crawl needs, and
//! the filter that follows from it.
//!
//! In: the pages of a sample ([`GraphPage`]), each with the cluster that its URL belongs to, however that was found. Out: a
//! [`ClusterGraph`] of clusters and edges, pruned by [`PruneOptions`]: as the [paper](PruneOptions::paper) has it, by links alone, or
//! (the default) by what the pages show, so that every cluster worth having stays within reach of the seeds. Its
//! [`GraphFilter`] is the form for crawling: it says of each link, by the clusters at its ends, whether it is followed.

mod content;
#[cfg(test)]
mod content_tests;
mod coverage;
mod evidence;
mod filter;
mod graph;
mod leaves;
mod options;
mod prune;
#[cfg(test)]
mod prune_tests;
mod reach;
#[cfg(test)]
mod reach_tests;
mod sample;
#[cfg(test)]
mod samples;
mod worth;
#[cfg(test)]
mod worth_tests;

pub use content::Appraisal;
pub use filter::GraphFilter;
pub use graph::{ClusterGraph, GraphEdge, GraphNode, GraphReason, Standing};
pub use options::{NodeRule, PruneOptions, Reach, Universe};
pub use sample::{Cluster, GraphLink, GraphPage};
pub use worth::Apart;

/// Clusters that a graph has at most: a filter of so many takes 2 MiB. Clusters with higher numbers count as none.
pub const CLUSTERS_MAX: usize = 4_096;
