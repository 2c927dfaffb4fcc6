//! The set that answers in batches: fingerprints wait for their answer until a batch is complete.

use std::path::Path;

use super::run::{Page, Run};
use super::runs::Runs;
use super::{DiskError, DiskOptions};
use harvestman_core::url::Fingerprint;

/// Bytes per fingerprint, including its tag, its index in the order and its answer.
const BYTES_EACH: usize = size_of::<u128>() + size_of::<u64>() + size_of::<u32>() + size_of::<bool>();

/// A bounded batch of fingerprints with the caller's tags.
pub(super) struct Batch {
    fingerprints: Vec<u128>,
    tags: Vec<u64>,
    max: usize,
}

impl Batch {
    /// Creates an empty batch of at most about `bytes` bytes.
    pub fn new(bytes: usize) -> Self {
        Self { fingerprints: Vec::new(), tags: Vec::new(), max: (bytes / BYTES_EACH).clamp(1, u32::MAX as usize) }
    }

    pub fn len(&self) -> usize {
        self.fingerprints.len()
    }

    pub fn is_full(&self) -> bool {
        self.len() >= self.max
    }

    pub fn memory_bytes(&self) -> usize {
        self.fingerprints.capacity() * size_of::<u128>() + self.tags.capacity() * size_of::<u64>()
    }

    pub fn put(&mut self, fingerprint: u128, tag: u64) {
        if self.fingerprints.capacity() == 0 {
            self.fingerprints.reserve_exact(self.max);
            self.tags.reserve_exact(self.max);
        }
        self.fingerprints.push(fingerprint);
        self.tags.push(tag);
    }

    /// Determines which fingerprints are new: in none of `runs`, and not earlier in the batch.
    pub fn sift<'a>(&self, runs: impl Iterator<Item = &'a Run>) -> Result<ResolvedBatch<'_>, DiskError> {
        let mut order: Vec<u32> = (0..self.len() as u32).collect();
        order.sort_unstable_by_key(|at| (self.fingerprints[*at as usize], *at));
        let mut resolved = ResolvedBatch { batch: self, order, known: vec![false; self.len()] };
        resolved.mark_repeated();
        for run in runs {
            resolved.mark_known(run)?;
        }
        Ok(resolved)
    }

    pub fn clear(&mut self) {
        self.fingerprints.clear();
        self.tags.clear();
    }
}

/// A batch whose new fingerprints have been determined.
pub(super) struct ResolvedBatch<'a> {
    batch: &'a Batch,
    /// Indices into the batch, sorted by fingerprint and then by insertion order.
    order: Vec<u32>,
    /// Indexed by position in the batch.
    known: Vec<bool>,
}

impl ResolvedBatch<'_> {
    fn mark_repeated(&mut self) {
        let mut before = None;
        for at in self.order.iter().map(|at| *at as usize) {
            let fingerprint = self.batch.fingerprints[at];
            self.known[at] = before.replace(fingerprint) == Some(fingerprint);
        }
    }

    /// Marks the fingerprints that are in a run. Reads the run in one forward pass, and only the pages that can contain
    /// one of them.
    fn mark_known(&mut self, run: &Run) -> Result<(), DiskError> {
        let mut page = Page::default();
        for at in self.order.iter().map(|at| *at as usize) {
            if !self.known[at] {
                self.known[at] = run.contains_next(self.batch.fingerprints[at], &mut page)?;
            }
        }
        Ok(())
    }

    /// Returns the number of new fingerprints.
    pub fn count(&self) -> u64 {
        self.known.iter().filter(|known| !**known).count() as u64
    }

    /// Iterates over the new fingerprints in ascending order.
    pub fn ascending(&self) -> impl Iterator<Item = u128> {
        let places = self.order.iter().map(|at| *at as usize);
        places.filter(|at| !self.known[*at]).map(|at| self.batch.fingerprints[at])
    }

    /// Iterates over the tags and whether their fingerprints are new, in insertion order.
    pub fn answers(&self) -> impl Iterator<Item = (u64, bool)> {
        self.batch.tags.iter().zip(&self.known).map(|(tag, known)| (*tag, !known))
    }
}

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
