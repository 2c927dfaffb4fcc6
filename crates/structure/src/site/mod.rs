//! The structure of a site: its page templates, and the forms of its URLs.
//!
//! Pure functions over values (SOUrCe 2018), in this order: a sample of pages becomes vectors ([`Vocabulary`]), their
//! [`Distances`] give a radius ([`eps()`]), and [`dbscan()`] the clusters.
//!
//! A [`Label`] is the number of a cluster, counted from 0, or `None` for an outlier: a page whose template has few
//! instances.

mod dbscan;
mod distances;
mod eps;
mod features;
mod queries;
mod tokens;
mod url_kind;
mod url_parts;
mod url_pattern;
mod url_slots;
mod vector;

pub use dbscan::{MIN_PTS, dbscan, silhouette_times_coverage};
pub use distances::{Counting, Distances, K, k_dist};
pub use eps::{EpsOptions, EpsRule, eps};
pub use features::{THETA, Vocabulary};

pub use queries::{
    QUERY_LENGTH_MAX, QUERY_TOKENS_MAX, Queries, Query, QueryGeneration, QueryOptions, QueryPhase, QueryResult,
    RankedToken, harmonic_mean, middle_out, ranked, search_weights,
};
pub use tokens::{Background, Language, StopWords, TOKENS_MAX, TokenWeight, preselected_tokens, token_weights, tokens};
pub use url_kind::UrlKind;
pub use url_parts::{Segment, after_authority, parameters};
pub use url_pattern::{UrlPatternLearner, UrlPatterns};
pub use url_slots::UrlSlots;
pub use vector::{SparseVector, distance, nearest_cluster, squared_norm};

/// The cluster of a page, numbered from 0; `None` for an outlier.
pub type Label = Option<u32>;
