//! What the servers answered: statuses, media types; how far from the seeds pages were.

use serde_json::Value;

use super::Material;
use crate::render::block::{Block, Cell, Table};

pub(super) fn blocks(material: &Material<'_>) -> Vec<Block> {
    let log = &material.document.log;
    let mut blocks = Vec::new();
    let mut add = |caption: &str, header: Vec<&'static str>, rows: Vec<Vec<Cell>>| {
        if !rows.is_empty() {
            blocks.push(Block::Table(Table { caption: caption.to_owned(), header, rows }));
        }
    };
    let own = material.document.source().filter(|_| !material.document.is_report_stale());
    match own.and_then(|(source, figures)| Some((source, figures.get("statuses")?.as_object()?))) {
        Some((source, statuses)) => {
            let counts = statuses.iter().filter_map(|(status, count)| Some((status.clone(), count.as_u64()?)));
            let key = |status: &str| format!("{source}.statuses.{status}");
            let rows = counts.map(|(status, count)| status_row(&status, Cell::count(count).at(key(&status)))).collect();
            add("Answers by status", vec!["status", "answers", "meaning"], rows);
        }
        None => {
            let rows = log
                .statuses
                .iter()
                .map(|(status, count)| status_row(&status.to_string(), Cell::count(*count)))
                .collect();
            add("Last answers by status", vec!["status", "URLs", "meaning"], rows);
        }
    }
    let row = |(name, answers, bytes): &(String, u64, u64)| {
        vec![Cell::Code(name.clone()), Cell::count(*answers), Cell::bytes(*bytes)]
    };
    add("Media types, by the page log", vec!["type", "answers", "received"], log.types.iter().map(row).collect());
    let depth = |(depth, pages): (&u16, &u64)| {
        let name = if *depth == 30 { "30 or more".to_owned() } else { depth.to_string() };
        vec![Cell::text(name), Cell::count(*pages)]
    };
    add(
        "Pages by their distance from the seeds, by the page log",
        vec!["links away", "pages"],
        log.depths.iter().map(depth).collect(),
    );
    blocks
}

fn status_row(status: &str, count: Cell) -> Vec<Cell> {
    let code = status.parse().ok().and_then(|code: u16| http::StatusCode::from_u16(code).ok());
    let meaning = code.and_then(|code| code.canonical_reason()).map(str::to_lowercase);
    vec![Cell::Code(status.to_owned()), count, Cell::maybe(meaning, Cell::Text)]
}

/// A number of a JSON object.
pub(super) fn number(at: &Value, name: &str) -> Option<u64> {
    at.get(name)?.as_u64()
}
