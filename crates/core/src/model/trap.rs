//! Traps in a site's structure: URL forms that grow without bringing anything new.

use serde::{Deserialize, Serialize};

/// The measure against a URL form, from none to the strongest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TrapMeasure {
    /// Nothing.
    #[default]
    None,
    /// Its pages bring nothing: under a policy without knowledge of what is wanted, its links wait until no others do.
    Last,
    /// It also feeds itself: links on its own pages, to it and to other forms that bring nothing, are refused.
    Cut,
    /// It continued for long: all links to it are refused.
    Closed,
}

impl TrapMeasure {
    /// Returns the measure in words.
    pub const fn describe(self) -> &'static str {
        match self {
            Self::None => "followed",
            Self::Last => "put last",
            Self::Cut => "cut off",
            Self::Closed => "closed",
        }
    }
}

/// A URL form with a measure against it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct TrapRecord {
    /// The spelling of the form, with its host: `http://h.example/calendar/N/N/`.
    pub form: String,
    /// One of its addresses.
    pub example: String,
    /// The measure.
    pub measure: TrapMeasure,
    /// Number of its pages that were fetched.
    pub fetched: u64,
    /// Number of those that brought something.
    pub fruitful: u64,
    /// Number of links to it that were refused, and of waiting URLs that were dropped.
    pub refused: u64,
    /// Number of fetches of the crawl when the measure was taken.
    pub since: u64,
}
