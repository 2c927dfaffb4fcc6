//! A file of chunks that come and go: what the frontier's queues have no memory for. It lives as long as a run; the state has all of
//! it too.

use std::collections::HashMap;
use std::fs::{File, OpenOptions};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use parking_lot::Mutex;

use super::StoreError;

/// Chunks lie at multiples of this, so that a place that is free fits many others.
const GRAIN: u64 = 1_024;

/// A file of chunks.
pub struct SpillFile {
    path: PathBuf,
    file: File,
    space: Mutex<Space>,
    failed: AtomicBool,
}

/// Which places are taken.
#[derive(Default)]
struct Space {
    end: u64,
    /// Length in grains → places that are free.
    free: HashMap<u64, Vec<u64>>,
}

const fn grains(length: u64) -> u64 {
    length.div_ceil(GRAIN)
}

impl SpillFile {
    /// An empty file at `path`; one that is there is emptied.
    pub fn create(path: &Path) -> Result<Self, StoreError> {
        let opened = OpenOptions::new().read(true).write(true).create(true).truncate(true).open(path);
        let file = opened.map_err(|error| StoreError::Failed {
            action: "make a file for",
            path: path.to_path_buf(),
            reason: error.to_string(),
        })?;
        Ok(Self { path: path.to_path_buf(), file, space: Mutex::default(), failed: AtomicBool::new(false) })
    }

    /// Writes a chunk; says where it begins. None where the disk does not take it, which is told once.
    pub fn put(&self, chunk: &[u8]) -> Option<u64> {
        let length = grains(chunk.len() as u64);
        let mut space = self.space.lock();
        let free = space.free.get_mut(&length).and_then(Vec::pop);
        let offset = free.unwrap_or(space.end);
        if let Err(error) = self.file.write_all_at(chunk, offset) {
            if free.is_some() {
                space.free.entry(length).or_default().push(offset);
            }
            self.tell(&error, "URLs that wait are kept in memory");
            return None;
        }
        space.end = space.end.max(offset + length * GRAIN);
        Some(offset)
    }

    /// Reads a chunk and frees its place. None where it cannot be read, which is told once.
    pub fn take(&self, offset: u64, length: u32) -> Option<Vec<u8>> {
        let mut chunk = vec![0; length as usize];
        match self.file.read_exact_at(&mut chunk, offset) {
            Ok(()) => {
                self.space.lock().free.entry(grains(u64::from(length))).or_default().push(offset);
                Some(chunk)
            }
            Err(error) => {
                self.tell(&error, "URLs that wait cannot be read; the state has them still");
                None
            }
        }
    }

    fn tell(&self, error: &std::io::Error, what: &str) {
        if !self.failed.swap(true, Ordering::Relaxed) {
            tracing::error!(file = %self.path.display(), %error, "{what}");
        }
    }
}

impl Drop for SpillFile {
    fn drop(&mut self) {
        // The next run begins with an empty one anyway.
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
        fn chunks_come_back_as_they_went_and_places_are_used_again(
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
            // Of each length no more places than there were chunks at once.
            prop_assert!(file.space.lock().end <= most * 5 * 5 * GRAIN);
        }
    }

    #[test]
    fn the_file_goes_with_the_run() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("chunks");
        let file = SpillFile::create(&path).unwrap();
        assert!(file.put(b"chunk").is_some() && file.take(900_000, 4).is_none());
        drop(file);
        assert!(!path.exists());
    }
}
