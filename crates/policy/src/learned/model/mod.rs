//! The site model: what a crawl learned of a site, in a file that another crawl of it starts from and that can be
//! displayed.
//!
//! It does not contain the pages themselves, and therefore no near-duplicates: each crawl finds them again.

mod facts;
mod file;
#[cfg(test)]
mod tests;

use serde::{Deserialize, Serialize};

pub use facts::{ClusterFacts, Destination, Facts, KindFacts, LinkFacts};
pub use file::ModelError;

use super::evidence::Evidence;
use super::templates::StoredTemplates;
use super::yields::Yields;
use crate::cluster_graph::StoredGraph;
use harvestman_structure::site::UrlPatterns;

/// What was learned of a site. [`SiteModel::to_bytes`] and [`SiteModel::from_bytes`] convert it to and from a file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SiteModel {
    /// The facts for display.
    pub facts: Facts,
    /// The state of `ucc` or `target`, if one of them made the model.
    #[serde(default, rename = "learnt", skip_serializing_if = "Option::is_none")]
    pub(super) learned: Option<LearnedClasses>,
    /// The graph of `cluster-graph`, if it made the model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    graph: Option<StoredGraph>,
}

impl SiteModel {
    /// The model of a crawl by `ucc` or `target`.
    pub(super) const fn of_classes(facts: Facts, learned: LearnedClasses) -> Self {
        Self { facts, learned: Some(learned), graph: None }
    }

    /// The model of a crawl by `cluster-graph`.
    pub const fn of_graph(facts: Facts, graph: StoredGraph) -> Self {
        Self { facts, learned: None, graph: Some(graph) }
    }

    /// The graph that `cluster-graph` starts from.
    pub const fn graph(&self) -> Option<&StoredGraph> {
        self.graph.as_ref()
    }

    /// Whether it contains what `ucc` and `target` start from.
    pub const fn knows_classes(&self) -> bool {
        self.learned.is_some()
    }

    /// Checks that its parts fit together.
    fn check(&self) -> Result<(), &'static str> {
        let templates = self.learned.as_ref().and_then(|learned| learned.templates.as_ref());
        if templates.is_some_and(|templates| !templates.is_sound()) {
            return Err("the templates do not match their pages");
        }
        if self.learned.is_none() && self.graph.is_none() {
            return Err("it contains no learned state");
        }
        self.graph.as_ref().map_or(Ok(()), StoredGraph::check)
    }
}

/// The state that a crawl by `ucc` or `target` starts from.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct LearnedClasses {
    pub templates: Option<StoredTemplates>,
    pub patterns: UrlPatterns,
    pub evidence: Evidence,
    pub yields: Yields,
    /// The worth of the best class that was met.
    pub best: f64,
}
