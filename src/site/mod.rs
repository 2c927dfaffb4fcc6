//! What is known of a site's structure: its page templates, and which link places lead from one to which.
//!
//! Plain functions over values (SOUrCe 2018). A sample of pages becomes vectors ([`Vocabulary`]), their [`Distances`] give a
//! radius ([`eps`]), and [`dbscan`] the clusters.
//!
//! A [`Label`] is a cluster's number, counted from 0, or none for an outlier: a page whose template has few instances.

mod dbscan;
mod distances;
mod eps;
mod features;
mod kdist;
mod silhouette;
mod url_parts;
mod url_pattern;
mod vector;

pub use dbscan::{MIN_PTS, dbscan};
pub use distances::Distances;
pub use eps::{EpsOptions, EpsRule, eps};
pub use features::{THETA, Vocabulary};
pub use kdist::{Counting, K, k_dist};
pub use silhouette::silhouette_times_coverage;
pub use url_pattern::{UrlPatternLearner, UrlPatterns};
pub use vector::{SparseVector, distance, squared_norm};

/// The cluster of a page, numbered from 0; none for an outlier.
pub type Label = Option<u32>;
