//! The site model: what a crawl learnt of a site, as a file that another crawl of it starts from and people can read.
//!
//! Left out are the pages themselves, and with them what repeats what: near-duplicates are found anew by each crawl.

mod facts;
mod file;
#[cfg(test)]
mod tests;
mod titles;

use serde::{Deserialize, Serialize};

pub use facts::{ClusterFacts, Destination, Facts, KindFacts, LinkFacts};
pub use file::ModelError;

use super::evidence::Evidence;
use super::templates::StoredTemplates;
use super::yields::Yields;
use crate::cluster_graph::StoredGraph;
use harvestman_structure::site::UrlPatterns;

/// What was learnt of a site. [`SiteModel::to_bytes`] and [`SiteModel::from_bytes`] are its file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SiteModel {
    /// What people want to know.
    pub facts: Facts,
    /// What `ucc` and `target` have learnt, where one of them has made it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) learnt: Option<Learnt>,
    /// What `cluster-graph` has learnt, where that has made it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    graph: Option<StoredGraph>,
}

impl SiteModel {
    /// What a crawl by `ucc` or `target` has learnt.
    pub(super) const fn of_classes(facts: Facts, learnt: Learnt) -> Self {
        Self { facts, learnt: Some(learnt), graph: None }
    }

    /// What a crawl by `cluster-graph` has learnt.
    pub const fn of_graph(facts: Facts, graph: StoredGraph) -> Self {
        Self { facts, learnt: None, graph: Some(graph) }
    }

    /// What `cluster-graph` starts from.
    pub const fn graph(&self) -> Option<&StoredGraph> {
        self.graph.as_ref()
    }

    /// Whether it has what `ucc` and `target` start from.
    pub const fn knows_classes(&self) -> bool {
        self.learnt.is_some()
    }

    /// Whether it fits together.
    fn check(&self) -> Result<(), &'static str> {
        let templates = self.learnt.as_ref().and_then(|learnt| learnt.templates.as_ref());
        if templates.is_some_and(|templates| !templates.is_sound()) {
            return Err("the templates do not fit their pages");
        }
        if self.learnt.is_none() && self.graph.is_none() {
            return Err("it holds nothing that was learnt");
        }
        self.graph.as_ref().map_or(Ok(()), StoredGraph::check)
    }
}

/// What a crawl goes on from.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Learnt {
    pub templates: Option<StoredTemplates>,
    pub patterns: UrlPatterns,
    pub evidence: Evidence,
    pub yields: Yields,
    /// The worth of the best class that was met.
    pub best: f64,
}
