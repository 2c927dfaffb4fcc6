//! What a learner had to leave out.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::pieces::{PIECES_MAX, UrlPart};

/// A bound that was reached while URLs were clustered. Its text says what that means.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum UrlLimitHit {
    /// More items are frequent than can be keywords; the most frequent are.
    Keywords {
        /// Whose items.
        part: UrlPart,
        /// Items that are keywords.
        kept: usize,
        /// Items that are frequent.
        candidates: usize,
    },
    /// There were too many frequent itemsets, so more support is asked for.
    Itemsets {
        /// Whose itemsets.
        part: UrlPart,
        /// URLs of a bin that make an itemset frequent now.
        support: u32,
    },
    /// URLs with too many items, which belong to no cluster.
    LongUrls {
        /// How many there were.
        urls: usize,
    },
    /// More clusters than are kept; the largest are.
    Clusters {
        /// Clusters that were dropped on top of those that coverage can spare.
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
