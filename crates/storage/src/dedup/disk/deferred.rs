//! The set that answers in batches.

use std::path::Path;

use super::batch::Batch;
use super::run::Page;
use super::runs::Runs;
use super::{DiskError, DiskOptions};
use harvestman_core::url::Fingerprint;

/// An exact set of fingerprints on disk that is asked as DRUM is: fingerprints gather in memory, duplicates among them,
/// and are answered together when they have been compared with the runs, page after page. Its files are those of a
/// [`DiskSet`](super::DiskSet), and a directory may be opened as either.
pub struct DeferredSet {
    runs: Runs,
    batch: Batch,
}

impl DeferredSet {
    /// Makes an empty set in a directory, as [`DiskSet::create`](super::DiskSet::create) does.
    pub fn create(directory: &Path, options: &DiskOptions) -> Result<Self, DiskError> {
        Ok(Self { runs: Runs::create(directory, options)?, batch: Batch::new(options.waiting()) })
    }

    /// Opens the set in a directory, as [`DiskSet::open`](super::DiskSet::open) does.
    pub fn open(directory: &Path, options: &DiskOptions) -> Result<Self, DiskError> {
        Ok(Self { runs: Runs::open(directory, options)?, batch: Batch::new(options.waiting()) })
    }

    /// Puts a fingerprint into the batch; `tag` is what its answer will be known by. A full batch is an error, and the
    /// fingerprint not taken.
    pub fn put(&mut self, fingerprint: Fingerprint, tag: u64) -> Result<(), DiskError> {
        if self.is_full() {
            return Err(DiskError::BatchFull);
        }
        self.batch.put(fingerprint.0, tag);
        Ok(())
    }

    /// Whether the batch must be merged before the next fingerprint.
    pub fn is_full(&self) -> bool {
        self.batch.is_full()
    }

    /// How many wait for their answer.
    pub fn waiting(&self) -> usize {
        self.batch.len()
    }

    /// Adds the batch to the set and calls `answer` with each tag and whether its fingerprint was new, as they were
    /// put. What is answered is on the disk. After an error nothing was answered, and the batch still waits.
    pub fn merge(&mut self, mut answer: impl FnMut(u64, bool)) -> Result<(), DiskError> {
        let sifted = self.batch.sift(self.runs.iter())?;
        self.runs.add(&mut sifted.ascending(), sifted.count())?;
        sifted.answers().for_each(|(tag, new)| answer(tag, new));
        self.batch.clear();
        Ok(())
    }

    /// Whether a fingerprint is there; those that wait are not.
    pub fn contains(&self, fingerprint: Fingerprint) -> Result<bool, DiskError> {
        self.runs.contains(fingerprint.0, &mut Page::default())
    }

    /// How many there are, without those that wait.
    pub fn len(&self) -> u64 {
        self.runs.count()
    }

    /// Whether there are none, but perhaps some that wait.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// How many runs there are.
    pub fn runs(&self) -> usize {
        self.runs.iter().count()
    }

    /// Bytes of memory between calls; see [`DiskSet::memory_bytes`](super::DiskSet::memory_bytes).
    pub fn memory_bytes(&self) -> usize {
        self.batch.memory_bytes() + self.runs.memory_bytes()
    }

    /// Bytes of the files; during a merge up to twice as many.
    pub fn disk_bytes(&self) -> u64 {
        self.runs.disk_bytes()
    }
}
