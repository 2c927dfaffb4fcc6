//! A batch of fingerprints that wait for their answer.

use super::DiskError;
use super::run::{Page, Run};

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
