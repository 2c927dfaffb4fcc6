//! The set of URLs seen, and forms of address that led nowhere.

use serde_json::Value;

use super::Material;
use super::answers::number;
use crate::figures;
use crate::render::block::{Block, Cell, Table};

/// Traps that are named.
const TRAPS: usize = 20;

pub(super) fn blocks(material: &Material<'_>) -> Vec<Block> {
    let mut blocks = Vec::new();
    let facts = seen(material);
    if !facts.is_empty() {
        blocks.push(Block::Facts(facts));
    }
    let traps = material.said("traps").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    if !traps.is_empty() {
        let header = vec!["form of address", "measure", "fetched", "fruitful", "refused", "after requests", "such as"];
        let rows = traps.iter().take(TRAPS).map(trap).collect();
        blocks.push(Block::Text(
            "Forms of address whose pages brought little or nothing that was not known. What is put last waits until nothing else does; what \
             is cut off is not followed from its own pages; what is closed is refused."
                .to_owned(),
        ));
        blocks.push(Block::Table(Table { caption: "Forms of address that brought little".to_owned(), header, rows }));
    }
    if traps.len() > TRAPS {
        blocks.push(Block::Text(format!("{} more are in report.json.", traps.len() - TRAPS)));
    }
    blocks
}

fn seen(material: &Material<'_>) -> Vec<(String, Cell)> {
    let Some(seen) = material.said("dedup").filter(|seen| seen.is_object()) else { return Vec::new() };
    let key = |name: &str| format!("report.dedup.{name}");
    let mut facts = Vec::new();
    let mut add = |name: &str, cell: Option<Cell>| facts.extend(cell.map(|cell| (name.to_owned(), cell)));
    add("Kept in", seen["store"].as_str().map(|store| Cell::Code(store.to_owned())));
    add("URLs seen", number(seen, "urls").map(|urls| Cell::count(urls).at(key("urls"))));
    add("Memory for them", number(seen, "memory_bytes").map(|bytes| Cell::bytes(bytes).at(key("memory_bytes"))));
    add("Disk for them", number(seen, "disk_bytes").map(|bytes| Cell::bytes(bytes).at(key("disk_bytes"))));
    for (name, part) in
        [("New URLs that looked known", "false_positives"), ("New URLs that were dropped for it", "wrongly_dropped")]
    {
        let Some(mistakes) = seen.get(part) else { continue };
        let (measured, expected) = (mistakes["measured"]["count"].as_f64(), mistakes["expected"].as_f64());
        let text = measured.zip(expected).map(|(measured, expected)| format!("{measured:.0} ({expected:.1} expected)"));
        add(name, text.map(Cell::Text));
    }
    facts
}

fn trap(trap: &Value) -> Vec<Cell> {
    let text = |name: &str| trap.get(name).and_then(Value::as_str).map(str::to_owned);
    let measure = text("measure").map(|measure| match measure.as_str() {
        "last" => "put last".to_owned(),
        "cut" => "cut off".to_owned(),
        _ => measure,
    });
    let counts = ["fetched", "fruitful", "refused", "since"].map(|name| Cell::maybe(number(trap, name), Cell::count));
    let start = [Cell::maybe(text("form"), Cell::Code), Cell::maybe(measure, Cell::Text)];
    let end = Cell::maybe(text("example"), |url| Cell::Url(crate::document::bounded::cut(&url, 300)));
    start.into_iter().chain(counts).chain([end]).collect()
}

/// A share of all in words.
pub(super) fn of_all(part: u64, all: u64) -> String {
    format!("{} of {}", figures::count(part), figures::count(all))
}
