//! What a search answered, and what a page says about one.

use harvestman_core::url::Fingerprint;
use serde::{Deserialize, Serialize};

/// What a seed's page says about a search of its site.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct PageSearch {
    /// The address of an OpenSearch description, canonical.
    pub description: Option<Box<str>>,
    /// The template of a form, as [`SearchTemplate::parse`](harvestman_core::url::SearchTemplate::parse) reads it.
    pub form: Option<Box<str>>,
    /// The links of the page: an answer that shows them again shows no results by them.
    pub links: Box<[Fingerprint]>,
}

/// What a request to a search has shown.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum SearchReply {
    /// The answer to a query.
    Answer(SearchAnswer),
    /// The description of a site's own search: the template of its answers, or `None` if it cannot be used.
    Description(Option<Box<str>>),
    /// A description is at another address.
    Moved(Box<str>),
    /// Nothing: robots.txt forbids the request.
    Forbidden,
}

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
