//! Errors of the files of an archive.

use std::io;
use std::path::{Path, PathBuf};

/// An error of the archive. Each message names the file and says what to do.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// An invalid setting.
    #[error("archive.{key} = {value}: {hint}")]
    Setting {
        /// The setting.
        key: &'static str,
        /// Its value.
        value: String,
        /// The valid values.
        hint: &'static str,
    },
    /// The disk is full (or a quota is exhausted). Earlier records are complete.
    #[error("no space left to write {path}: free some space and resume; all earlier records are complete")]
    DiskFull {
        /// The file.
        path: PathBuf,
        /// The underlying I/O error.
        source: io::Error,
    },
    /// A file could not be created, written, renamed or synced.
    #[error("cannot {action} {path} ({source}): check that the directory exists and is writable, and check the disk")]
    File {
        /// The operation that failed.
        action: &'static str,
        /// The file.
        path: PathBuf,
        /// The underlying I/O error.
        source: io::Error,
    },
    /// A write failed, and the incomplete record could not be removed.
    #[error(
        "cannot truncate {path} to its last complete record ({source}): the file retains its .open suffix; resume the \
         crawl to repair it"
    )]
    NotCut {
        /// The file.
        path: PathBuf,
        /// The underlying I/O error.
        source: io::Error,
    },
    /// The archive stopped at an earlier error; nothing has been written since.
    #[error("the archive stopped at an earlier error: {0}")]
    Stopped(String),
}

impl Error {
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
}
