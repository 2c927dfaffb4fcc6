//! What each of several directories did, as those of the nodes of a fleet.

use super::Material;
use crate::StopReason;
use crate::document::{NodeFigures, Standing};
use crate::figures;
use crate::render::block::{Block, Cell, Table};

pub(super) fn blocks(material: &Material<'_>) -> Vec<Block> {
    let nodes = &material.document.nodes;
    if nodes.is_empty() {
        return Vec::new();
    }
    let mut blocks = vec![Block::Text(method(nodes))];
    let header = vec![
        "directory",
        "node",
        "stands",
        "sessions",
        "killed, at least",
        "pages",
        "requests",
        "received",
        "pages by the log alone",
        "most memory",
    ];
    let rows = nodes.iter().map(row).collect();
    blocks.push(Block::Table(Table { caption: "Directories".to_owned(), header, rows }));
    blocks
}

fn method(nodes: &[NodeFigures]) -> String {
    let mut text = match nodes.len() {
        1 => "Numbers are sums over the sessions of this directory.".to_owned(),
        count => format!("Numbers are sums over {} directories.", figures::count(count as u64)),
    };
    text.push_str(
        " A page that two nodes fetched counts twice, as two pages and two requests. A link that went from one node to another was discovered \
         by both; with the first it is handed_over or queued. Sessions are those that have written a report, and the one that runs.",
    );
    if nodes.iter().any(|node| node.sessions_without_report > 0) {
        text.push_str(
            " Of sessions that were killed there is no report: the page log alone tells of their pages and of the requests for them.",
        );
    }
    text
}

fn row(node: &NodeFigures) -> Vec<Cell> {
    vec![
        Cell::Code(node.directory.clone()),
        Cell::maybe(node.node.clone(), Cell::Text),
        Cell::text(stands(&node.standing)),
        Cell::count(node.sessions),
        Cell::count(node.sessions_without_report),
        Cell::count(node.pages),
        Cell::count(node.requests),
        Cell::bytes(node.bytes),
        Cell::count(node.by_log.pages),
        Cell::maybe(node.peak_memory_bytes, Cell::bytes),
    ]
}

fn stands(standing: &Standing) -> String {
    match standing {
        Standing::Running { paused: false } => "runs".to_owned(),
        Standing::Running { paused: true } => "rests".to_owned(),
        Standing::Ended { reason } => {
            StopReason::of_label(reason).map_or(reason.as_str(), |reason| reason.describe()).to_owned()
        }
        Standing::BrokenOff => "broken off".to_owned(),
    }
}
