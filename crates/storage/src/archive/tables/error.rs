//! Why no table was written.

use std::io;

use parquet::errors::ParquetError;

/// Why no table was written.
#[derive(Debug, thiserror::Error)]
pub enum TableError {
    /// There is no such log in the directory.
    #[error("there is no log")]
    NoLog,
    /// The log cannot be opened.
    #[error("cannot read {0}")]
    Read(String, #[source] io::Error),
    /// The table could not be written.
    #[error("{0}")]
    Write(#[from] ParquetError),
}
