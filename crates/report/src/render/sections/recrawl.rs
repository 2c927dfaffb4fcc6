//! Visits to known pages.

use super::seen::of_all;
use crate::document::Document;
use crate::render::block::{Block, Cell, Table, moment};
use crate::{RecrawlFigures, Report};

pub(super) fn blocks(document: &Document) -> Vec<Block> {
    let mut blocks = Vec::new();
    if let Some((recrawl, source)) = document.own().and_then(|own| Some((own.recrawl?, own.source))) {
        blocks.push(Block::Text(format!("{} known pages were revisited.", of_all(recrawl.visited, recrawl.known))));
        blocks.push(Block::Facts(facts(recrawl, source)));
    }
    if !document.earlier.is_empty() {
        blocks.push(Block::Table(rounds(document)));
    }
    if document.log.visits > 0 {
        let (visits, changed) = (document.log.visits, document.log.changed);
        blocks.push(Block::Text(format!(
            "By the page log, {} visits to known pages found a change.",
            of_all(changed, visits)
        )));
    }
    blocks
}

fn facts(recrawl: &RecrawlFigures, source: &str) -> Vec<(String, Cell)> {
    let counts = [
        ("Round", "round", u64::from(recrawl.round)),
        ("Known pages", "known", recrawl.known),
        ("Revisited", "visited", recrawl.visited),
        ("Changed", "changed", recrawl.changed),
        ("Not modified (304)", "not_modified", recrawl.not_modified),
        ("Unchanged, sent in full", "same", recrawl.same),
        ("Gone", "gone", recrawl.gone),
        ("Failed", "failed", recrawl.failed),
        ("New pages", "new_pages", recrawl.new_pages),
    ];
    let fact = |(label, name, count): (&str, &str, u64)| {
        (label.to_owned(), Cell::count(count).at(format!("{source}.recrawl.{name}")))
    };
    let expected = Cell::text(format!("about {:.0}", recrawl.expected));
    let expected = ("Changed, expected among those not revisited".to_owned(), expected);
    counts.into_iter().map(fact).chain([expected]).collect()
}

/// The table of all rounds. Where several sessions were added up, it has no row for their sums.
fn rounds(document: &Document) -> Table {
    let own = document.last_report().map(|report| ("report.json", report));
    let rounds = document.earlier.iter().map(|(name, report)| (name.as_str(), report)).chain(own);
    let header =
        vec!["report", "started", "requests", "pages", "visited", "changed", "not modified", "new pages", "received"];
    let rows = rounds.map(|(name, report)| round(name, report)).collect();
    Table { caption: "The crawl and its recrawls".to_owned(), header, rows }
}

fn round(name: &str, report: &Report) -> Vec<Cell> {
    let count = |count: fn(&RecrawlFigures) -> u64| Cell::maybe(report.recrawl.as_ref().map(count), Cell::count);
    vec![
        Cell::Code(name.to_owned()),
        Cell::Text(moment(&report.started)),
        Cell::count(report.requests),
        Cell::count(report.pages),
        count(|recrawl| recrawl.visited),
        count(|recrawl| recrawl.changed),
        count(|recrawl| recrawl.not_modified),
        count(|recrawl| recrawl.new_pages),
        Cell::bytes(report.bytes),
    ]
}
