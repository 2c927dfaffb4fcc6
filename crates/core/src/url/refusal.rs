//! The reasons why a link is out of scope.

use serde::{Deserialize, Serialize};

/// Why a link is outside the crawl's scope.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum OutOfScope {
    /// Not http or https.
    Scheme,
    /// Not a URL at all.
    Invalid,
    /// On a host outside the scope.
    Host,
    /// On a host of the scope, under none of its path prefixes.
    Prefix,
    /// Matched by an exclude pattern.
    Excluded,
    /// Matched by none of the include patterns, or, in a replay, not recorded.
    NotIncluded,
    /// Longer than the URL length limit.
    TooLong,
    /// Shaped like a crawler trap (nested or repeating parts).
    Trap,
}

impl OutOfScope {
    /// Returns the reason as it appears in reports and metric labels.
    pub const fn label(self) -> &'static str {
        match self {
            Self::Scheme => "scheme",
            Self::Invalid => "invalid",
            Self::Host => "host",
            Self::Prefix => "prefix",
            Self::Excluded => "excluded",
            Self::NotIncluded => "not_included",
            Self::TooLong => "too_long",
            Self::Trap => "trap",
        }
    }
}
