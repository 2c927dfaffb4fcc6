//! The page log and the link export as Parquet, which databases and data frames read by columns.
//!
//! One pass over the lines: a row group is gathered in memory, written, and forgotten. What a line holds stands once, in
//! [`harvestman_core::model::PageRecord`] and the link export; here it gets a type.

mod column;
mod error;
mod lines;
mod links;
mod pages;
#[cfg(test)]
mod tests;
mod writer;

pub use parquet::errors::ParquetError;
use std::io::{self, Write};
use std::path::Path;

use column::Column;
pub use error::TableError;
use lines::LogReader;
use writer::TableWriter;

/// Which log a table is made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LogKind {
    /// `pages.jsonl`: a row a line, a column a value. Times are timestamps in milliseconds, UTC.
    Pages,
    /// `links.jsonl`: a row a page, with the list of its links.
    Links,
}

impl LogKind {
    /// Its file, where it is not compressed.
    pub const fn file_name(self) -> &'static str {
        match self {
            Self::Pages => "pages.jsonl",
            Self::Links => "links.jsonl",
        }
    }
}

/// What came of making a table.
#[derive(Debug, Default)]
pub struct TableReport {
    /// Rows of the table.
    pub rows: u64,
    /// Lines that are no record of the log, and are left out.
    pub damaged: u64,
    /// The first of them: its number in its file, from 1 on, and what is wrong with it.
    pub first_damaged: Option<(u64, String)>,
    /// Whether the log ends within a line, as that of a crawl that runs or was killed.
    pub unfinished: bool,
    /// Why the log could not be read to its end.
    pub broken: Option<String>,
}

/// Writes the table of a log in `directory` (however it is compressed) to `out`; tells `each` how many rows there are, row by row.
pub fn write_table(
    log: LogKind,
    directory: &Path,
    out: impl Write + Send,
    mut each: impl FnMut(u64),
) -> Result<TableReport, TableError> {
    let mut lines = LogReader::open(directory, log.file_name())?.ok_or(TableError::NoLog)?;
    let (schema, columns) = match log {
        LogKind::Pages => (pages::schema(), pages::columns()),
        LogKind::Links => (links::schema(), links::columns()),
    };
    let push: fn(&[u8], &mut [Column]) -> Result<(), String> = match log {
        LogKind::Pages => pages::push,
        LogKind::Links => links::push,
    };
    let mut table = TableWriter::new(out, schema?, columns)?;
    let mut made = TableReport::default();
    loop {
        match lines.next_line() {
            Ok(None) => break,
            Ok(Some(line)) => match line.text.ok_or_else(too_long).and_then(|text| push(text, table.columns())) {
                Ok(()) => {
                    table.end_row()?;
                    made.rows += 1;
                    each(made.rows);
                }
                Err(_) if line.unfinished => made.unfinished = true,
                Err(error) => {
                    made.damaged += 1;
                    made.first_damaged.get_or_insert((line.number, error));
                }
            },
            // A compressed log whose crawl still runs, or was killed, ends in the middle of a batch.
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => {
                made.unfinished = true;
                break;
            }
            Err(error) => {
                made.broken = Some(error.to_string());
                break;
            }
        }
    }
    table.close()?;
    Ok(made)
}

fn too_long() -> String {
    format!("it is longer than {} MiB", lines::LINE_MAX >> 20)
}
