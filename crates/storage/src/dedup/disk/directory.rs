//! The directory of a set: its lock and its run files.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io;
use std::path::{Path, PathBuf};

use super::DiskError;
use super::header::Span;
use harvestman_core::crawl_file;

/// The file that is locked while the set is open.
const LOCK: &str = "lock";
const RUN: &str = "run";
const PARTIAL: &str = "partial";
const TORN: &str = "torn";

/// A directory that is locked for exclusive use during the lifetime of this value.
pub(super) struct Directory {
    path: PathBuf,
    _lock: File,
}

impl Directory {
    /// Creates the directory if it is missing, and locks it.
    pub fn make(path: &Path) -> Result<Self, DiskError> {
        fs::create_dir_all(path).map_err(|source| DiskError::file("create", path, source))?;
        let path = path.to_path_buf();
        Ok(Self { _lock: lock(&path)?, path })
    }

    /// Locks an existing directory.
    pub fn open(path: &Path) -> Result<Self, DiskError> {
        fs::read_dir(path).map_err(|source| DiskError::file("read", path, source))?;
        let path = path.to_path_buf();
        Ok(Self { _lock: lock(&path)?, path })
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    pub fn file(&self, span: Span) -> PathBuf {
        self.path.join(span.name())
    }

    /// Returns the path of the unfinished file, which is renamed to [`Directory::file`] once it is complete.
    pub fn partial(&self, span: Span) -> PathBuf {
        self.file(span).with_extension(PARTIAL)
    }

    /// Returns the spans of the runs in ascending order, with spans that contain others before them. Other files are
    /// ignored, but each file with the extension of a run must have a valid name.
    pub fn spans(&self) -> Result<Vec<Span>, DiskError> {
        let runs = self.files(RUN)?;
        let span = |path: PathBuf| {
            let name = path.file_name().and_then(|name| name.to_str());
            name.and_then(Span::of_name).ok_or_else(|| DiskError::damaged(&path, "does not have the name of a run"))
        };
        let mut spans = runs.into_iter().map(span).collect::<Result<Vec<_>, _>>()?;
        spans.sort_unstable_by_key(|span| (span.first, std::cmp::Reverse(span.last)));
        Ok(spans)
    }

    /// Renames unfinished files, so that they are neither read nor conflict with new files.
    pub fn set_aside_unfinished(&self) -> Result<(), DiskError> {
        self.files(PARTIAL)?.iter().try_for_each(|partial| {
            let torn = partial.with_extension(TORN);
            fs::rename(partial, &torn).map_err(|source| DiskError::file("rename", partial, source))
        })
    }

    /// Renames a complete file to its final name, and syncs the directory. After an error the final name does not
    /// exist.
    pub fn finish(&self, partial: &Path, whole: &Path) -> Result<(), DiskError> {
        fs::rename(partial, whole).map_err(|source| DiskError::file("rename", partial, source))?;
        let synced = File::open(&self.path).and_then(|directory| directory.sync_all());
        synced.map_err(|source| {
            remove(whole);
            DiskError::file("sync", &self.path, source)
        })
    }

    fn files(&self, extension: &str) -> Result<Vec<PathBuf>, DiskError> {
        let failed = |source| DiskError::file("read", &self.path, source);
        let entries = fs::read_dir(&self.path).map_err(failed)?;
        let paths = entries.map(|entry| entry.map(|entry| entry.path())).collect::<io::Result<Vec<_>>>();
        let mut paths = paths.map_err(failed)?;
        paths.retain(|path| path.extension().is_some_and(|it| it == extension));
        Ok(paths)
    }
}

/// Removes an obsolete file. Errors are ignored because a remaining file only takes up space.
pub(super) fn remove(path: &Path) {
    let _ = fs::remove_file(path);
}

/// Removes a directory of sets that are no longer in use, with its contents. A missing directory is not an error.
pub(in crate::dedup) fn remove_all(path: &Path) -> Result<(), DiskError> {
    match fs::remove_dir_all(path) {
        Err(source) if source.kind() != io::ErrorKind::NotFound => Err(DiskError::file("remove", path, source)),
        _ => Ok(()),
    }
}

fn lock(directory: &Path) -> Result<File, DiskError> {
    let path = directory.join(LOCK);
    let opened = crawl_file::open_with(&path, OpenOptions::new().write(true).create(true).truncate(false));
    let file = opened.map_err(|source| DiskError::file("create", &path, source))?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(TryLockError::WouldBlock) => Err(DiskError::InUse { path: directory.to_path_buf() }),
        Err(TryLockError::Error(source)) => Err(DiskError::file("lock", &path, source)),
    }
}
