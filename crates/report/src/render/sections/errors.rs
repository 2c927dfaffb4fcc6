//! What went wrong, and what can be done about it.

use serde_json::Value;

use super::Material;
use crate::advice::remedy;
use crate::render::block::{Block, Cell, Table};

pub(super) fn blocks(material: &Material<'_>) -> Vec<Block> {
    let mut blocks = Vec::new();
    if !material.document.advice.is_empty() {
        blocks.push(Block::Remarks(material.document.advice.clone()));
    }
    let rows = match material.document.source() {
        Some((source, figures)) if !material.document.is_report_stale() => own(source, figures),
        _ => of_log(material),
    };
    if rows.is_empty() {
        blocks.push(Block::Text("No request failed.".to_owned()));
    } else {
        let caption = "Failures by reason".to_owned();
        blocks.push(Block::Table(Table { caption, header: vec!["reason", "times", "what helps"], rows }));
    }
    blocks
}

/// Requests that failed, each try counted.
fn own(source: &str, figures: &Value) -> Vec<Vec<Cell>> {
    let errors = figures["errors"].as_object().into_iter().flatten();
    let mut errors: Vec<(&String, u64)> =
        errors.filter_map(|(reason, count)| Some((reason, count.as_u64()?))).collect();
    errors.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    let row = |(reason, count): (&String, u64)| row(reason, Cell::count(count).at(format!("{source}.errors.{reason}")));
    errors.into_iter().filter(|(_, count)| *count > 0).map(row).collect()
}

/// URLs that failed in the end.
fn of_log(material: &Material<'_>) -> Vec<Vec<Cell>> {
    let failed = material.document.log.fates.iter().filter(|(fate, _, _)| fate == "failed");
    failed.map(|(_, reason, count)| row(reason, Cell::count(*count))).collect()
}

fn row(reason: &str, count: Cell) -> Vec<Cell> {
    let help = match reason {
        "http_404" | "http_410" => Some("nothing: the page is not there"),
        reason => remedy(reason),
    };
    vec![Cell::Code(reason.to_owned()), count, Cell::maybe(help, Cell::text)]
}
