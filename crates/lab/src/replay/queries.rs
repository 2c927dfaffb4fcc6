//! Replays that start from queries: a search over recorded pages.

use std::sync::Arc;

use bytes::Bytes;
use http::{HeaderMap, HeaderValue, header};
use serde_json::json;

use super::answered;
use harvestman_core::config::Config;
use harvestman_core::config::url::ScopeMode;
use harvestman_core::model::Exchange;
use harvestman_core::url::CanonicalUrl;

/// The address of the search. No recording has it.
const SEARCH: &str = "http://search.invalid/?q=";

/// Number of results of an answer.
const RESULTS: usize = 30;

/// What a search answers.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Answered {
    /// Number of documents with the words of the query.
    pub hits: u64,
    /// The addresses of the first of them.
    pub urls: Vec<CanonicalUrl>,
}

/// A search: answers a query with at most this many results.
pub type Search = dyn Fn(&str, usize) -> Answered + Send + Sync;

/// The start of a replay from queries.
#[derive(Clone)]
pub struct QueryStart {
    /// The search.
    pub search: Arc<Search>,
    /// The texts of the example pages.
    pub samples: Vec<String>,
}

impl QueryStart {
    /// Sets what a crawl from queries is configured with.
    pub(super) fn configure(config: &mut Config) {
        config.scope.mode = ScopeMode::Host;
        config.search.url = vec![format!("{SEARCH}{{query}}")];
    }

    /// Answers a request for a query; `None` if the URL is none.
    pub(super) fn answer(&self, url: &CanonicalUrl) -> Option<Exchange> {
        let query = url.as_str().strip_prefix(SEARCH)?;
        let query = percent_encoding::percent_decode_str(query).decode_utf8_lossy();
        let Answered { hits, urls } = (self.search)(&query, RESULTS);
        let results: Vec<_> = urls.iter().map(|url| json!({ "url": url.as_str() })).collect();
        let body = json!({ "number_of_results": hits, "results": results }).to_string();
        let mut headers = HeaderMap::new();
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
        Some(answered(url, 200, headers, Bytes::from(body)))
    }
}
