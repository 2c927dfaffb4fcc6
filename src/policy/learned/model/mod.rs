//! The site model: what a crawl learnt of a site, as a file that another crawl of it starts from and people can read.
//!
//! Left out are the pages themselves, and with them what repeats what: near-duplicates are found anew by each crawl.

mod facts;
mod file;
#[cfg(test)]
mod tests;
mod titles;

use serde::{Deserialize, Serialize};

pub use facts::{ClusterFacts, Destination, Facts, LinkFacts};
pub use file::ModelError;

use super::evidence::Evidence;
use super::templates::StoredTemplates;
use super::yields::Yields;
use crate::site::UrlPatterns;

/// What was learnt of a site. [`SiteModel::to_bytes`] and [`SiteModel::from_bytes`] are its file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SiteModel {
    /// What people want to know.
    pub facts: Facts,
    pub(super) learnt: Learnt,
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
