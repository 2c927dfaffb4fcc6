//! The directory of a set: who may use it, which runs it holds.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io;
use std::path::{Path, PathBuf};

use super::DiskError;
use super::header::Span;

/// Its lock is held by whoever has the set open.
const LOCK: &str = "lock";
const RUN: &str = "run";
const PARTIAL: &str = "partial";
const TORN: &str = "torn";

/// A directory that nobody else uses as long as this lives.
pub(super) struct Directory {
    path: PathBuf,
    _lock: File,
}

impl Directory {
    /// Makes the directory if it is not there, and locks it.
    pub fn make(path: &Path) -> Result<Self, DiskError> {
        fs::create_dir_all(path).map_err(|source| DiskError::file("make", path, source))?;
        let path = path.to_path_buf();
        Ok(Self { _lock: lock(&path)?, path })
    }

    /// Locks a directory that must be there.
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

    /// The file that becomes [`Directory::file`] once it is whole.
    pub fn partial(&self, span: Span) -> PathBuf {
        self.file(span).with_extension(PARTIAL)
    }

    /// The spans of the runs, ascending, those that contain others before them. Other files are not looked at, but what
    /// calls itself a run must be one.
    pub fn spans(&self) -> Result<Vec<Span>, DiskError> {
        let runs = self.files(RUN)?;
        let span = |path: PathBuf| {
            let name = path.file_name().and_then(|name| name.to_str());
            name.and_then(Span::of_name).ok_or_else(|| DiskError::damaged(&path, "has no name that a run can have"))
        };
        let mut spans = runs.into_iter().map(span).collect::<Result<Vec<_>, _>>()?;
        spans.sort_unstable_by_key(|span| (span.first, std::cmp::Reverse(span.last)));
        Ok(spans)
    }

    /// Renames files that were left unfinished, so that they are neither read nor in the way.
    pub fn set_aside_unfinished(&self) -> Result<(), DiskError> {
        self.files(PARTIAL)?.iter().try_for_each(|partial| {
            let torn = partial.with_extension(TORN);
            fs::rename(partial, &torn).map_err(|source| DiskError::file("rename", partial, source))
        })
    }

    /// Gives a whole file its name, and forces the name to the disk. After an error there is no such name.
    pub fn finish(&self, partial: &Path, whole: &Path) -> Result<(), DiskError> {
        fs::rename(partial, whole).map_err(|source| DiskError::file("rename", partial, source))?;
        let synced = File::open(&self.path).and_then(|directory| directory.sync_all());
        synced.map_err(|source| {
            remove(whole);
            DiskError::file("force to the disk", &self.path, source)
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

/// Removes a file that is of no more use; one that stays takes space and does no harm, so an error is none.
pub(super) fn remove(path: &Path) {
    let _ = fs::remove_file(path);
}

/// Removes a directory of sets that are not in use any more, with all that is in it. One that is not there is no error.
pub(in crate::dedup) fn remove_all(path: &Path) -> Result<(), DiskError> {
    match fs::remove_dir_all(path) {
        Err(source) if source.kind() != io::ErrorKind::NotFound => Err(DiskError::file("remove", path, source)),
        _ => Ok(()),
    }
}

fn lock(directory: &Path) -> Result<File, DiskError> {
    let path = directory.join(LOCK);
    let opened = OpenOptions::new().write(true).create(true).truncate(false).open(&path);
    let file = opened.map_err(|source| DiskError::file("make", &path, source))?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(TryLockError::WouldBlock) => Err(DiskError::InUse { path: directory.to_path_buf() }),
        Err(TryLockError::Error(source)) => Err(DiskError::file("lock", &path, source)),
    }
}
