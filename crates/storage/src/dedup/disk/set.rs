//! The set that answers at once.

use std::path::Path;

use super::run::Page;
use super::runs::Runs;
use super::{DiskError, DiskOptions};
use crate::dedup::table::{OfferResult, Table};
use harvestman_core::url::Fingerprint;

/// An exact set of fingerprints on disk. New ones wait in a table of bounded size; when it is full they are merged into
/// a sorted run. Those in the table are lost with the set unless it is flushed.
///
/// For use by several threads put it behind a lock, or several sets, each for a share of the fingerprints, behind one
/// lock each: a merge holds the lock while it lasts.
pub struct DiskSet {
    runs: Runs,
    table: Table,
    page: Page,
}

impl DiskSet {
    /// Makes an empty set in a directory, which is made too if it is not there.
    pub fn create(directory: &Path, options: &DiskOptions) -> Result<Self, DiskError> {
        Ok(Self::new(Runs::create(directory, options)?, options))
    }

    /// Opens the set in a directory to go on with it. All of it is read and checked: a damaged or foreign run is an
    /// error. A file that was left unfinished is set aside under the suffix `.torn`; what it was made of is still
    /// there.
    pub fn open(directory: &Path, options: &DiskOptions) -> Result<Self, DiskError> {
        Ok(Self::new(Runs::open(directory, options)?, options))
    }

    fn new(runs: Runs, options: &DiskOptions) -> Self {
        Self { runs, table: Table::new(options.waiting()), page: Page::default() }
    }

    /// Adds fingerprints in their order and tells of each whether it was new; `new` is emptied first. After an error
    /// `new` tells of those that were dealt with; the one behind them and all later ones were not.
    pub fn insert_all(&mut self, fingerprints: &[Fingerprint], new: &mut Vec<bool>) -> Result<(), DiskError> {
        new.clear();
        for fingerprint in fingerprints {
            new.push(self.insert(*fingerprint)?);
        }
        Ok(())
    }

    /// Adds a fingerprint; true if it was new.
    pub fn insert(&mut self, fingerprint: Fingerprint) -> Result<bool, DiskError> {
        let known = self.table.contains(fingerprint.0) || self.runs.contains(fingerprint.0, &mut self.page)?;
        if !known {
            self.add(fingerprint)?;
        }
        Ok(!known)
    }

    /// Adds a fingerprint that is not in the set, as a Bloom filter in front can promise: reads nothing. (One that is
    /// there after all is counted twice until its runs are merged, and answered rightly all the time.)
    pub fn add(&mut self, fingerprint: Fingerprint) -> Result<(), DiskError> {
        if self.table.offer(fingerprint.0) == OfferResult::NoRoom {
            self.flush()?;
            self.table.offer(fingerprint.0);
        }
        Ok(())
    }

    /// Whether a fingerprint is there.
    pub fn contains(&self, fingerprint: Fingerprint) -> Result<bool, DiskError> {
        if self.table.contains(fingerprint.0) {
            Ok(true)
        } else {
            self.runs.contains(fingerprint.0, &mut Page::default())
        }
    }

    /// How many there are.
    pub fn len(&self) -> u64 {
        self.runs.count() + self.table.len() as u64
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Writes all that waits and forces it to the disk: after this nothing is lost in a crash. After an error nothing
    /// is lost yet, and it may be tried again.
    pub fn flush(&mut self) -> Result<(), DiskError> {
        self.runs.add(&mut self.table.ascending(), self.table.len() as u64)?;
        self.table.clear();
        Ok(())
    }

    /// How many runs there are: a fingerprint that is not in the set costs one read of each.
    pub fn runs(&self) -> usize {
        self.runs.iter().count()
    }

    /// Bytes of memory between calls; a merge needs an eighth of [`DiskOptions::memory`] and the new run's index beside
    /// them.
    pub fn memory_bytes(&self) -> usize {
        self.table.bytes() + self.runs.memory_bytes() + self.page.memory_bytes()
    }

    /// Bytes of the files; during a merge up to twice as many.
    pub fn disk_bytes(&self) -> u64 {
        self.runs.disk_bytes()
    }
}
