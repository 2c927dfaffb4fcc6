//! Errors of writing a table.

use std::io;

use parquet::errors::ParquetError;

/// Why no table was written.
#[derive(Debug, thiserror::Error)]
pub enum TableError {
    /// The directory does not contain the log.
    #[error("there is no log")]
    NoLog,
    /// The log cannot be opened.
    #[error("cannot read {0}")]
    Read(String, #[source] io::Error),
    /// The table could not be written.
    #[error("{0}")]
    Write(#[from] ParquetError),
}
