//! One share of the exact set: in memory, and from some size on on disk.

use std::path::PathBuf;

use super::fingerprints::{Fingerprints, Salt};
use crate::dedup::{DiskError, DiskOptions, DiskSet};
use harvestman_core::url::Fingerprint;

/// Where a shard keeps what is too much for its memory.
#[derive(Debug, Clone)]
pub(super) struct ShardLimits {
    /// Bytes of memory before it goes to disk, and its memory then.
    pub(super) memory: usize,
    /// The directory; without one all stays in memory.
    pub(super) directory: Option<PathBuf>,
}

/// Why a shard holds in memory what should be on disk.
#[derive(Debug)]
pub(super) enum ShardError {
    /// It could not be written. Nothing is lost, and it is tried again.
    Unwritten(DiskError),
    /// What is there could not be read, so that a known URL may have been taken for a new one: once, as it is in memory now.
    Unread(DiskError),
}

/// Fingerprints that share a lock.
pub(super) struct ExactShard {
    room: ShardLimits,
    /// All of them, until they go to disk; then those that the disk would not take.
    memory: Fingerprints,
    disk: Option<DiskSet>,
    /// While the disk fails: how many are in memory when it is tried again, if ever.
    again_at: usize,
}

impl ExactShard {
    pub(super) fn new(room: ShardLimits, salt: Salt) -> Self {
        Self { room, memory: Fingerprints::new(salt), disk: None, again_at: 0 }
    }

    /// Adds a fingerprint: whether it was new, and what went wrong meanwhile. It is in the set whatever went wrong. `filter` takes
    /// fingerprints that may be on disk in, and says of each whether it is new for certain: then the disk is not read. As long as there
    /// is nothing on disk, it is not asked.
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
                // From now on all stays in memory: there it is found, whatever becomes of the disk.
                self.memory.insert(fingerprint);
                self.again_at = usize::MAX;
                (true, Some(ShardError::Unread(error)))
            }
        }
    }

    /// Whether a fingerprint is there. `filter` says whether it may be on disk.
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

    /// Whether there is anything on disk.
    pub(super) const fn is_on_disk(&self) -> bool {
        self.disk.is_some()
    }

    /// Adds one that is not there: to the disk, or to memory where that has room or the disk fails.
    fn add(&mut self, fingerprint: u128, filter: &mut dyn FnMut(Fingerprint) -> bool) -> Result<(), DiskError> {
        let was_on_disk = self.disk.is_some();
        let moved = if self.must_move() { self.move_to_disk(filter) } else { Ok(()) };
        if self.disk.is_some() && !was_on_disk {
            // From now on the filter is asked, and must know of this one too.
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
            self.rest();
        })
    }

    fn must_move(&self) -> bool {
        let full = match &self.disk {
            Some(_) => self.memory.len() > 0,
            // The table would grow, or has had to because the disk failed.
            None => {
                let grows = self.memory.is_full() || self.again_at > 0;
                grows && self.memory.bytes_when_grown() > self.room.memory
            }
        };
        full && self.memory.len() >= self.again_at && self.room.directory.is_some()
    }

    /// Puts all that is in memory on disk. After an error all of it is still in memory.
    fn move_to_disk(&mut self, filter: &mut dyn FnMut(Fingerprint) -> bool) -> Result<(), DiskError> {
        let moved = self.try_to_move();
        if moved.is_ok() {
            self.memory.iter().for_each(|fingerprint| _ = filter(fingerprint.into()));
            self.memory.clear();
        } else {
            self.rest();
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

    /// The disk is left alone until an eighth more is in memory.
    fn rest(&mut self) {
        self.again_at = self.memory.len() + (self.memory.len() / 8).max(64);
    }

    /// Whether so much is in memory that should be on disk that there must not be more.
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
