//! Responses by status and media type, pages by depth; and what went wrong, with the remedies.

use crate::advice::remedy;
use crate::document::log::MediaType;
use crate::document::{Document, OwnFigures};
use crate::render::block::{Block, Cell, Table};

/// Depths from this one on are counted together.
const DEPTH_MAX: u16 = 30;

pub(super) fn blocks(document: &Document) -> Vec<Block> {
    let log = &document.log;
    let own = document.own().filter(|_| !document.is_report_stale());
    let types = Table {
        caption: "Media types, by the page log".to_owned(),
        header: vec!["type", "responses", "received"],
        rows: log.types.iter().map(type_row).collect(),
    };
    let depths = Table {
        caption: "Pages by depth, by the page log".to_owned(),
        header: vec!["links from a seed", "pages"],
        rows: log.depths.iter().map(depth_row).collect(),
    };
    let tables = [own.map_or_else(|| logged_statuses(document), |own| statuses(&own)), types, depths];
    tables.into_iter().filter(|table| !table.rows.is_empty()).map(Block::Table).collect()
}

fn statuses(own: &OwnFigures<'_>) -> Table {
    let count = |status: &u16, count: &u64| Cell::count(*count).at(format!("{}.statuses.{status}", own.source));
    Table {
        caption: "Responses by status".to_owned(),
        header: vec!["status", "responses", "meaning"],
        rows: own.statuses.iter().map(|(status, n)| status_row(*status, count(status, n))).collect(),
    }
}

fn logged_statuses(document: &Document) -> Table {
    let statuses = document.log.statuses.iter();
    Table {
        caption: "Last responses by status".to_owned(),
        header: vec!["status", "URLs", "meaning"],
        rows: statuses.map(|(status, count)| status_row(*status, Cell::count(*count))).collect(),
    }
}

fn status_row(status: u16, count: Cell) -> Vec<Cell> {
    let code = http::StatusCode::from_u16(status).ok();
    let meaning = code.and_then(|code| code.canonical_reason()).map(str::to_lowercase);
    vec![Cell::Code(status.to_string()), count, Cell::maybe(meaning, Cell::Text)]
}

fn type_row(row: &MediaType) -> Vec<Cell> {
    vec![Cell::Code(row.name.clone()), Cell::count(row.responses), Cell::bytes(row.bytes)]
}

fn depth_row((depth, pages): (&u16, &u64)) -> Vec<Cell> {
    let name = if *depth == DEPTH_MAX { format!("{DEPTH_MAX} or more") } else { depth.to_string() };
    vec![Cell::text(name), Cell::count(*pages)]
}

pub(super) fn failures(document: &Document) -> Vec<Block> {
    let mut blocks = Vec::new();
    if !document.advice.is_empty() {
        blocks.push(Block::Remarks(document.advice.clone()));
    }
    let own = document.own().filter(|_| !document.is_report_stale());
    let rows = own.map_or_else(|| logged_failures(document), |own| failed_requests(&own));
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
    errors.into_iter().map(|(reason, n)| failure_row(reason, count(reason, n))).collect()
}

/// URLs that failed after all attempts.
fn logged_failures(document: &Document) -> Vec<Vec<Cell>> {
    let failed = document.log.fates.iter().filter(|row| row.fate == "failed");
    failed.map(|failed| failure_row(&failed.reason, Cell::count(failed.count))).collect()
}

fn failure_row(reason: &str, count: Cell) -> Vec<Cell> {
    let help = match reason {
        "http_404" | "http_410" => Some("none: the page does not exist"),
        reason => remedy(reason),
    };
    vec![Cell::Code(reason.to_owned()), count, Cell::maybe(help, Cell::text)]
}
