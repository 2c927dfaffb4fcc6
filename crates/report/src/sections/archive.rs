//! The WARC files of a crawl.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::document::log::LogFigures;
use crate::figures;
use crate::render::block::{Block, Cell, Table};
use harvestman_core::clock::Instant;

/// The number of WARC files that are shown.
const FILES_SHOWN: usize = 200;

/// A WARC file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Warc {
    /// Its path, relative to the crawl directory.
    pub name: String,
    /// Its size in bytes; `None` if the page log names it and it does not exist.
    pub bytes: Option<u64>,
    /// Responses in it, by the page log.
    pub responses: u64,
    /// When the first of them was requested.
    pub first: Option<String>,
    /// When the last of them was requested.
    pub last: Option<String>,
}

/// The WARC files.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Warcs {
    /// The first files by name, which is by time.
    pub files: Vec<Warc>,
    /// The number of further files.
    pub more: u64,
    /// The number of all files.
    pub count: u64,
    /// The bytes of all files.
    pub bytes: u64,
}

impl Warcs {
    /// Joins the files that exist, with their sizes, with those that the page log names.
    pub(crate) fn of(existing: &[(String, u64)], log: &LogFigures) -> Self {
        let mut all: BTreeMap<&str, Option<u64>> = log.files.keys().map(|name| (name.as_str(), None)).collect();
        all.extend(existing.iter().map(|(name, bytes)| (name.as_str(), Some(*bytes))));
        let (count, bytes) = (all.len() as u64, all.values().flatten().sum());
        let text = |at: Option<Instant>| at.map(|at| at.timestamp().to_string());
        let file = |(name, bytes): (&str, Option<u64>)| {
            let logged = log.files.get(name).cloned().unwrap_or_default();
            let (first, last) = (text(logged.first), text(logged.last));
            Warc { name: name.to_owned(), bytes, responses: logged.responses, first, last }
        };
        let files: Vec<Warc> = all.into_iter().take(FILES_SHOWN).map(file).collect();
        Self { more: count - files.len() as u64, files, count, bytes }
    }
}

pub(super) fn blocks(warcs: &Warcs) -> Vec<Block> {
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
