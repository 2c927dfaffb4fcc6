//! Visits to pages that were known before.

use serde_json::Value;

use super::Material;
use super::answers::number;
use super::seen::of_all;
use crate::render::block::{Block, Cell, Table, moment};

pub(super) fn blocks(material: &Material<'_>) -> Vec<Block> {
    let document = material.document;
    let mut blocks = Vec::new();
    if let Some((recrawl, (source, _))) = material.said("recrawl").filter(|at| at.is_object()).zip(document.source()) {
        if let Some((visited, known)) = number(recrawl, "visited").zip(number(recrawl, "known")) {
            blocks.push(Block::Text(format!("{} pages that were known were visited again.", of_all(visited, known))));
        }
        blocks.push(Block::Facts(figures(recrawl, source)));
    }
    if !document.earlier.is_empty() {
        let own = document.report.iter().map(|report| ("report.json".to_owned(), report));
        let rounds = document.earlier.iter().map(|(name, report)| (name.clone(), report)).chain(own);
        let rows = rounds.map(|(name, report)| round(name, report)).collect();
        let header =
            vec!["report", "began", "requests", "pages", "visited", "changed", "not modified", "new pages", "received"];
        blocks.push(Block::Table(Table { caption: "The crawl and its recrawls".to_owned(), header, rows }));
    }
    if document.log.visits > 0 {
        let (visits, changed) = (document.log.visits, document.log.changed);
        blocks.push(Block::Text(format!(
            "By the page log {} visits to known pages found a change.",
            of_all(changed, visits)
        )));
    }
    blocks
}

fn figures(recrawl: &Value, source: &str) -> Vec<(String, Cell)> {
    let names = [
        ("Round", "round"),
        ("Pages known", "known"),
        ("Visited", "visited"),
        ("Changed", "changed"),
        ("Not modified (304)", "not_modified"),
        ("The same, sent in full", "same"),
        ("Gone", "gone"),
        ("Failed", "failed"),
        ("New pages", "new_pages"),
    ];
    let cell = |name: &str| Some(Cell::count(number(recrawl, name)?).at(format!("{source}.recrawl.{name}")));
    let counts = names.into_iter().filter_map(|(label, name)| Some((label.to_owned(), cell(name)?)));
    let expected = recrawl["changed_expected"].as_f64().map(|expected| Cell::text(format!("about {expected:.0}")));
    counts.chain(expected.map(|cell| ("Changed, expected among those not visited".to_owned(), cell))).collect()
}

fn round(name: String, report: &Value) -> Vec<Cell> {
    let count = |at: &Value, name: &str| Cell::maybe(number(at, name), Cell::count);
    let recrawl = &report["recrawl"];
    let began = report["started"].as_str().map(|at| Cell::Text(moment(at)));
    vec![
        Cell::Code(name),
        began.unwrap_or(Cell::Empty),
        count(report, "requests"),
        count(report, "pages"),
        count(recrawl, "visited"),
        count(recrawl, "changed"),
        count(recrawl, "not_modified"),
        count(recrawl, "new_pages"),
        Cell::maybe(number(report, "bytes"), Cell::bytes),
    ]
}
