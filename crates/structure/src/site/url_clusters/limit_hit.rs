//! The limits that a learner reached.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::pieces::{PIECES_MAX, UrlPart};

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
