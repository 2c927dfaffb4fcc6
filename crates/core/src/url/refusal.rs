//! Why a link is out of scope, and errors in the settings of URLs and scope.

use std::fmt;

use serde::{Deserialize, Serialize};

/// An unusable value of a setting.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BadEntry {
    /// The setting, such as `scope.include`.
    pub setting: &'static str,
    /// The value.
    pub value: String,
    /// What is wrong with it, and what to do.
    pub problem: String,
}

impl fmt::Display for BadEntry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: `{}`: {}", self.setting, self.value, self.problem)
    }
}

/// Unusable settings. All of them are listed, so that they can be corrected together.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// Bad entries of lists.
    #[error("{}", lines(.0))]
    Entries(Vec<BadEntry>),
}

impl Error {
    /// Returns `Ok` if there are no bad entries.
    pub(super) fn unless_empty(entries: Vec<BadEntry>) -> Result<(), Self> {
        if entries.is_empty() { Ok(()) } else { Err(Self::Entries(entries)) }
    }
}

fn lines(entries: &[BadEntry]) -> String {
    entries.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
}

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
