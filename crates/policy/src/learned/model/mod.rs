//! The site model: what a crawl learned of a site, in a file that another crawl of it starts from and that can be
//! displayed.
//!
//! It does not contain the pages themselves, and therefore no near-duplicates: each crawl finds them again.

mod facts;
mod file;
#[cfg(test)]
mod tests;

use serde::{Deserialize, Serialize};

pub use facts::{ClusterFacts, Destination, Facts, LinkFacts};
pub use file::ModelError;

use super::evidence::Evidence;
use super::templates::StoredTemplates;
use super::yields::Yields;
use harvestman_structure::site::UrlPatterns;

/// What was learned of a site. [`SiteModel::to_bytes`] and [`SiteModel::from_bytes`] convert it to and from a file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SiteModel {
    /// The facts for display.
    pub facts: Facts,
    /// The state that the crawl ended with; models that `cluster-graph` made in earlier versions have none.
    #[serde(default, rename = "learnt", skip_serializing_if = "Option::is_none")]
    pub(super) learned: Option<LearnedClasses>,
}

impl SiteModel {
    /// The model of a crawl.
    pub(super) const fn new(facts: Facts, learned: LearnedClasses) -> Self {
        Self { facts, learned: Some(learned) }
    }

    /// Whether a crawl can start from it.
    pub const fn knows_classes(&self) -> bool {
        self.learned.is_some()
    }

    /// Checks that its parts fit together.
    fn check(&self) -> Result<(), &'static str> {
        let templates = self.learned.as_ref().and_then(|learned| learned.templates.as_ref());
        if templates.is_some_and(|templates| !templates.is_sound()) {
            return Err("the templates do not match their pages");
        }
        Ok(())
    }
}

/// The state that a crawl starts from.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct LearnedClasses {
    pub templates: Option<StoredTemplates>,
    pub patterns: UrlPatterns,
    pub evidence: Evidence,
    pub yields: Yields,
    /// The worth of the best class that was met.
    pub best: f64,
}
