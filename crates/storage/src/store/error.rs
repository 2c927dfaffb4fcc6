//! What can go wrong with the state.

use std::path::{Path, PathBuf};

/// Why the state of a crawl cannot be had or kept.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// Another process has it open.
    #[error("{} is in use by another process", path.display())]
    InUse {
        /// The state's directory.
        path: PathBuf,
    },
    /// There is none.
    #[error("{} holds no state of a crawl", path.display())]
    Missing {
        /// Where it was looked for.
        path: PathBuf,
    },
    /// Another version of the program wrote it.
    #[error("the state in {} has format {found}; this version reads format {}", path.display(), super::record::FORMAT)]
    Format {
        /// The state's directory.
        path: PathBuf,
        /// Its format.
        found: u8,
    },
    /// The disk failed, or what is there makes no sense.
    #[error("cannot {action} the state in {}: {reason}", path.display())]
    Failed {
        /// What was tried.
        action: &'static str,
        /// The state's directory.
        path: PathBuf,
        /// Why it failed.
        reason: String,
    },
    /// The fleet that the crawl is part of did not take it.
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
