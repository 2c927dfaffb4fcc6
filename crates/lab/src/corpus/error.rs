//! Reasons for rejecting a corpus. Each message names the file and the remedy.

use std::io;
use std::path::PathBuf;

use harvestman_storage::archive::reader;

/// The reason why a corpus cannot be loaded.
#[derive(Debug, thiserror::Error)]
pub enum CorpusError {
    /// A file could not be opened.
    #[error("cannot open {path}: {source}")]
    Open {
        /// The file.
        path: PathBuf,
        /// The error of the system.
        source: io::Error,
    },
    /// The WARC file cannot be read any further, for a reason other than truncation.
    #[error("{path}: {source}; `harvestman inspect warc` shows what is in it")]
    Warc {
        /// The file.
        path: PathBuf,
        /// The position and the reason.
        source: reader::WarcError,
    },
    /// There is no start page: no HTML response with status 200.
    #[error("{name}: no HTML page with status 200 found, so a crawl cannot start ({what})")]
    NoPage {
        /// The file, or the world.
        name: String,
        /// What it contains instead.
        what: String,
    },
    /// The pages exceed the memory limit.
    #[error("{name}: its pages need more than {limit} bytes of memory; use a part of it")]
    TooLarge {
        /// The file, or the world.
        name: String,
        /// The limit in bytes.
        limit: u64,
    },
    /// The labels lack a column.
    #[error("{path}: no column `{column}` in its first line (found: {found}); url and page_type are required")]
    Column {
        /// The file.
        path: PathBuf,
        /// The column.
        column: &'static str,
        /// The columns found.
        found: String,
    },
    /// The labels cannot be read.
    #[error("{path}, line {line}: {what}")]
    Labels {
        /// The file.
        path: PathBuf,
        /// The line at fault, from 1.
        line: u64,
        /// What is wrong.
        what: String,
    },
    /// The labels belong to another corpus.
    #[error("0 of {labels} labelled URLs of {path} are in the corpus {name}: is it the right file?")]
    OtherLabels {
        /// The file of the labels.
        path: PathBuf,
        /// The number of labels, with thousands separators.
        labels: String,
        /// The corpus.
        name: String,
    },
}
