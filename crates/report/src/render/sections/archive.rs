//! The WARC files.

use crate::document::{Document, Warc};
use crate::figures;
use crate::render::block::{Block, Cell, Table};

pub(super) fn blocks(document: &Document) -> Vec<Block> {
    let warcs = &document.warcs;
    let total = figures::bytes(warcs.bytes);
    let text = match warcs.count {
        0 => return vec![Block::Text("There are no WARC files.".to_owned())],
        1 => format!("There is one WARC file of {total}."),
        count => format!("There are {} WARC files of {total} in total.", figures::count(count)),
    };
    let header = vec!["file", "size", "responses", "first request", "last request"];
    let rows = warcs.files.iter().map(row).collect();
    let mut blocks = vec![Block::Text(text), Block::Table(Table { caption: "WARC files".to_owned(), header, rows })];
    if warcs.more > 0 {
        blocks.push(Block::Text(format!("{} more files are not listed here.", figures::count(warcs.more))));
    }
    blocks
}

fn row(file: &Warc) -> Vec<Cell> {
    let moment = |at: &Option<String>| Cell::maybe(at.as_deref(), Cell::moment);
    let size = file.bytes.map_or(Cell::text("missing"), Cell::bytes);
    vec![Cell::Code(file.name.clone()), size, Cell::count(file.responses), moment(&file.first), moment(&file.last)]
}
