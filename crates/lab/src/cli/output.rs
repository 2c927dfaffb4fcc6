//! Writes the rows of results.

use std::path::PathBuf;

use harvestman::cli::Failure;
use harvestman::cli::output::write_text;

use crate::tables::{Row, to_json};

/// Writes rows to a file; `-` is standard output. Without a file nothing is written.
pub(super) fn write_json(rows: &[Row], to: Option<&PathBuf>) -> Result<(), Failure> {
    match to {
        None => Ok(()),
        Some(path) => write_text(&to_json(rows), path),
    }
}
