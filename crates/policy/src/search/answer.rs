//! What a search answered.

use serde::{Deserialize, Serialize};

/// The answer to a query.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct SearchAnswer {
    /// The number of documents that the search says it has found; `None` if it does not say.
    pub hits: Option<u64>,
    /// The number of results on the page.
    pub results: u32,
}

impl SearchAnswer {
    /// Returns the number of hits: what the search says, but at least the number of results that it shows.
    pub fn hits(&self) -> u64 {
        self.hits.unwrap_or(0).max(u64::from(self.results))
    }
}
