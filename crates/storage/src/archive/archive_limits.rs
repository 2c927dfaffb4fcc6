//! Limits of the archive's files and of its queue: numbers, a bound on the bytes in the queue besides the bound on its
//! length, and reserved disk space.
//!
//! A disk fills up with records, which are most of the data of a crawl; the page log lines that are still in memory
//! then, and the report, need reserved space.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use parking_lot::{Condvar, Mutex};

use super::Error;
use harvestman_core::crawl_file;

/// Limits of the archive's files and of its queue.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ArchiveLimits {
    /// Maximum time that lines of a log wait in memory: whoever follows the page log sees a page about when it was
    /// fetched.
    pub flush_every: Duration,
    /// Number of bytes of lines that are collected before they are written, regardless of time. A compressed batch of
    /// this size is about as small as the file as a whole would be.
    pub flush_bytes: usize,
    /// How often WARC files are synced to disk; zero: only when a file is closed. Only a power failure (not a crash of
    /// the process) can lose data that was not synced.
    pub sync_every: Duration,
    /// Disk space, in bytes, that is reserved while the crawl runs, so that the page log and the report can still be
    /// written when the disk is full: some batches of each log. Zero: none.
    pub reserve: u64,
    /// Maximum number of pages that wait for the writer; beyond it the CPU workers wait. It evens out a slow write or
    /// two; a disk that is slower than the crawl is not helped by a longer queue.
    pub queue_entries: usize,
    /// Maximum number of bytes of pages that wait for the writer; a single larger page is let through alone.
    pub queue_bytes: usize,
}

impl Default for ArchiveLimits {
    fn default() -> Self {
        Self {
            flush_every: Duration::from_secs(1),
            flush_bytes: 256 << 10,
            sync_every: Duration::from_secs(10),
            reserve: 1 << 20,
            queue_entries: 256,
            queue_bytes: 32 << 20,
        }
    }
}

/// A budget of bytes that may be held at the same time. Callers that exceed it block until bytes are released.
#[derive(Debug)]
pub(super) struct ByteBudget {
    max: usize,
    held: Mutex<usize>,
    given_back: Condvar,
}

impl ByteBudget {
    pub fn new(max: usize) -> Self {
        Self { max, held: Mutex::new(0), given_back: Condvar::new() }
    }

    /// Acquires `bytes`, and blocks until they fit. More than the whole budget fits when nothing else is held.
    pub fn take(&self, bytes: usize) {
        let mut held = self.held.lock();
        self.given_back.wait_while(&mut held, |held| *held > 0 && held.saturating_add(bytes) > self.max);
        *held += bytes;
    }

    /// Releases `bytes`.
    pub fn give_back(&self, bytes: usize) {
        *self.held.lock() -= bytes;
        self.given_back.notify_all();
    }

    /// Returns the bytes held.
    pub fn held(&self) -> usize {
        *self.held.lock()
    }
}

/// The name of the file in the crawl directory that occupies the space.
const NAME: &str = ".reserve";
const PIECE: usize = 64 << 10;

/// A file that occupies disk space until it is dropped.
pub(super) struct DiskReserve {
    path: PathBuf,
}

impl DiskReserve {
    /// Reserves `bytes` of space in `directory`. Returns `None` if `bytes` is 0.
    pub fn take(directory: &Path, bytes: u64) -> Result<Option<Self>, Error> {
        if bytes == 0 {
            return Ok(None);
        }
        let reserve = Self { path: directory.join(NAME) };
        fill(&reserve.path, bytes).map_err(|source| Error::file("write", &reserve.path, source))?;
        Ok(Some(reserve))
    }
}

/// Writes the bytes, because a sparse file takes no space.
fn fill(path: &Path, bytes: u64) -> io::Result<()> {
    let mut file = crawl_file::create(path)?;
    let mut left = bytes;
    while left > 0 {
        let piece = left.min(PIECE as u64);
        file.write_all(&[0; PIECE][..piece as usize])?;
        left -= piece;
    }
    Ok(())
}

impl Drop for DiskReserve {
    fn drop(&mut self) {
        // If the removal fails, an unused file remains, which is harmless.
        let _ = fs::remove_file(&self.path);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn space_is_occupied_only_while_the_reserve_is_held() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join(NAME);
        for bytes in [1, PIECE as u64, PIECE as u64 + 1] {
            let reserve = DiskReserve::take(dir.path(), bytes).unwrap();
            assert_eq!(fs::metadata(&path).unwrap().len(), bytes);
            drop(reserve);
            assert!(!path.exists());
        }
        assert!(DiskReserve::take(dir.path(), 0).unwrap().is_none());
        assert!(!path.exists());
    }

    #[test]
    fn a_failed_reservation_is_an_error_that_names_the_file() {
        let error = DiskReserve::take(Path::new("/nonexistent"), 1).map(drop).unwrap_err();
        assert!(error.to_string().contains("/nonexistent/.reserve"), "{error}");
    }
}
