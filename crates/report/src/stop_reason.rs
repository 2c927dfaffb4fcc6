//! Why a crawl ended, also by failures of the code that a program adds to the crawl that it embeds.

use std::fmt;

use serde::{Deserialize, Serialize};

/// Why a crawl ended.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StopReason {
    /// Nothing was left to fetch.
    FrontierEmpty,
    /// `budget.pages` was reached.
    PagesBudget,
    /// `budget.bytes` was reached.
    BytesBudget,
    /// `budget.time` was reached.
    TimeBudget,
    /// `budget.requests` was reached.
    RequestsBudget,
    /// The expected yield of the next requests was below `budget.early_stop`.
    LowYield,
    /// A signal or a `stop` command ended the crawl.
    Interrupted,
    /// The archive or the page log could not be written.
    ArchiveError,
    /// The set of URLs seen could not be written to disk.
    DedupError,
    /// The state of the crawl could not be written.
    StateError,
    /// A sink, policy or filter of the program that embeds the crawl failed ([`super::ExtensionError`]).
    ExtensionError,
    /// A report of another version gives a reason that this version does not know, or gives none. No crawl ends with
    /// it.
    #[default]
    #[serde(other)]
    Unknown,
}

impl StopReason {
    /// The reasons that a crawl can end with.
    pub const ALL: [Self; 11] = [
        Self::FrontierEmpty,
        Self::PagesBudget,
        Self::BytesBudget,
        Self::TimeBudget,
        Self::RequestsBudget,
        Self::LowYield,
        Self::Interrupted,
        Self::ArchiveError,
        Self::DedupError,
        Self::StateError,
        Self::ExtensionError,
    ];

    /// Returns the name used in `report.json`.
    pub const fn label(self) -> &'static str {
        match self {
            Self::FrontierEmpty => "frontier_empty",
            Self::PagesBudget => "pages_budget",
            Self::BytesBudget => "bytes_budget",
            Self::TimeBudget => "time_budget",
            Self::RequestsBudget => "requests_budget",
            Self::LowYield => "low_yield",
            Self::Interrupted => "interrupted",
            Self::ArchiveError => "archive_error",
            Self::DedupError => "dedup_error",
            Self::StateError => "state_error",
            Self::ExtensionError => "extension_error",
            Self::Unknown => "unknown",
        }
    }

    /// Returns the reason with this name.
    pub fn of_label(label: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|reason| reason.label() == label)
    }

    /// Describes the reason for people.
    pub const fn describe(self) -> &'static str {
        match self {
            Self::FrontierEmpty => "nothing was left to fetch",
            Self::PagesBudget => "the page budget is used up",
            Self::BytesBudget => "the byte budget is used up",
            Self::TimeBudget => "the time budget is used up",
            Self::RequestsBudget => "the request budget is used up",
            Self::LowYield => "the expected yield of further requests was too low",
            Self::Interrupted => "it was interrupted",
            Self::ArchiveError => "the output could not be written",
            Self::DedupError => "the set of URLs seen could not be written to disk",
            Self::StateError => "the state of the crawl could not be written",
            Self::ExtensionError => "a sink, policy or filter of the program that embeds the crawl failed",
            Self::Unknown => "the report gives a reason that this version does not know",
        }
    }
}

impl fmt::Display for StopReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.label())
    }
}

/// The failures of one part that the embedding program added to the crawl: a sink, the policy, the filter.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct ExtensionError {
    /// The part: `policy`, `filter`, or `sink` with its number, from 1 on.
    pub part: String,
    /// The number of failures.
    pub count: u64,
    /// The message of the first one.
    pub first: String,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reasons_are_read_by_their_labels() {
        for reason in StopReason::ALL {
            assert_eq!(serde_json::to_value(reason).unwrap(), reason.label());
            assert_eq!(serde_json::from_value::<StopReason>(reason.label().into()).unwrap(), reason);
        }
    }

    #[test]
    fn a_reason_of_another_version_is_unknown() {
        assert_eq!(serde_json::from_str::<StopReason>("\"bored\"").unwrap(), StopReason::Unknown);
    }
}
