//! The set of URLs seen, and traps.

use crate::document::bounded::cut;
use crate::document::{Document, OwnFigures};
use crate::figures;
use crate::render::block::{Block, Cell, Table};
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
