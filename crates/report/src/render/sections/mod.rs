//! A document as sections.

mod answers;
mod archive;
mod asked;
mod came;
mod errors;
mod fates;
mod harvest;
mod nodes;
mod pages;
mod politeness;
mod recrawl;
mod seen;

use serde_json::Value;

use super::block::{Block, Cell, Section, Table, moment};
use crate::document::Document;
pub use came::standing;

/// What the sections are made from: the document, and the same as JSON, where figures are looked up by their paths.
pub struct Material<'a> {
    /// The document.
    pub document: &'a Document,
    /// As JSON.
    pub json: Value,
}

impl<'a> Material<'a> {
    /// Of a document.
    pub fn of(document: &'a Document) -> Self {
        Self { document, json: serde_json::to_value(document).unwrap_or_default() }
    }

    /// The crawl's own figure `name`, of its report or of its status.
    fn own(&self, name: &str, shown: impl FnOnce(f64) -> String) -> Option<Cell> {
        let source = self.document.source()?.0;
        super::block::figure_at(&self.json, &format!("{source}.{name}"), shown)
    }

    /// What the crawl itself says under `name`.
    fn said(&self, name: &str) -> Option<&Value> {
        self.document.source()?.1.get(name)
    }
}

/// All sections that have something to say, in the order in which they are read.
pub fn sections(material: &Material<'_>) -> Vec<Section> {
    let all = [
        ("asked", "What was asked", asked::blocks(material)),
        ("came", "What came", came::blocks(material)),
        ("nodes", "What each node did", nodes::blocks(material)),
        ("harvest", "Harvest", harvest::blocks(material)),
        ("pages", "Kinds of pages", pages::blocks(material)),
        ("fates", "What became of the links", fates::blocks(material)),
        ("politeness", "Politeness", politeness::blocks(material)),
        ("errors", "Errors, and what to do about them", errors::blocks(material)),
        ("answers", "Answers", answers::blocks(material)),
        ("seen", "URLs seen, and traps", seen::blocks(material)),
        ("recrawls", "Recrawls", recrawl::blocks(material)),
        ("told", "What it was told while it ran", told(material)),
        ("archive", "Archive", archive::blocks(material)),
        ("next", "What to do next", next(material)),
    ];
    let sections = all.into_iter().filter(|(_, _, blocks)| !blocks.is_empty());
    sections.map(|(id, title, blocks)| Section { id, title, blocks }).collect()
}

fn told(material: &Material<'_>) -> Vec<Block> {
    let told = &material.document.told;
    let mut blocks = Vec::new();
    let rows = told.entries.iter().map(|entry| {
        let command = format!("{} {}", entry.command, entry.arguments.join(" "));
        let effect = Cell::maybe(entry.effect.clone(), Cell::Text);
        vec![Cell::moment(&entry.time), Cell::Code(command.trim().to_owned()), effect]
    });
    let rows: Vec<_> = rows.collect();
    if !rows.is_empty() {
        let caption = "Commands to the running crawl".to_owned();
        blocks.push(Block::Table(Table { caption, header: vec!["when", "command", "what it did"], rows }));
    }
    if told.earlier > 0 {
        blocks.push(Block::Text(format!("{} earlier ones are in control.jsonl.", told.earlier)));
    }
    let held = material.document.in_force.as_ref().map(held).unwrap_or_default();
    if !held.is_empty() {
        blocks.push(Block::Text("This holds until it is taken back, after a resume, too:".to_owned()));
        blocks.push(Block::Facts(held));
    }
    blocks
}

fn held(in_force: &Value) -> Vec<(String, Cell)> {
    let list = |name: &str| -> Vec<Cell> {
        let texts = in_force[name].as_array().into_iter().flatten().filter_map(Value::as_str);
        texts.take(100).map(|text| Cell::Code(text.to_owned())).collect()
    };
    let all = ["set", "banned", "pinned", "blocked"].map(|name| (name.to_owned(), list(name)));
    all.into_iter().filter(|(_, list)| !list.is_empty()).map(|(name, list)| (name, Cell::Lines(list))).collect()
}

fn next(material: &Material<'_>) -> Vec<Block> {
    let next = &material.document.next;
    if next.is_empty() { Vec::new() } else { vec![Block::Commands(next.clone())] }
}

/// What stands at the very end.
pub fn colophon(document: &Document) -> String {
    format!("Made by harvestman {} on {} from {}.", document.made_by, moment(&document.made), document.directory)
}
