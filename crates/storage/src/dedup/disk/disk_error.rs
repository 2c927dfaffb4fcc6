//! Errors of a set on disk.

use std::io;
use std::path::{Path, PathBuf};

/// An error of a set on disk. Each message names the file and says what to do.
#[derive(Debug, thiserror::Error)]
pub enum DiskError {
    /// The disk is full, or a quota is exhausted. The set remains usable, and can be written again once there is space.
    #[error("no space left to write {path}: free disk space and resume; the set is intact")]
    DiskFull {
        /// The file.
        path: PathBuf,
        /// The underlying I/O error.
        source: io::Error,
    },
    /// A file or directory could not be created, read, written, renamed or synced.
    #[error("cannot {action} {path} ({source}): check that the directory exists and is writable, and check the disk")]
    File {
        /// The operation that failed.
        action: &'static str,
        /// The file.
        path: PathBuf,
        /// The underlying I/O error.
        source: io::Error,
    },
    /// A file differs from what was written, is missing, or was not written by such a set.
    #[error("{path} {what}: restore an intact copy, or start over in an empty directory (then every URL is new again)")]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        what: &'static str,
    },
    /// The directory of a new set already contains a set.
    #[error("{path} already contains a set of URLs: open it to resume it, or specify an empty directory")]
    Exists {
        /// The directory.
        path: PathBuf,
    },
    /// The set is open elsewhere.
    #[error("the set of URLs in {path} is in use: stop the other crawl, or specify another directory")]
    InUse {
        /// The directory.
        path: PathBuf,
    },
    /// The batch has as many fingerprints as memory allows; the offered fingerprint was not added.
    #[error("the batch of fingerprints is full: merge it before adding the next one")]
    BatchFull,
}

impl DiskError {
    /// Returns the error for a failed `action` on `path`.
    pub(super) fn file(action: &'static str, path: &Path, source: io::Error) -> Self {
        let path = path.to_path_buf();
        match source.kind() {
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded | io::ErrorKind::FileTooLarge => {
                Self::DiskFull { path, source }
            }
            _ => Self::File { action, path, source },
        }
    }

    pub(super) fn damaged(path: &Path, what: &'static str) -> Self {
        Self::Damaged { path: path.to_path_buf(), what }
    }
}
