//! Commands given while the crawl ran, and what is in force.

use crate::document::{ControlEntry, Document, InForceFile};
use crate::render::block::{Block, Cell, Table};

/// The number of entries that are shown of a list in force.
const IN_FORCE_SHOWN: usize = 100;

pub(super) fn blocks(document: &Document) -> Vec<Block> {
    let log = &document.control;
    let mut blocks = Vec::new();
    if !log.entries.is_empty() {
        let header = vec!["time", "command", "effect"];
        let rows = log.entries.iter().map(row).collect();
        blocks.push(Block::Table(Table { caption: "Commands to the running crawl".to_owned(), header, rows }));
    }
    if log.earlier > 0 {
        blocks.push(Block::Text(format!("{} earlier commands are in control.jsonl.", log.earlier)));
    }
    let in_force = document.in_force.as_ref().map(in_force).unwrap_or_default();
    if !in_force.is_empty() {
        blocks.push(Block::Text("These remain in force until they are revoked, also after a resume:".to_owned()));
        blocks.push(Block::Facts(in_force));
    }
    blocks
}

fn row(entry: &ControlEntry) -> Vec<Cell> {
    let command = format!("{} {}", entry.command, entry.arguments.join(" "));
    let effect = Cell::maybe(entry.effect.clone(), Cell::Text);
    vec![Cell::moment(&entry.time), Cell::Code(command.trim().to_owned()), effect]
}

fn in_force(file: &InForceFile) -> Vec<(String, Cell)> {
    let cell = |list: Vec<&str>| {
        Cell::Lines(list.into_iter().take(IN_FORCE_SHOWN).map(|text| Cell::Code(text.to_owned())).collect())
    };
    let lists = file.lists().into_iter().filter(|(_, list)| !list.is_empty());
    lists.map(|(name, list)| (name.to_owned(), cell(list))).collect()
}
