//! Why a crawl could not be run.

use std::path::PathBuf;

use harvestman_storage::store::StoreError;

/// What a build without the feature `fleet` answers to a fleet's commands and settings.
pub const NO_FLEET: &str =
    "this build of harvestman has no fleets; enable them with `cargo build --release --features fleet`";

/// Why a crawl could not be run.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// None of the seeds can be crawled.
    #[error("no usable seed: {reason}")]
    NoUsableSeed {
        /// What is wrong with them.
        reason: String,
    },
    /// Settings that turn out to be wrong only when a stage is built from them.
    #[error("{0}")]
    Configuration(String),
    /// The crawl could not log in.
    #[error(
        "cannot log in at {page}: {reason}. No page was fetched; `harvestman resume DIR` with corrected settings tries again"
    )]
    LogIn {
        /// The log-in page.
        page: String,
        /// Why not, and what to do.
        reason: String,
    },
    /// A page is read for so long that the crawl ends without it.
    #[error(
        "reading {0} does not end: the crawl ends without it, as if it had been killed. `harvestman resume DIR` repairs its files; \
         please report the page"
    )]
    EndlessPage(String),
    /// The crawl directory cannot be used.
    #[error("cannot use {} as the output directory: {reason}", path.display())]
    OutputDirectory {
        /// The directory.
        path: PathBuf,
        /// What is wrong with it, and what to do.
        reason: String,
    },
    /// The state could not be opened, read or written.
    #[error(transparent)]
    State(#[from] StoreError),
    /// The archive's files could not be opened.
    #[error(transparent)]
    Archive(#[from] harvestman_storage::archive::Error),
    /// A file of the crawl directory could not be written.
    #[error("cannot write {}: {source}", path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// Why not.
        source: std::io::Error,
    },
    /// A file of the crawl directory could not be read.
    #[error("cannot read {}: {source}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// Why not.
        source: std::io::Error,
    },
    /// A bug in Harvestman.
    #[error("internal fault: {0}; please report it with the log")]
    Internal(String),
}

impl Error {
    /// Returns whether the seeds, the settings or the directory cannot be used, so that nothing was done.
    pub const fn is_usage(&self) -> bool {
        matches!(
            self,
            Self::NoUsableSeed { .. }
                | Self::Configuration(_)
                | Self::OutputDirectory { .. }
                | Self::State(StoreError::InUse { .. } | StoreError::Missing { .. } | StoreError::Format { .. })
        )
    }
}
