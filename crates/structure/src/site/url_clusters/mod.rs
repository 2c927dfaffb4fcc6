//! Clusters of URLs by their keywords: Algorithm 2 of "Efficient Social Website Crawling Using Cluster Graph"
//! (Jiang, Lv 2009; section 4.2).
//!
//! In: sampled canonical URLs, each once. Out: [`UrlClusters`], whose patterns (`*.livejournal.com/$.html`) say which words
//! of a URL are the site's own, and a [`UrlMatcher`] that puts any URL into its cluster. In these steps:
//!
//! 1. A URL becomes the items of three parts: authority, path, query (`pieces`).
//! 2. URLs are dealt into bins; itemsets that are frequent in every bin are keywords (`mining`, `fp_growth`, `keywords`).
//! 3. In each part the largest frequent itemset of a URL stands (`largest`), and what is no member of it becomes `$` or
//!    `*` (`procedure`). The paper's tree of itemsets is not built: a pattern shows its three itemsets, and so is its node.
//! 4. Of the patterns, the smallest are dropped (`learn`).
//!
//! These patterns are coarser than those of [`UrlPatterns`](super::UrlPatterns), and unlike them they are a site's own list:
//! a URL that is like none of them belongs nowhere.

mod fp_growth;
mod fp_tree;
mod keywords;
mod largest;
mod learn;
mod limit_hit;
mod matcher;
mod mining;
mod options;
mod pieces;
mod procedure;
#[cfg(test)]
mod tests;

use serde::{Deserialize, Serialize};

pub use learn::{TooFewUrls, UrlCluster, UrlClusters, UrlPlacement};
pub use limit_hit::UrlLimitHit;
pub use matcher::UrlMatcher;
pub use options::{UrlClusterLimits, UrlClusterOptions, UrlLiterals};
pub use pieces::UrlPart;

/// A cluster of URLs: its place among a [`UrlMatcher`]'s patterns.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct UrlClusterId(pub u32);
