//! The parts of the URLs of a slot, and the rows that explain them.

use super::explain::Row;
use super::facts::{Chain, PageFacts, RequestFacts};
use super::make_url::stable_keys;
use super::slots::Slot;
use super::template::UrlShape;
use super::url_parts::UrlParts;

/// A part that the URLs of a slot have.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Column {
    /// Scheme, host and port.
    Origin,
    /// The segment of the path with this index.
    Segment(usize),
    /// The value of a key, counted among those of the same key.
    Value(String, usize),
    /// The URL itself.
    Whole,
}

impl Column {
    /// Returns the columns of the URLs that are like this one, but not the whole.
    pub fn all(parts: &UrlParts) -> Vec<Self> {
        let segments = (0..parts.segments.len()).map(Self::Segment);
        let values = parts.query.iter().enumerate().map(|(at, (key, _))| {
            let before = parts.query[..at].iter().filter(|(name, _)| name == key).count();
            Self::Value(key.clone(), before)
        });
        Some(Self::Origin).into_iter().chain(segments).chain(values).collect()
    }

    /// Returns the value that a request has in it.
    pub fn value<'f>(&self, request: &'f RequestFacts<'_>) -> Option<&'f str> {
        match self {
            Self::Origin => Some(&request.parts.origin),
            Self::Segment(index) => request.parts.segments.get(*index).map(String::as_str),
            Self::Value(key, index) => request.parts.value(key, *index),
            Self::Whole => Some(request.url.as_str()),
        }
    }

    /// Returns its name for people.
    pub fn name(&self) -> String {
        match self {
            Self::Origin => "origin".to_owned(),
            Self::Segment(index) => format!("segment {}", index + 1),
            Self::Value(key, _) => format!("parameter {}", key.trim_end_matches('=')),
            Self::Whole => "URL".to_owned(),
        }
    }
}

/// Returns the values of a column in all requests of chains; `None` if a request lacks it.
pub(super) fn rows<'a>(column: &Column, chains: &'a [Chain], facts: &'a [PageFacts<'_>]) -> Option<Vec<Row<'a>>> {
    let mut rows = Vec::new();
    for chain in chains {
        for (index, request) in chain.requests.iter().enumerate() {
            let value = column.value(&facts[chain.sample].requests[*request])?;
            rows.push(Row { value, situation: chain.situation(facts, index) });
        }
    }
    Some(rows)
}

/// Returns what the URLs of a slot have in common. A segment that the page's URL has as well may differ on other
/// pages.
pub(super) fn shape(slot: &Slot, facts: &[PageFacts<'_>]) -> UrlShape {
    let request = |(sample, request): &(usize, usize)| &facts[*sample].requests[*request].parts;
    let first = request(&slot.requests[0]);
    let all = || slot.requests.iter().map(request);
    let is_in_page = |text: &str| {
        slot.requests.iter().all(|(sample, _)| facts[*sample].url.path().split('/').any(|segment| segment == text))
    };
    let fixed = |(index, text): (usize, &String)| {
        let is_same = all().all(|parts| parts.segments.get(index) == Some(text));
        (is_same && (text.is_empty() || !is_in_page(text))).then(|| text.clone())
    };
    UrlShape {
        origin: all().all(|parts| parts.origin == first.origin).then(|| first.origin.clone()),
        segments: first.segments.iter().enumerate().map(fixed).collect(),
        keys: stable_keys(first),
    }
}
