//! Traps that a site's structure makes: forms of address that grow without bringing anything new.

use serde::{Deserialize, Serialize};

/// What is done about a form of address, from nothing to everything.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TrapMeasure {
    /// Nothing.
    #[default]
    None,
    /// Its pages bring nothing: under a policy that knows nothing of what is wanted, its links wait until no others do.
    Last,
    /// It feeds itself besides: links on its own pages, to it and to other forms that bring nothing, are refused.
    Cut,
    /// It went on for long: all links to it are refused.
    Closed,
}

impl TrapMeasure {
    /// The measure in words.
    pub const fn describe(self) -> &'static str {
        match self {
            Self::None => "followed",
            Self::Last => "put last",
            Self::Cut => "cut off",
            Self::Closed => "closed",
        }
    }
}

/// A form of address that a measure was taken against.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct TrapRecord {
    /// The form spelt out, with its host: `http://h.example/calendar/N/N/`.
    pub form: String,
    /// One of its addresses.
    pub example: String,
    /// What is done about it.
    pub measure: TrapMeasure,
    /// Its pages that were fetched.
    pub fetched: u64,
    /// Those among them that brought something.
    pub fruitful: u64,
    /// Links to it that were refused, and URLs that waited and were let go.
    pub refused: u64,
    /// How many fetches the crawl had made when the measure was taken.
    pub since: u64,
}
