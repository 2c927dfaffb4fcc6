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
use harvestman_core::model::Apath;
use harvestman_structure::site::UrlPatterns;

/// What was learned of a site. [`SiteModel::to_bytes`] and [`SiteModel::from_bytes`] convert it to and from a file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SiteModel {
    /// The facts for display.
    pub facts: Facts,
    /// The state that the crawl ended with; models that `cluster-graph` made in earlier versions have none.
    #[serde(default, rename = "learnt", skip_serializing_if = "Option::is_none")]
    pub(super) learned: Option<LearnedClasses>,
    /// The same for the other programs of a crawl of several sites.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) others: Vec<LearnedClasses>,
}

impl SiteModel {
    /// The model of a crawl.
    pub(super) const fn new(facts: Facts, learned: LearnedClasses) -> Self {
        Self { facts, learned: Some(learned), others: Vec::new() }
    }

    /// The same with the places of links by which another site is recognised as one of the same program.
    #[must_use]
    pub(crate) fn with_places(mut self, places: Vec<Apath>) -> Self {
        if let Some(learned) = &mut self.learned {
            learned.places = places;
        }
        self
    }

    /// Adds the model of another program.
    pub(crate) fn join(&mut self, other: Self) {
        self.facts.add(other.facts);
        self.others.extend(other.learned);
        self.others.extend(other.others);
    }

    /// The model of each program, with the places of links on its sites' pages; one at least.
    pub(crate) fn split(self) -> Vec<(Self, Vec<Apath>)> {
        let Self { facts, learned, others } = self;
        let others = others.into_iter().map(Some);
        let each = |learned: Option<LearnedClasses>| {
            let places = learned.as_ref().map(|learned| learned.places.clone()).unwrap_or_default();
            (Self { facts: facts.clone(), learned, others: Vec::new() }, places)
        };
        std::iter::once(learned).chain(others).map(each).collect()
    }

    /// Whether a crawl can start from it.
    pub const fn knows_classes(&self) -> bool {
        self.learned.is_some()
    }

    /// Checks that its parts fit together.
    fn check(&self) -> Result<(), &'static str> {
        let mut templates = self.learned.iter().chain(&self.others).filter_map(|learned| learned.templates.as_ref());
        if templates.any(|templates| !templates.is_sound()) {
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
    /// The places of links on pages of the program's sites.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub places: Vec<Apath>,
}
