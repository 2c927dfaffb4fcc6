//! What the searches of a crawl have found, for status and report.

use serde::{Deserialize, Serialize};

/// The queries that were sent, and the sites that their results led to.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct SearchRecord {
    /// Number of queries.
    pub queries: u64,
    /// Number of sites with a wanted page among the results.
    pub found: u64,
    /// Number of wanted pages among the results of the searches of the seeds' own sites.
    pub own_wanted: u64,
    /// The sites, those with the most wanted pages first: [`SITES_SHOWN`] at most.
    pub sites: Vec<FoundSite>,
}

/// Maximum number of sites in a record.
pub const SITES_SHOWN: usize = 50;

/// A site that a search found.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct FoundSite {
    /// Scheme and authority.
    pub site: String,
    /// Number of requests to it since it was found.
    pub requests: u64,
    /// Number of its pages that were accepted since.
    pub wanted: u64,
    /// Whether it was left, because its yield is far below that of the best site: links to it are refused since.
    pub left: bool,
}
