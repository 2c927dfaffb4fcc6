//! What can go wrong with a set on disk.

use std::io;
use std::path::{Path, PathBuf};

/// Why a set on disk cannot go on. Every text names the file and says what to do.
#[derive(Debug, thiserror::Error)]
pub enum DiskError {
    /// The disk is full, or a quota used up. The set answers as before, and goes on once there is space.
    #[error("no space left to write {path}: free some space and go on; all that was in the set still is")]
    DiskFull {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// A file or directory could not be made, read, written, renamed or forced to the disk.
    #[error("cannot {action} {path} ({source}): check that the directory exists, is writable and on a sound disk")]
    File {
        /// What was tried.
        action: &'static str,
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// A file is not as it was written, is missing, or was not written by such a set.
    #[error(
        "{path} {what}: put a sound copy in its place, or begin anew in an empty directory (then every URL is new again)"
    )]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        what: &'static str,
    },
    /// A new set was to be made where there is one.
    #[error("{path} holds a set of URLs already: open it to go on with it, or name an empty directory")]
    Exists {
        /// The directory.
        path: PathBuf,
    },
    /// Somebody else has the set open.
    #[error("the set of URLs in {path} is in use: end the other crawl, or name another directory")]
    InUse {
        /// The directory.
        path: PathBuf,
    },
    /// The batch holds as many fingerprints as memory allows; the one offered was not taken.
    #[error("the batch of fingerprints is full: merge it before the next one is put")]
    BatchFull,
}

impl DiskError {
    /// The error for a failed `action` on `path`.
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
