//! The figures of each of several directories, such as those of the nodes of a fleet.

use serde::Serialize;

use crate::document::CrawlState;
use crate::figures;
use crate::render::block::{Block, Cell, Table};

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

pub(super) fn blocks(nodes: &[NodeFigures]) -> Vec<Block> {
    if nodes.is_empty() {
        return Vec::new();
    }
    let header = vec![
        "directory",
        "node",
        "state",
        "sessions",
        "sessions without report, at least",
        "pages",
        "requests",
        "received",
        "pages by the page log alone",
        "peak memory",
    ];
    let rows = nodes.iter().map(row).collect();
    vec![Block::Text(method(nodes)), Block::Table(Table { caption: "Directories".to_owned(), header, rows })]
}

fn method(nodes: &[NodeFigures]) -> String {
    let mut text = match nodes.len() {
        1 => "All numbers are sums over the sessions of this directory.".to_owned(),
        count => format!("All numbers are sums over {} directories.", figures::count(count as u64)),
    };
    text.push_str(
        " A page that two nodes fetched counts as two pages and two requests. A link that one node handed over to another was discovered by \
         both; at the first node its fate is handed_over or queued. Sessions are those that have written a report, and the one that runs.",
    );
    if nodes.iter().any(|node| node.sessions_without_report > 0) {
        text.push_str(
            " Sessions that were killed have no report: their pages, and the requests for these, are counted by the page log alone.",
        );
    }
    text
}

fn row(node: &NodeFigures) -> Vec<Cell> {
    vec![
        Cell::Code(node.directory.clone()),
        Cell::maybe(node.node.clone(), Cell::Text),
        Cell::text(state(&node.state)),
        Cell::count(node.sessions),
        Cell::count(node.sessions_without_report),
        Cell::count(node.pages),
        Cell::count(node.requests),
        Cell::bytes(node.bytes),
        Cell::count(node.by_log.pages),
        Cell::maybe(node.peak_memory_bytes, Cell::bytes),
    ]
}

fn state(state: &CrawlState) -> &'static str {
    match state {
        CrawlState::Running { paused: false } => "running",
        CrawlState::Running { paused: true } => "paused",
        CrawlState::Ended { reason } => reason.describe(),
        CrawlState::BrokenOff => "broken off",
    }
}
