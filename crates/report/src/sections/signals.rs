//! What sites asked for, and what was done.

use crate::document::Document;
use crate::document::signals::{SignalFigures, StatementRow};
use crate::figures;
use crate::render::block::{Block, Cell, Table};

pub(super) fn blocks(document: &Document) -> Vec<Block> {
    let signals = &document.log.signals;
    if *signals == SignalFigures::default() {
        return Vec::new();
    }
    let mut blocks = vec![Block::Text(verdict(signals, &purpose(document)))];
    if !signals.statements.is_empty() {
        let header = vec!["statement", "in", "text", "URLs", "hosts", "not fetched", "not kept", "links not followed"];
        let rows = signals.statements.iter().map(row).collect();
        blocks.push(Block::Table(Table { caption: "Statements, by the page log".to_owned(), header, rows }));
    }
    blocks
}

/// The purpose of the crawl, by its configuration.
fn purpose(document: &Document) -> String {
    document
        .configuration
        .purpose
        .clone()
        .map_or_else(String::new, |purpose| format!(" The purpose of the crawl is `{purpose}`."))
}

fn verdict(signals: &SignalFigures, purpose: &str) -> String {
    let SignalFigures { pages, not_fetched, not_kept, payment_required, .. } = signals;
    let [pages, not_fetched, not_kept, paid] =
        [pages, not_fetched, not_kept, payment_required].map(|count| figures::count(*count));
    format!(
        "About {pages} URLs, sites or pages state something on the use of their content.{purpose} {not_fetched} URLs were not \
         fetched and {not_kept} pages were fetched but not kept, because they refuse it. {paid} URLs were answered with a \
         demand for payment (402), and nothing was paid. A URL with several statements is in several rows."
    )
}

fn row(row: &StatementRow) -> Vec<Cell> {
    let text = |text: &str| if text.is_empty() { Cell::Empty } else { Cell::Code(text.to_owned()) };
    let count = |count: u64| if count == 0 { Cell::Empty } else { Cell::count(count) };
    vec![
        Cell::Code(row.signal.clone()),
        text(&row.stated_in),
        text(&row.says),
        Cell::count(row.pages),
        Cell::count(row.hosts),
        count(row.not_fetched),
        count(row.not_kept),
        count(row.not_followed),
    ]
}
