//! The figures of a page log, from one pass over it in bounded memory: all that a report shows of it.

mod reading;

use std::collections::BTreeMap;

use serde::Serialize;

use crate::document::bounded::{Bounded, Millis};
use crate::document::groups::GroupFigures;
use crate::document::signals::SignalFigures;
use crate::sections::harvest::{Breaks, CurvePoint};
use crate::sections::politeness::HostFigures;
use harvestman_core::clock::Instant;

pub use reading::{LogReading, Origin, within};

/// The figures of a page log.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct LogFigures {
    /// Lines that could be read.
    pub lines: u64,
    /// Lines that could not be read.
    pub damaged: u64,
    /// The number of the first of them.
    pub first_damaged: Option<u64>,
    /// Requests for pages, including retries.
    pub requests: u64,
    /// Pages fetched.
    pub pages: u64,
    /// Bytes of bodies.
    pub bytes: u64,
    /// Visits to known pages.
    pub visits: u64,
    /// Visits that found a change.
    pub changed: u64,
    /// When the first request started.
    pub first: Option<String>,
    /// When the last request started.
    pub last: Option<String>,
    /// Lines by fate, the most frequent first.
    pub fates: Vec<LoggedFate>,
    /// Lines by the status of their last response.
    pub statuses: BTreeMap<u16, u64>,
    /// Media types, the most frequent first.
    pub types: Vec<MediaType>,
    /// Fetched pages by their depth; all beyond 30 links are counted at 30.
    pub depths: BTreeMap<u16, u64>,
    /// Median time to first byte, from the start of a request to the head of its response.
    pub first_byte_median_ms: Option<Millis>,
    /// 95th percentile of the time to first byte.
    pub first_byte_95_ms: Option<Millis>,
    /// The harvest curve.
    pub curve: Vec<CurvePoint>,
    /// Breaks that the curve leaves out.
    pub breaks: Breaks,
    /// The hosts.
    pub hosts: HostFigures,
    /// Pages by cluster and by place.
    pub groups: GroupFigures,
    /// What sites asked for, and what was done.
    pub signals: SignalFigures,
    /// WARC files by name.
    #[serde(skip)]
    pub files: BTreeMap<String, FileFigures>,
    /// Titles of the pages whose titles were requested.
    #[serde(skip)]
    pub titles: BTreeMap<String, String>,
    /// The URL of a page that failed, as an example.
    pub failed_example: Option<String>,
}

/// The responses in a WARC file, by the log.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct FileFigures {
    /// The number of responses.
    pub responses: u64,
    /// When the first of them was requested.
    pub first: Option<Instant>,
    /// When the last of them was requested.
    pub last: Option<Instant>,
}

/// A fate, with the number of its lines. An array of these three in JSON.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(into = "(String, String, u64)")]
pub struct LoggedFate {
    /// Its name.
    pub fate: String,
    /// Its reason; empty if it has none.
    pub reason: String,
    /// The number of lines.
    pub count: u64,
}

/// A media type, with its responses. An array of these three in JSON.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(into = "(String, u64, u64)")]
pub struct MediaType {
    /// Its name, without parameters, in lower case.
    pub name: String,
    /// The number of responses.
    pub responses: u64,
    /// Bytes of their bodies.
    pub bytes: u64,
}

impl From<LoggedFate> for (String, String, u64) {
    fn from(row: LoggedFate) -> Self {
        (row.fate, row.reason, row.count)
    }
}

impl From<MediaType> for (String, u64, u64) {
    fn from(row: MediaType) -> Self {
        (row.name, row.responses, row.bytes)
    }
}

impl LoggedFate {
    /// The name of the row of a fate in a bounded table.
    pub(in crate::document) fn key(fate: &str, reason: &str) -> String {
        format!("{fate}\n{reason}")
    }

    /// Returns the rows of a bounded table, the most frequent first. What did not fit into it is called `others`.
    pub(in crate::document) fn rows(table: Bounded<u64>) -> Vec<Self> {
        let (rows, rest) = table.by_weight(|count| *count);
        let row = |(key, count): (String, u64)| {
            let (fate, reason) = key.split_once('\n').unwrap_or((&key, ""));
            Self { fate: fate.to_owned(), reason: reason.to_owned(), count }
        };
        let others = rest.map(|count| Self { fate: "others".to_owned(), reason: String::new(), count });
        rows.into_iter().map(row).chain(others).collect()
    }
}
