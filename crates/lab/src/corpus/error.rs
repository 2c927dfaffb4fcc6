//! What a corpus can be refused for. Every text names the file and says what to do.

use std::io;
use std::path::PathBuf;

use harvestman_storage::archive::reader;

/// Why there is no corpus.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A file could not be opened.
    #[error("cannot open {path}: {source}")]
    Open {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The WARC file cannot be read on, and not because it ends early.
    #[error("{path}: {source}; `harvestman inspect warc` shows what is in it")]
    Warc {
        /// The file.
        path: PathBuf,
        /// Where, and why.
        source: reader::Error,
    },
    /// No page to start from: no response that is HTML with status 200.
    #[error("{name}: there is no HTML page with status 200 in it, so a crawl has nowhere to start ({what})")]
    NoPage {
        /// The file, or the world.
        name: String,
        /// What there was instead.
        what: String,
    },
    /// More than is held in memory.
    #[error("{name}: its pages take more than {limit} bytes of memory; take a part of it")]
    TooLarge {
        /// The file, or the world.
        name: String,
        /// The limit, bytes.
        limit: u64,
    },
    /// The labels lack a column.
    #[error("{path}: there is no column `{column}` in its first line (found: {found}); url and page_type are needed")]
    Column {
        /// The file.
        path: PathBuf,
        /// The column.
        column: &'static str,
        /// The columns there are.
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
    /// The labels belong to something else.
    #[error("0 of {labels} labelled URLs of {path} are in the corpus {name}: is it the right file?")]
    OtherLabels {
        /// The file of the labels.
        path: PathBuf,
        /// How many labels there are, thousands set apart.
        labels: String,
        /// The corpus.
        name: String,
    },
}
