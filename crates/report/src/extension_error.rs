//! Failures of the code that a program adds to the crawl that it embeds.

use serde::{Deserialize, Serialize};

/// The failures of one part that the embedding program added to the crawl: a sink, the policy, the filter.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct ExtensionError {
    /// The part: `policy`, `filter`, or `sink` with its number, from 1 on.
    pub part: String,
    /// The number of failures.
    pub count: u64,
    /// The message of the first one.
    pub first: String,
}
