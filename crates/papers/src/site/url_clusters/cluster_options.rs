//! Options of URL clustering, and the limits that a learner reached.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::pieces::{PIECES_MAX, UrlPart};

/// Settings of [`UrlClusters::learn`](super::UrlClusters::learn). The default gives the best results on recorded
/// forums; [`paper`](Self::paper) is the published algorithm.
#[derive(Debug, Clone, PartialEq)]
pub struct UrlClusterOptions {
    /// M: the number of bins that URLs are distributed over; a keyword must be frequent in all of them. At least 1.
    pub bins: u32,
    /// S: the number of URLs of a bin that makes an itemset frequent there. At least 1.
    pub support: u32,
    /// The share of URLs that may be left without a pattern, so that small patterns are dropped.
    pub delta: f64,
    /// Which items can be functional keywords.
    pub literal: UrlLiterals,
    /// Whether the query is looked at if the path has no keyword. In the paper it is not, so that `/?page=2` and
    /// `/?search=cats` are the same.
    pub query_at_path_miss: bool,
    /// Limits on what is learned.
    pub limits: UrlClusterLimits,
}

/// Which items can be functional keywords, that is, appear literally in a pattern.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UrlLiterals {
    /// Any that is frequent (the paper).
    Frequent,
    /// No slug and no identifier, however frequent: the busiest board's name is as much an instance as any other's. An
    /// item that *all* URLs have is no instance of anything, and is a keyword.
    FrequentButInstances,
}

/// Limits on what is learned. Those that were reached are listed in
/// [`UrlClusters::limits_hit`](super::UrlClusters::limits_hit).
///
/// The length of an itemset needs no limit of its own: all subsets of a frequent itemset are frequent, so one of n
/// independent items counts 2ⁿ times against `itemsets_max`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UrlClusterLimits {
    /// Maximum number of keywords of a part: the most frequent items.
    pub keywords_max: u16,
    /// Maximum number of frequent itemsets of a part. If there are more, the required support is doubled until they are
    /// few enough.
    pub itemsets_max: usize,
    /// Maximum number of mining steps per URL, with the same effect.
    pub steps_per_url_max: u64,
    /// Maximum number of clusters: the largest are kept.
    pub clusters_max: usize,
}

impl UrlClusterOptions {
    /// Returns the options of Algorithm 2 with the paper's values.
    pub fn paper() -> Self {
        Self {
            bins: 6,
            support: 5,
            delta: 0.03,
            literal: UrlLiterals::Frequent,
            query_at_path_miss: false,
            limits: UrlClusterLimits::default(),
        }
    }

    /// Returns the number of URLs that is needed for any keyword to be found.
    pub fn urls_min(&self) -> usize {
        self.bins.max(1) as usize * self.support.max(1) as usize
    }
}

impl Default for UrlClusterOptions {
    fn default() -> Self {
        Self { delta: 0.005, literal: UrlLiterals::FrequentButInstances, query_at_path_miss: true, ..Self::paper() }
    }
}

impl Default for UrlClusterLimits {
    fn default() -> Self {
        Self { keywords_max: 4_096, itemsets_max: 20_000, steps_per_url_max: 2_000, clusters_max: 4_096 }
    }
}

/// A limit that was reached while URLs were clustered. Its text describes the effect.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum UrlLimitHit {
    /// More items are frequent than can be keywords; the most frequent ones are.
    Keywords {
        /// The part of the URLs.
        part: UrlPart,
        /// Number of items that are keywords.
        kept: usize,
        /// Number of items that are frequent.
        candidates: usize,
    },
    /// There were too many frequent itemsets, so more support is required.
    Itemsets {
        /// The part of the URLs.
        part: UrlPart,
        /// The number of URLs of a bin that now makes an itemset frequent.
        support: u32,
    },
    /// URLs with too many items, which belong to no cluster.
    LongUrls {
        /// The number of such URLs.
        urls: usize,
    },
    /// There are more clusters than are kept; the largest are kept.
    Clusters {
        /// Number of clusters that were dropped in addition to those that coverage can spare.
        dropped: usize,
    },
}

impl fmt::Display for UrlLimitHit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Keywords { part, kept, candidates } => {
                write!(f, "{kept} of {candidates} frequent items of the {part} were taken as keywords")
            }
            Self::Itemsets { part, support } => {
                write!(f, "too many frequent itemsets in the {part}: minimum support raised to {support}")
            }
            Self::LongUrls { urls } => {
                write!(f, "{urls} URLs have more than {PIECES_MAX} items in a part and belong to no cluster")
            }
            Self::Clusters { dropped } => write!(f, "{dropped} URL clusters were dropped because there were too many"),
        }
    }
}

impl fmt::Display for UrlPart {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Authority => "authority",
            Self::Path => "path",
            Self::Query => "query",
        })
    }
}
