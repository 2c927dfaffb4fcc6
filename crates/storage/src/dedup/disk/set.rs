//! The set that answers immediately.

use std::path::Path;

use super::run::Page;
use super::runs::Runs;
use super::{DiskError, DiskOptions};
use crate::dedup::fingerprint_table::{OfferResult, Table};
use harvestman_core::url::Fingerprint;

/// An exact set of fingerprints on disk. New fingerprints wait in a table of bounded size; when it is full they are
/// merged into a sorted run. Fingerprints in the table are lost when the set is dropped without a flush.
///
/// To share it between threads, put it behind a lock, or use several sets with one lock each and a share of the
/// fingerprints: a merge holds the lock for its whole duration.
pub struct DiskSet {
    runs: Runs,
    table: Table,
    page: Page,
}

impl DiskSet {
    /// Creates an empty set in a directory, which is created if it is missing.
    pub fn create(directory: &Path, options: &DiskOptions) -> Result<Self, DiskError> {
        Ok(Self::new(Runs::create(directory, options)?, options))
    }

    /// Opens the set in a directory to resume it. All runs are read and verified: a damaged or foreign run is an error.
    /// An unfinished file is renamed with the suffix `.torn`; the runs that it was made from still exist.
    pub fn open(directory: &Path, options: &DiskOptions) -> Result<Self, DiskError> {
        Ok(Self::new(Runs::open(directory, options)?, options))
    }

    fn new(runs: Runs, options: &DiskOptions) -> Self {
        Self { runs, table: Table::new(options.waiting()), page: Page::default() }
    }

    /// Adds fingerprints in order. Clears `new` and fills it with whether each fingerprint was new. After an error
    /// `new` has the answers of the processed fingerprints; the next one and all later ones were not processed.
    pub fn insert_all(&mut self, fingerprints: &[Fingerprint], new: &mut Vec<bool>) -> Result<(), DiskError> {
        new.clear();
        for fingerprint in fingerprints {
            new.push(self.insert(*fingerprint)?);
        }
        Ok(())
    }

    /// Adds a fingerprint. Returns `true` if it was new.
    pub fn insert(&mut self, fingerprint: Fingerprint) -> Result<bool, DiskError> {
        let known = self.table.contains(fingerprint.0) || self.runs.contains(fingerprint.0, &mut self.page)?;
        if !known {
            self.add(fingerprint)?;
        }
        Ok(!known)
    }

    /// Adds a fingerprint that is not in the set, as guaranteed by a Bloom filter in front of it, without reading the
    /// disk. (A fingerprint that is present nevertheless is counted twice until its runs are merged, but look-ups
    /// remain correct.)
    pub fn add(&mut self, fingerprint: Fingerprint) -> Result<(), DiskError> {
        if self.table.offer(fingerprint.0) == OfferResult::NoRoom {
            self.flush()?;
            self.table.offer(fingerprint.0);
        }
        Ok(())
    }

    /// Returns whether a fingerprint is present.
    pub fn contains(&self, fingerprint: Fingerprint) -> Result<bool, DiskError> {
        if self.table.contains(fingerprint.0) {
            Ok(true)
        } else {
            self.runs.contains(fingerprint.0, &mut Page::default())
        }
    }

    /// Returns the number of fingerprints.
    pub fn len(&self) -> u64 {
        self.runs.count() + self.table.len() as u64
    }

    /// Returns whether the set is empty.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Writes all waiting fingerprints and syncs them to disk; afterwards a crash loses nothing. After an error no
    /// fingerprint is lost, and the flush can be retried.
    pub fn flush(&mut self) -> Result<(), DiskError> {
        self.runs.add(&mut self.table.ascending(), self.table.len() as u64)?;
        self.table.clear();
        Ok(())
    }

    /// Returns the number of runs. Looking up a fingerprint that is not in the set costs one read per run.
    pub fn runs(&self) -> usize {
        self.runs.iter().count()
    }

    /// Returns the bytes of memory in use between calls. A merge additionally needs an eighth of
    /// [`DiskOptions::memory`] and the index of the new run.
    pub fn memory_bytes(&self) -> usize {
        self.table.bytes() + self.runs.memory_bytes() + self.page.memory_bytes()
    }

    /// Returns the total size of the files in bytes. During a merge it is up to twice as large.
    pub fn disk_bytes(&self) -> u64 {
        self.runs.disk_bytes()
    }
}
