//! The state of a crawl, derived from its files.

use std::time::Duration;

use serde::Serialize;

use super::line::instant;
use crate::{Report, StopReason};
use harvestman_core::clock::Instant;

/// A log whose last request is later than the end of the report by more than this belongs to a later run.
pub(super) const LATER: Duration = Duration::from_secs(2);

/// The state of a crawl.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "is", rename_all = "snake_case")]
pub enum CrawlState {
    /// It is running.
    Running {
        /// Whether it is paused.
        paused: bool,
    },
    /// It has ended and written a report.
    Ended {
        /// Why it ended.
        reason: StopReason,
    },
    /// It was killed, or could not write its report: no report covers its last run.
    BrokenOff,
}

/// When and why a session ended, by its report.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct End {
    /// When; `None` if the report does not say.
    pub at: Option<Instant>,
    /// Why.
    pub reason: StopReason,
}

impl End {
    /// Returns the end that a report states; `None` if it states neither time nor reason.
    pub fn of(report: &Report) -> Option<Self> {
        let (at, reason) = (instant(&report.ended), report.stop_reason);
        (at.is_some() || reason != StopReason::Unknown).then_some(Self { at, reason })
    }
}

impl CrawlState {
    /// Derives the state. `paused` is that of a crawl that runs; `end` is that of the last report; `last` is the last
    /// request in the page log.
    pub(super) fn of(paused: Option<bool>, end: Option<&End>, last: Option<&str>) -> Self {
        if let Some(paused) = paused {
            return Self::Running { paused };
        }
        let Some(end) = end else { return Self::BrokenOff };
        let continues = end.at.zip(last.and_then(instant)).is_some_and(|(end, last)| last > end + LATER);
        if continues { Self::BrokenOff } else { Self::Ended { reason: end.reason } }
    }
}
