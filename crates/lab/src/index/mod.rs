//! A local full-text index of pages, with the answers of a web search engine: [`LocalIndex`] finds the documents that
//! contain all words of a query and orders them by BM25.
//!
//! Input: address, title and text of each document ([`IndexBuilder::add`]). Output: the number of documents that match
//! a query, and a part of them in order ([`QueryAnswer`]). xCrawl (2009, section 4) finds further pages of a kind by
//! queries to a search engine; this is one that answers from recorded pages, the same way every time.
//!
//! Texts and queries are cut by [`harvestman_structure::site::tokens`], so that every token of a document finds it.
//! Memory is bounded by the limits exported here.

mod best;
mod builder;
mod error;
mod limits;
mod page;
mod query;
mod search;
#[cfg(test)]
mod tests;
mod words;

pub use builder::IndexBuilder;
pub use error::Error;
pub use limits::{DOCUMENTS_MAX, EXCERPT_CHARACTERS_MAX, RESULTS_MAX, TEXT_BYTES_MAX, TITLE_BYTES_MAX, URL_BYTES_MAX};
pub use query::{Clause, QUERY_TOKENS_MAX, clauses};
pub use search::{Hit, LocalIndex, QueryAnswer};
