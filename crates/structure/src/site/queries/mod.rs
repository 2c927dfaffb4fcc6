//! Automatic generation of search queries (xCrawl 2009, section 4, `GetAuthorities`).
//!
//! The tokens of sample documents are ordered by the harmonic mean of two weights, [`ranked`]: TF-IDF, and how many
//! documents a search engine knows for the token. Both ends of that order are of little use: a token at the front may
//! be found everywhere, one at the end hardly anywhere. So [`Queries`] combines tokens from the middle outwards.
//! [`QueryGeneration`] decides which query is next and when to stop.

mod combinations;
mod generation;
mod ranking;

pub use combinations::{QUERY_LENGTH_MAX, QUERY_TOKENS_MAX, Queries, Query};
pub use generation::{QueryGeneration, QueryOptions, QueryPhase, QueryResult};
pub use ranking::{RankedToken, middle_out, ranked, search_weights};
