//! Converts the page log and the link export to Parquet, a columnar format for databases and data frames.
//!
//! The conversion is one pass over the lines: a row group is collected in memory, written, and freed. The fields of a
//! line are defined in [`harvestman_core::model::PageRecord`] and the link export; this module adds their column types.

mod column;
mod log_lines;
mod log_tables;
mod rows;
#[cfg(test)]
mod tests;

use std::io::{self, Write};
use std::path::Path;

use log_lines::LogReader;

use column::{Column, TableWriter};

pub use log_lines::TableError;
pub use parquet::errors::ParquetError;
pub use rows::{RowTable, RowType, RowValue};

/// The log that a table is created from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LogKind {
    /// `pages.jsonl`: one row per line, one column per field. Times are timestamps in milliseconds, UTC.
    Pages,
    /// `links.jsonl`: one row per page, with the list of its links.
    Links,
}

impl LogKind {
    /// Returns the name of the uncompressed file.
    pub const fn file_name(self) -> &'static str {
        match self {
            Self::Pages => "pages.jsonl",
            Self::Links => "links.jsonl",
        }
    }
}

/// The result of creating a table.
#[derive(Debug, Default)]
pub struct TableReport {
    /// Number of rows.
    pub rows: u64,
    /// Number of invalid lines, which are skipped.
    pub damaged: u64,
    /// The first invalid line: its number in its file, from 1, and the error.
    pub first_damaged: Option<(u64, String)>,
    /// Whether the log ends within a line, as the log of a running or killed crawl does.
    pub unfinished: bool,
    /// Why the log could not be read to its end.
    pub broken: Option<String>,
}

/// Writes the table of a log in `directory` (with any compression) to `out`. Calls `each` with the number of rows after
/// each row.
pub fn write_table(
    log: LogKind,
    directory: &Path,
    out: impl Write + Send,
    mut each: impl FnMut(u64),
) -> Result<TableReport, TableError> {
    let mut lines = LogReader::open(directory, log.file_name())?.ok_or(TableError::NoLog)?;
    let (schema, columns) = match log {
        LogKind::Pages => (log_tables::page_schema(), log_tables::page_columns()),
        LogKind::Links => (log_tables::link_schema(), log_tables::link_columns()),
    };
    let push: fn(&[u8], &mut [Column]) -> Result<(), String> = match log {
        LogKind::Pages => log_tables::push_page,
        LogKind::Links => log_tables::push_link,
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
            // The compressed log of a running or killed crawl ends in the middle of a batch.
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
    format!("it is longer than {} MiB", log_lines::LINE_MAX >> 20)
}
