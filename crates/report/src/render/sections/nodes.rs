//! The figures of each of several directories, such as those of the nodes of a fleet.

use crate::document::{CrawlState, Document, NodeFigures};
use crate::figures;
use crate::render::block::{Block, Cell, Table};

pub(super) fn blocks(document: &Document) -> Vec<Block> {
    let nodes = &document.nodes;
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
