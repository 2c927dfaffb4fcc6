//! The set that answers in batches.

use std::path::Path;

use super::batch::Batch;
use super::run::Page;
use super::runs::Runs;
use super::{DiskError, DiskOptions};
use harvestman_core::url::Fingerprint;

/// An exact set of fingerprints on disk that is queried as DRUM is: fingerprints, including duplicates, are collected
/// in memory, and are answered together after a sequential comparison with the runs. It uses the file format of
/// [`DiskSet`](super::DiskSet), and a directory can be opened as either.
pub struct DeferredSet {
    runs: Runs,
    batch: Batch,
}

impl DeferredSet {
    /// Creates an empty set in a directory, as [`DiskSet::create`](super::DiskSet::create) does.
    pub fn create(directory: &Path, options: &DiskOptions) -> Result<Self, DiskError> {
        Ok(Self { runs: Runs::create(directory, options)?, batch: Batch::new(options.waiting()) })
    }

    /// Opens the set in a directory, as [`DiskSet::open`](super::DiskSet::open) does.
    pub fn open(directory: &Path, options: &DiskOptions) -> Result<Self, DiskError> {
        Ok(Self { runs: Runs::open(directory, options)?, batch: Batch::new(options.waiting()) })
    }

    /// Adds a fingerprint to the batch. `tag` identifies its answer.
    ///
    /// # Errors
    /// Fails if the batch is full; the fingerprint is not added.
    pub fn put(&mut self, fingerprint: Fingerprint, tag: u64) -> Result<(), DiskError> {
        if self.is_full() {
            return Err(DiskError::BatchFull);
        }
        self.batch.put(fingerprint.0, tag);
        Ok(())
    }

    /// Returns whether the batch must be merged before the next fingerprint.
    pub fn is_full(&self) -> bool {
        self.batch.is_full()
    }

    /// Returns the number of fingerprints that wait for their answer.
    pub fn waiting(&self) -> usize {
        self.batch.len()
    }

    /// Adds the batch to the set and calls `answer` with each tag and whether its fingerprint was new, in insertion
    /// order. Fingerprints are on disk before they are answered. After an error nothing was answered, and the batch is
    /// unchanged.
    pub fn merge(&mut self, mut answer: impl FnMut(u64, bool)) -> Result<(), DiskError> {
        let resolved = self.batch.sift(self.runs.iter())?;
        self.runs.add(&mut resolved.ascending(), resolved.count())?;
        resolved.answers().for_each(|(tag, new)| answer(tag, new));
        self.batch.clear();
        Ok(())
    }

    /// Returns whether a fingerprint is in the set, not counting the batch.
    pub fn contains(&self, fingerprint: Fingerprint) -> Result<bool, DiskError> {
        self.runs.contains(fingerprint.0, &mut Page::default())
    }

    /// Returns the number of fingerprints in the set, not counting the batch.
    pub fn len(&self) -> u64 {
        self.runs.count()
    }

    /// Returns whether the set is empty, not counting the batch.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the number of runs.
    pub fn runs(&self) -> usize {
        self.runs.iter().count()
    }

    /// Returns the bytes of memory in use between calls; see [`DiskSet::memory_bytes`](super::DiskSet::memory_bytes).
    pub fn memory_bytes(&self) -> usize {
        self.batch.memory_bytes() + self.runs.memory_bytes()
    }

    /// Returns the total size of the files in bytes. During a merge it is up to twice as large.
    pub fn disk_bytes(&self) -> u64 {
        self.runs.disk_bytes()
    }
}
