//! The figures of one of several directories.

use serde::Serialize;

use super::state::CrawlState;

/// What one directory did.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct NodeFigures {
    /// The directory as it was named.
    pub directory: String,
    /// The node's name, if its configuration sets one.
    pub node: Option<String>,
    /// Its state.
    #[serde(rename = "standing")]
    pub state: CrawlState,
    /// Sessions that have written a report, and the one that runs.
    pub sessions: u64,
    /// The least number of sessions that ended without a report.
    pub sessions_without_report: u64,
    /// Pages fetched.
    pub pages: u64,
    /// Requests. Of sessions without a report, those for robots.txt and sitemaps are missing.
    pub requests: u64,
    /// Bytes of bodies.
    pub bytes: u64,
    /// The part of these that only the page log has, from sessions without a report.
    pub by_log: LineCounts,
    /// Lines of the page log that could be read.
    pub lines: u64,
    /// Lines that could not be read.
    pub damaged: u64,
    /// The number of the first of them.
    pub first_damaged: Option<u64>,
    /// The peak memory of its sessions.
    pub peak_memory_bytes: Option<u64>,
}

/// Counts of a page log.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct LineCounts {
    /// Lines, one per visit to a URL.
    pub lines: u64,
    /// Requests for pages.
    pub requests: u64,
    /// Pages fetched.
    pub pages: u64,
    /// Bytes of bodies.
    pub bytes: u64,
}
