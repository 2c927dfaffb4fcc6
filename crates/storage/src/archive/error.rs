//! What can go wrong with the files of an archive.

use std::io;
use std::path::{Path, PathBuf};

/// Why the archive cannot go on. Every text names the file and says what to do.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A setting that no archive can be made with.
    #[error("archive.{key} = {value}: {hint}")]
    Setting {
        /// The setting.
        key: &'static str,
        /// Its value.
        value: String,
        /// What it may be.
        hint: &'static str,
    },
    /// The disk is full (or a quota used up); what was whole before is still whole.
    #[error("no space left to write {path}: free some space and resume; all records before this one are whole")]
    DiskFull {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// A file could not be made, written, renamed or forced to the disk.
    #[error("cannot {action} {path} ({source}): check that the directory exists, is writable and on a sound disk")]
    File {
        /// What was tried.
        action: &'static str,
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// A write failed, and the half record could not be cut off either.
    #[error(
        "cannot cut {path} back to its last whole record ({source}): it keeps its .open suffix, repair it by resuming"
    )]
    NotCut {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The archive stopped at an earlier error; nothing was written since.
    #[error("the archive stopped at an earlier error: {0}")]
    Stopped(String),
}

impl Error {
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
}
