//! Clusters of URLs by their keywords: Algorithm 2 of "Efficient Social Website Crawling Using Cluster Graph" (Jiang,
//! Lv 2009; section 4.2).
//!
//! Input: sampled canonical URLs, each once. Output: [`UrlClusters`], whose patterns (`*.livejournal.com/$.html`) show
//! which words of a URL are the site's own, and a [`UrlMatcher`] that assigns any URL to its cluster. The steps are:
//!
//! 1. A URL is split into the items of three parts: authority, path, query (`pieces`).
//! 2. URLs are distributed over bins; itemsets that are frequent in every bin are keywords (`mining`, `fp_growth`,
//!    `keywords`).
//! 3. In each part, the items of the largest frequent itemset of a URL stay (`largest`), and the others become `$` or
//!    `*` (`procedure`). The paper's tree of itemsets is not built: a pattern shows its three itemsets and so stands
//!    for its node.
//! 4. The smallest of the patterns are dropped (`url_learner`).
//!
//! These patterns are coarser than those of [`UrlPatterns`](harvestman_structure::site::UrlPatterns), and unlike them
//! they are a site's own list: a URL that matches none of them belongs to no cluster.

mod cluster_options;
mod fp_growth;
mod keywords;
mod largest;
mod mining;
mod pieces;
mod procedure;
#[cfg(test)]
mod tests;
mod url_learner;

use serde::{Deserialize, Serialize};

pub use cluster_options::{UrlClusterLimits, UrlClusterOptions, UrlLimitHit, UrlLiterals};
pub use pieces::UrlPart;
pub use url_learner::{TooFewUrls, UrlCluster, UrlClusters, UrlMatcher, UrlPlacement};

/// A cluster of URLs: its position among a [`UrlMatcher`]'s patterns.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct UrlClusterId(pub u32);
