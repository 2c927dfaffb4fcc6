//! The WARC files.

use super::Material;
use crate::document::Warc;
use crate::figures;
use crate::render::block::{Block, Cell, Table};

pub(super) fn blocks(material: &Material<'_>) -> Vec<Block> {
    let warcs = &material.document.warcs;
    if warcs.count == 0 {
        return vec![Block::Text("There are no WARC files.".to_owned())];
    }
    let files = if warcs.count == 1 {
        "One WARC file".to_owned()
    } else {
        format!("{} WARC files", figures::count(warcs.count))
    };
    let has = if warcs.count == 1 { "has" } else { "have" };
    let mut blocks = vec![Block::Text(format!("{files} {has} {} in all.", figures::bytes(warcs.bytes)))];
    let header = vec!["file", "size", "pages and other answers", "first", "last"];
    let rows = warcs.files.iter().map(row).collect();
    blocks.push(Block::Table(Table { caption: "WARC files".to_owned(), header, rows }));
    if warcs.more > 0 {
        blocks.push(Block::Text(format!("{} more files are not named here.", figures::count(warcs.more))));
    }
    blocks
}

fn row(file: &Warc) -> Vec<Cell> {
    let moment = |at: &Option<String>| Cell::maybe(at.as_deref(), Cell::moment);
    let size = file.bytes.map_or(Cell::text("not there"), Cell::bytes);
    vec![Cell::Code(file.name.clone()), size, Cell::count(file.responses), moment(&file.first), moment(&file.last)]
}
