//! The report of a crawl that has ended.

use std::collections::BTreeMap;
use std::fmt;
use std::time::Duration;

use harvestman_report::{ExtensionError as ErrorRecord, Report as InnerReport, StopReason as InnerReason};

/// The report of a crawl that has ended: what the program writes to `report.json`.
#[derive(Debug, Clone)]
pub struct Report {
    inner: InnerReport,
    errors: Vec<ExtensionError>,
}

/// The failures of one sink, or of the policy or the filters, of the embedding program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExtensionError {
    record: ErrorRecord,
}

impl ExtensionError {
    /// The part that failed: `policy`, `filter`, or `sink 1`, `sink 2` … in the order in which they were added.
    pub fn part(&self) -> &str {
        &self.record.part
    }

    /// The number of failures.
    pub const fn count(&self) -> u64 {
        self.record.count
    }

    /// The message of the first one.
    pub fn message(&self) -> &str {
        &self.record.first
    }
}

/// Why a crawl ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum StopReason {
    /// Nothing was left to fetch.
    FrontierEmpty,
    /// A budget is used up: of pages, bytes, requests or time.
    Budget,
    /// The expected yield of the next requests was below `budget.early_stop`.
    LowYield,
    /// The crawl was stopped.
    Stopped,
    /// The output, the state or the set of seen URLs could not be written.
    Output,
    /// A sink, the policy or a filter of the embedding program failed.
    Extension,
}

impl Report {
    pub(crate) fn new(inner: InnerReport) -> Self {
        let errors = inner.extension_errors.iter().cloned().map(|record| ExtensionError { record }).collect();
        Self { inner, errors }
    }

    /// Pages fetched with success.
    pub const fn pages(&self) -> u64 {
        self.inner.pages
    }

    /// Requests sent, including retries and requests for robots.txt and sitemaps.
    pub const fn requests(&self) -> u64 {
        self.inner.requests
    }

    /// Bytes of bodies received.
    pub const fn bytes(&self) -> u64 {
        self.inner.bytes
    }

    /// Links discovered, seeds included: the sum of all fates.
    pub const fn discovered(&self) -> u64 {
        self.inner.discovered
    }

    /// The number of discovered links with this fate: `fetched`, `duplicate`, `queued` and others, all reasons
    /// together.
    pub fn fate(&self, name: &str) -> u64 {
        self.inner.fates.named(name)
    }

    /// Answers by status.
    pub const fn statuses(&self) -> &BTreeMap<u16, u64> {
        &self.inner.statuses
    }

    /// Why the crawl ended.
    pub const fn stop_reason(&self) -> StopReason {
        match self.inner.stop_reason {
            InnerReason::FrontierEmpty => StopReason::FrontierEmpty,
            InnerReason::PagesBudget
            | InnerReason::BytesBudget
            | InnerReason::RequestsBudget
            | InnerReason::TimeBudget => StopReason::Budget,
            InnerReason::LowYield => StopReason::LowYield,
            InnerReason::Interrupted | InnerReason::Unknown => StopReason::Stopped,
            InnerReason::ArchiveError | InnerReason::DedupError | InnerReason::StateError => StopReason::Output,
            InnerReason::ExtensionError => StopReason::Extension,
        }
    }

    /// The failures of the embedding program's sinks, policy and filters; one entry per part.
    pub fn errors_of_extensions(&self) -> &[ExtensionError] {
        &self.errors
    }

    /// The random seed: the setting `crawl.seed` that repeats the draws of the crawl.
    pub const fn seed(&self) -> u64 {
        self.inner.seed
    }

    /// The duration of the crawl.
    pub const fn duration(&self) -> Duration {
        self.inner.wall
    }

    /// All of it, as in `report.json`. Fields may be added.
    pub fn to_json(&self) -> String {
        serde_json::to_string_pretty(&self.inner).unwrap_or_default()
    }
}

impl fmt::Display for Report {
    /// The summary that the program prints.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.inner, f)
    }
}
