//! A shard of the exact set: in memory, and on disk once it exceeds its memory.

use std::path::PathBuf;

use super::fingerprints::{Fingerprints, Salt};
use crate::dedup::{DiskError, DiskOptions, DiskSet};
use harvestman_core::url::Fingerprint;

/// The memory limit of a shard, and the directory for fingerprints that exceed it.
#[derive(Debug, Clone)]
pub(super) struct ShardLimits {
    /// Bytes of memory before the shard moves to disk, and the memory of the set on disk.
    pub(super) memory: usize,
    /// The directory. Without one everything stays in memory.
    pub(super) directory: Option<PathBuf>,
}

/// Why a shard has fingerprints in memory that should be on disk.
#[derive(Debug)]
pub(super) enum ShardError {
    /// They could not be written. Nothing is lost, and the write is retried.
    Unwritten(DiskError),
    /// The disk could not be read, so a known URL may have been reported as new. This happens only once per URL because
    /// the URL is then in memory.
    Unread(DiskError),
}

/// Fingerprints that share a lock.
pub(super) struct ExactShard {
    room: ShardLimits,
    /// All fingerprints until the shard moves to disk; afterwards those that could not be written.
    memory: Fingerprints,
    disk: Option<DiskSet>,
    /// While the disk fails: the number of fingerprints in memory at which the write is retried; `usize::MAX` for
    /// never.
    retry_at: usize,
}

impl ExactShard {
    pub(super) fn new(room: ShardLimits, salt: Salt) -> Self {
        Self { room, memory: Fingerprints::new(salt), disk: None, retry_at: 0 }
    }

    /// Adds a fingerprint. Returns whether it was new, and the error if there was one; the fingerprint is in the set in
    /// either case. `filter` adds fingerprints that may be on disk to the Bloom filter and returns for each whether it
    /// is certainly new, in which case the disk is not read. It is not called while nothing is on disk.
    pub(super) fn insert(
        &mut self,
        fingerprint: u128,
        filter: &mut dyn FnMut(Fingerprint) -> bool,
    ) -> (bool, Option<ShardError>) {
        if self.memory.contains(fingerprint) {
            return (false, None);
        }
        let known = match &self.disk {
            Some(disk) if !filter(fingerprint.into()) => disk.contains(fingerprint.into()),
            _ => Ok(false),
        };
        match known {
            Ok(true) => (false, None),
            Ok(false) => (true, self.add(fingerprint, filter).err().map(ShardError::Unwritten)),
            Err(error) => {
                // From now on everything stays in memory, where it is found even if the disk fails.
                self.memory.insert(fingerprint);
                self.retry_at = usize::MAX;
                (true, Some(ShardError::Unread(error)))
            }
        }
    }

    /// Returns whether a fingerprint is present. `filter` returns whether it may be on disk.
    pub(super) fn contains(
        &self,
        fingerprint: u128,
        filter: impl FnOnce(Fingerprint) -> bool,
    ) -> Result<bool, DiskError> {
        match &self.disk {
            _ if self.memory.contains(fingerprint) => Ok(true),
            Some(disk) if filter(fingerprint.into()) => disk.contains(fingerprint.into()),
            _ => Ok(false),
        }
    }

    /// Returns whether the shard is on disk.
    pub(super) const fn is_on_disk(&self) -> bool {
        self.disk.is_some()
    }

    /// Adds a fingerprint that is not present: to disk, or to memory if there is room or the disk fails.
    fn add(&mut self, fingerprint: u128, filter: &mut dyn FnMut(Fingerprint) -> bool) -> Result<(), DiskError> {
        let was_on_disk = self.disk.is_some();
        let moved = if self.must_move() { self.move_to_disk(filter) } else { Ok(()) };
        if self.disk.is_some() && !was_on_disk {
            // From now on the filter is queried, so it must contain this fingerprint too.
            filter(fingerprint.into());
        }
        let added = match &mut self.disk {
            Some(disk) if moved.is_ok() && self.memory.len() == 0 => disk.add(fingerprint.into()),
            _ => {
                self.memory.insert(fingerprint);
                return moved;
            }
        };
        added.inspect_err(|_| {
            self.memory.insert(fingerprint);
            self.back_off();
        })
    }

    fn must_move(&self) -> bool {
        let full = match &self.disk {
            Some(_) => self.memory.len() > 0,
            // The table would grow, or has already grown because the disk failed.
            None => {
                let grows = self.memory.is_full() || self.retry_at > 0;
                grows && self.memory.bytes_when_grown() > self.room.memory
            }
        };
        full && self.memory.len() >= self.retry_at && self.room.directory.is_some()
    }

    /// Moves all fingerprints from memory to disk. After an error all of them are still in memory.
    fn move_to_disk(&mut self, filter: &mut dyn FnMut(Fingerprint) -> bool) -> Result<(), DiskError> {
        let moved = self.try_to_move();
        if moved.is_ok() {
            self.memory.iter().for_each(|fingerprint| _ = filter(fingerprint.into()));
            self.memory.clear();
        } else {
            self.back_off();
        }
        moved
    }

    fn try_to_move(&mut self) -> Result<(), DiskError> {
        let disk = match (&mut self.disk, &self.room.directory) {
            (Some(disk), _) => disk,
            (none, Some(directory)) => {
                let options = DiskOptions { memory: self.room.memory, ..DiskOptions::default() };
                none.insert(DiskSet::create(directory, &options)?)
            }
            (None, None) => return Ok(()),
        };
        self.memory.iter().try_for_each(|fingerprint| disk.add(fingerprint.into()))
    }

    /// Postpones the next write until memory has an eighth more fingerprints.
    fn back_off(&mut self) {
        self.retry_at = self.memory.len() + (self.memory.len() / 8).max(64);
    }

    /// Returns whether memory has more than twice its limit of fingerprints that should be on disk.
    pub(super) fn is_over(&self) -> bool {
        self.room.directory.is_some() && self.memory.bytes() > 2 * self.room.memory
    }

    pub(super) fn memory_bytes(&self) -> u64 {
        (self.memory.bytes() + self.disk.as_ref().map_or(0, DiskSet::memory_bytes)) as u64
    }

    pub(super) fn disk_bytes(&self) -> u64 {
        self.disk.as_ref().map_or(0, DiskSet::disk_bytes)
    }
}
