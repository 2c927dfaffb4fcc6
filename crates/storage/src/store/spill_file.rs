//! A temporary file of chunks for parts of the frontier's queues that exceed memory. It is removed at the end of a run;
//! the state has all of its contents too.

use std::collections::HashMap;
use std::fs::{File, OpenOptions};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use parking_lot::Mutex;

use super::StoreError;
use harvestman_core::crawl_file;

/// Alignment of chunks, so that a free slot fits many other chunks.
const GRAIN: u64 = 1_024;

/// A file of chunks.
pub struct SpillFile {
    path: PathBuf,
    file: File,
    space: Mutex<Space>,
    failed: AtomicBool,
}

/// The allocated and free space.
#[derive(Default)]
struct Space {
    end: u64,
    /// Length in grains → offsets of free slots.
    free: HashMap<u64, Vec<u64>>,
}

const fn grains(length: u64) -> u64 {
    length.div_ceil(GRAIN)
}

impl SpillFile {
    /// Creates an empty file at `path`, or truncates an existing one.
    pub fn create(path: &Path) -> Result<Self, StoreError> {
        let opened = crawl_file::open_with(path, OpenOptions::new().read(true).write(true).create(true).truncate(true));
        let file = opened.map_err(|error| StoreError::Failed {
            action: "create a file for",
            path: path.to_path_buf(),
            reason: error.to_string(),
        })?;
        Ok(Self { path: path.to_path_buf(), file, space: Mutex::default(), failed: AtomicBool::new(false) })
    }

    /// Writes a chunk and returns its offset. Returns `None` if the write fails, which is logged once.
    pub fn put(&self, chunk: &[u8]) -> Option<u64> {
        let length = grains(chunk.len() as u64);
        let mut space = self.space.lock();
        let free = space.free.get_mut(&length).and_then(Vec::pop);
        let offset = free.unwrap_or(space.end);
        if let Err(error) = self.file.write_all_at(chunk, offset) {
            if free.is_some() {
                space.free.entry(length).or_default().push(offset);
            }
            self.log_once(&error, "cannot write waiting URLs to disk; they stay in memory");
            return None;
        }
        space.end = space.end.max(offset + length * GRAIN);
        Some(offset)
    }

    /// Reads a chunk and frees its slot. Returns `None` if the read fails, which is logged once.
    pub fn take(&self, offset: u64, length: u32) -> Option<Vec<u8>> {
        let mut chunk = vec![0; length as usize];
        match self.file.read_exact_at(&mut chunk, offset) {
            Ok(()) => {
                self.space.lock().free.entry(grains(u64::from(length))).or_default().push(offset);
                Some(chunk)
            }
            Err(error) => {
                self.log_once(&error, "cannot read waiting URLs from disk; the state still has them");
                None
            }
        }
    }

    fn log_once(&self, error: &std::io::Error, what: &str) {
        if !self.failed.swap(true, Ordering::Relaxed) {
            tracing::error!(file = %self.path.display(), %error, "{what}");
        }
    }
}

impl Drop for SpillFile {
    fn drop(&mut self) {
        // The next run truncates the file anyway.
        let _ = std::fs::remove_file(&self.path);
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #![proptest_config(ProptestConfig { cases: 32, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn chunks_survive_a_round_trip_and_slots_are_reused(
            steps in prop::collection::vec((any::<bool>(), 0..5_000_usize, any::<u8>()), 1..80),
        ) {
            let dir = tempfile::tempdir().unwrap();
            let file = SpillFile::create(&dir.path().join("chunks")).unwrap();
            let mut there: Vec<(u64, Vec<u8>)> = Vec::new();
            let mut most = 0;
            for (put, at, byte) in steps {
                if put || there.is_empty() {
                    let chunk = vec![byte; at + 1];
                    there.push((file.put(&chunk).unwrap(), chunk));
                } else {
                    let (offset, chunk) = there.remove(at % there.len());
                    prop_assert_eq!(file.take(offset, chunk.len() as u32), Some(chunk));
                }
                most = most.max(there.len() as u64);
            }
            for (offset, chunk) in there {
                prop_assert_eq!(file.take(offset, chunk.len() as u32), Some(chunk));
            }
            // There are no more slots of each length than there were chunks at the same time.
            prop_assert!(file.space.lock().end <= most * 5 * 5 * GRAIN);
        }
    }

    #[test]
    fn the_file_is_removed_at_the_end_of_the_run() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("chunks");
        let file = SpillFile::create(&path).unwrap();
        assert!(file.put(b"chunk").is_some() && file.take(900_000, 4).is_none());
        drop(file);
        assert!(!path.exists());
    }
}
