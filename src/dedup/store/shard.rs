//! One share of the exact set: in memory, and from some size on on disk.

use std::path::PathBuf;

use super::fingerprints::{Fingerprints, Salted};
use crate::dedup::{DiskError, DiskOptions, DiskSet};

/// Where a shard keeps what is too much for its memory.
#[derive(Debug, Clone)]
pub(super) struct Room {
    /// Bytes of memory before it goes to disk, and its memory then.
    pub(super) memory: usize,
    /// The directory; without one all stays in memory.
    pub(super) directory: Option<PathBuf>,
}

/// Why a shard holds in memory what should be on disk.
#[derive(Debug)]
pub(super) enum Trouble {
    /// It could not be written. Nothing is lost, and it is tried again.
    Unwritten(DiskError),
    /// What is there could not be read, so that a known URL may have been taken for a new one: once, as it is in memory now.
    Unread(DiskError),
}

/// Fingerprints that share a lock.
pub(super) struct Shard {
    room: Room,
    /// All of them, until they go to disk; then those that the disk would not take.
    memory: Fingerprints,
    disk: Option<DiskSet>,
    /// While the disk fails: how many are in memory when it is tried again, if ever.
    again_at: usize,
}

impl Shard {
    pub(super) fn new(room: Room, salted: Salted) -> Self {
        Self { room, memory: Fingerprints::with_hasher(salted), disk: None, again_at: 0 }
    }

    /// Adds a fingerprint: whether it was new, and what went wrong meanwhile. It is in the set whatever went wrong.
    /// `promised` says that it is new for certain: then the disk is not read.
    pub(super) fn insert(&mut self, fingerprint: u128, promised: bool) -> (bool, Option<Trouble>) {
        if self.memory.contains(&fingerprint) {
            return (false, None);
        }
        let known = match &self.disk {
            Some(disk) if !promised => disk.contains(fingerprint.into()),
            _ => Ok(false),
        };
        match known {
            Ok(true) => (false, None),
            Ok(false) => (true, self.add(fingerprint).err().map(Trouble::Unwritten)),
            Err(error) => {
                // From now on all stays in memory: there it is found, whatever becomes of the disk.
                self.memory.insert(fingerprint);
                self.again_at = usize::MAX;
                (true, Some(Trouble::Unread(error)))
            }
        }
    }

    /// Whether a fingerprint is there.
    pub(super) fn contains(&self, fingerprint: u128) -> Result<bool, DiskError> {
        if self.memory.contains(&fingerprint) {
            return Ok(true);
        }
        self.disk.as_ref().map_or(Ok(false), |disk| disk.contains(fingerprint.into()))
    }

    /// Adds one that is not there: to the disk, or to memory where that has room or the disk fails.
    fn add(&mut self, fingerprint: u128) -> Result<(), DiskError> {
        let moved = if self.must_move() { self.move_to_disk() } else { Ok(()) };
        let added = match &mut self.disk {
            Some(disk) if moved.is_ok() && self.memory.is_empty() => disk.add(fingerprint.into()),
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
            Some(_) => !self.memory.is_empty(),
            // The table would double, or has had to because the disk failed.
            None => {
                let doubles = self.memory.len() == self.memory.capacity() || self.again_at > 0;
                doubles && 2 * self.memory.allocation_size() > self.room.memory
            }
        };
        full && self.memory.len() >= self.again_at && self.room.directory.is_some()
    }

    /// Puts all that is in memory on disk. After an error all of it is still in memory.
    fn move_to_disk(&mut self) -> Result<(), DiskError> {
        let moved = self.try_to_move();
        if moved.is_ok() {
            self.memory = Fingerprints::with_hasher(*self.memory.hasher());
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
        self.memory.iter().try_for_each(|fingerprint| disk.add((*fingerprint).into()))
    }

    /// The disk is left alone until an eighth more is in memory.
    fn rest(&mut self) {
        self.again_at = self.memory.len() + (self.memory.len() / 8).max(64);
    }

    /// Whether so much is in memory that should be on disk that there must not be more.
    pub(super) fn is_over(&self) -> bool {
        self.room.directory.is_some() && self.memory.allocation_size() > 2 * self.room.memory
    }

    pub(super) fn memory_bytes(&self) -> u64 {
        (self.memory.allocation_size() + self.disk.as_ref().map_or(0, DiskSet::memory_bytes)) as u64
    }

    pub(super) fn disk_bytes(&self) -> u64 {
        self.disk.as_ref().map_or(0, DiskSet::disk_bytes)
    }
}
