//! What went wrong, and the remedies.

use crate::advice::remedy;
use crate::document::{Document, OwnFigures};
use crate::render::block::{Block, Cell, Table};

pub(super) fn blocks(document: &Document) -> Vec<Block> {
    let mut blocks = Vec::new();
    if !document.advice.is_empty() {
        blocks.push(Block::Remarks(document.advice.clone()));
    }
    let own = document.own().filter(|_| !document.is_report_stale());
    let rows = own.map_or_else(|| logged(document), |own| failed_requests(&own));
    if rows.is_empty() {
        blocks.push(Block::Text("No request failed.".to_owned()));
    } else {
        let caption = "Failures by reason".to_owned();
        blocks.push(Block::Table(Table { caption, header: vec!["reason", "count", "remedy"], rows }));
    }
    blocks
}

/// Failed requests; every attempt counts.
fn failed_requests(own: &OwnFigures<'_>) -> Vec<Vec<Cell>> {
    let mut errors: Vec<(&str, u64)> = own.errors.iter().map(|(reason, count)| (reason.as_ref(), *count)).collect();
    errors.retain(|(_, count)| *count > 0);
    errors.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    let count = |reason: &str, count| Cell::count(count).at(format!("{}.errors.{reason}", own.source));
    errors.into_iter().map(|(reason, n)| row(reason, count(reason, n))).collect()
}

/// URLs that failed after all attempts.
fn logged(document: &Document) -> Vec<Vec<Cell>> {
    let failed = document.log.fates.iter().filter(|row| row.fate == "failed");
    failed.map(|failed| row(&failed.reason, Cell::count(failed.count))).collect()
}

fn row(reason: &str, count: Cell) -> Vec<Cell> {
    let help = match reason {
        "http_404" | "http_410" => Some("none: the page does not exist"),
        reason => remedy(reason),
    };
    vec![Cell::Code(reason.to_owned()), count, Cell::maybe(help, Cell::text)]
}
