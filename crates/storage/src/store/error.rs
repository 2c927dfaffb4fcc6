//! Errors of the persisted state.

use std::path::{Path, PathBuf};

/// Why the state of a crawl cannot be read or written.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// Another process has it open.
    #[error("{} is in use by another process", path.display())]
    InUse {
        /// The state's directory.
        path: PathBuf,
    },
    /// The directory contains no state.
    #[error("{} does not contain the state of a crawl", path.display())]
    Missing {
        /// The directory.
        path: PathBuf,
    },
    /// The state was written in another format version.
    #[error("the state in {} has format {found}; this version reads format {}", path.display(), super::record::FORMAT)]
    Format {
        /// The state's directory.
        path: PathBuf,
        /// Its format.
        found: u8,
    },
    /// The disk failed, or the contents are invalid.
    #[error("cannot {action} the state in {}: {reason}", path.display())]
    Failed {
        /// The operation that failed.
        action: &'static str,
        /// The state's directory.
        path: PathBuf,
        /// Why it failed.
        reason: String,
    },
    /// The fleet that the crawl is part of rejected it.
    #[error("{0}")]
    Fleet(String),
}

impl StoreError {
    pub(super) fn of(action: &'static str, path: &Path, error: &fjall::Error) -> Self {
        let path = path.to_path_buf();
        match error {
            fjall::Error::Locked => Self::InUse { path },
            fjall::Error::Io(error) => Self::Failed { action, path, reason: error.to_string() },
            other => Self::Failed { action, path, reason: other.to_string() },
        }
    }
}
