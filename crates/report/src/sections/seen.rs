//! The set of URLs seen, traps, and visits to known pages.

use crate::document::bounded::cut;
use crate::document::{Document, OwnFigures};
use crate::render::block::{Block, Cell, Table, moment};
use crate::{RecrawlFigures, Report, figures};
use harvestman_core::model::TrapRecord;
use harvestman_storage::dedup::FalsePositives;

/// The number of traps that are shown.
const TRAPS_SHOWN: usize = 20;
/// Characters of a URL.
const URL_MAX: usize = 300;

pub(super) fn blocks(document: &Document) -> Vec<Block> {
    let Some(own) = document.own() else { return Vec::new() };
    let mut blocks = Vec::new();
    let facts = seen(&own);
    if !facts.is_empty() {
        blocks.push(Block::Facts(facts));
    }
    if !own.traps.is_empty() {
        blocks.push(Block::Text(
            "Traps are URL patterns whose pages brought few new URLs or none. Links to a pattern that is put last wait until nothing else \
             does; a pattern that is cut off is not followed from its own pages; links to a closed pattern are refused."
                .to_owned(),
        ));
        blocks.push(Block::Table(traps(own.traps)));
    }
    if own.traps.len() > TRAPS_SHOWN {
        blocks.push(Block::Text(format!("{} more are in report.json.", own.traps.len() - TRAPS_SHOWN)));
    }
    blocks
}

fn seen(own: &OwnFigures<'_>) -> Vec<(String, Cell)> {
    let Some(seen) = own.dedup else { return Vec::new() };
    let key = |name: &str| format!("{}.dedup.{name}", own.source);
    let mut facts = vec![
        ("Store", Cell::Code(seen.store.name().to_owned())),
        ("URLs seen", Cell::count(seen.urls).at(key("urls"))),
        ("Memory", Cell::bytes(seen.memory_bytes).at(key("memory_bytes"))),
        ("Disk", Cell::bytes(seen.disk_bytes).at(key("disk_bytes"))),
    ];
    facts.extend(seen.false_positives.map(|count| ("False positives (new URLs that looked known)", mistakes(count))));
    facts.push(("New URLs dropped by mistake", mistakes(seen.wrongly_dropped)));
    facts.into_iter().map(|(name, cell)| (name.to_owned(), cell)).collect()
}

fn mistakes(FalsePositives { expected, measured }: FalsePositives) -> Cell {
    Cell::Text(format!("{:.0} ({expected:.1} expected)", measured.count))
}

fn traps(traps: &[TrapRecord]) -> Table {
    let header = vec![
        "URL pattern",
        "measure",
        "fetched",
        "with new URLs",
        "refused links",
        "measure taken after requests",
        "example",
    ];
    let rows = traps.iter().take(TRAPS_SHOWN).map(row).collect();
    Table { caption: "Traps".to_owned(), header, rows }
}

fn row(trap: &TrapRecord) -> Vec<Cell> {
    vec![
        Cell::Code(trap.form.clone()),
        Cell::text(trap.measure.describe()),
        Cell::count(trap.fetched),
        Cell::count(trap.fruitful),
        Cell::count(trap.refused),
        Cell::count(trap.since),
        Cell::Url(cut(&trap.example, URL_MAX)),
    ]
}

/// Formats a share: `12 of 340`.
pub(super) fn of_all(part: u64, all: u64) -> String {
    format!("{} of {}", figures::count(part), figures::count(all))
}

pub(super) fn visits(document: &Document) -> Vec<Block> {
    let mut blocks = Vec::new();
    if let Some((recrawl, source)) = document.own().and_then(|own| Some((own.recrawl?, own.source))) {
        blocks.push(Block::Text(format!("{} known pages were revisited.", of_all(recrawl.visited, recrawl.known))));
        blocks.push(Block::Facts(visit_facts(recrawl, source)));
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

fn visit_facts(recrawl: &RecrawlFigures, source: &str) -> Vec<(String, Cell)> {
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
