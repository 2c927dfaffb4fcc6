//! The exact set: shards with one lock each. A shard is in memory, and on disk once it exceeds its memory.

use std::path::PathBuf;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use parking_lot::Mutex;

use super::fingerprints::{Fingerprints, Salt};
use crate::dedup::{DiskError, DiskOptions, DiskSet, disk};
use harvestman_core::seed::Seed;
use harvestman_core::url::Fingerprint;

/// Maximum number of shards. More would hardly reduce contention, and each shard on disk has several open files.
const SHARDS_MAX: usize = 32;
/// Minimum memory per shard, so that each write is large enough for a file.
const SHARD_BYTES_MIN: usize = 1 << 20;

/// A concurrent exact set of fingerprints, in memory up to a budget and on disk beyond it.
///
/// Fingerprints that cannot be written stay in memory, up to twice the budget. Beyond that, or when the disk cannot be
/// read, the set requests the end of the crawl ([`ExactSet::must_end`]). Before and after that it accepts every
/// fingerprint and loses none.
pub(super) struct ExactSet {
    shards: Box<[ShardSlot]>,
    directory: Option<PathBuf>,
    len: AtomicU64,
    on_disk: AtomicBool,
    trouble: OnceLock<DiskError>,
    must_end: AtomicBool,
}

/// A shard, and its most recently read sizes in memory and on disk.
struct ShardSlot {
    shard: Mutex<ExactShard>,
    memory: AtomicU64,
    disk: AtomicU64,
}

impl ExactSet {
    /// Creates an empty set with a budget of `memory` bytes. The directory is created when the budget is exhausted;
    /// without a directory, memory is unlimited.
    pub(super) fn new(memory: usize, directory: Option<PathBuf>, seed: Seed) -> Self {
        let most = (memory / SHARD_BYTES_MIN).clamp(1, SHARDS_MAX);
        let count = 1 << most.ilog2();
        let slot = |number: usize| {
            let directory = directory.as_ref().map(|directory| directory.join(format!("{number:02}")));
            let shard = Mutex::new(ExactShard::new(ShardLimits { memory: memory / count, directory }, Salt::new(seed)));
            ShardSlot { shard, memory: AtomicU64::new(0), disk: AtomicU64::new(0) }
        };
        Self {
            shards: (0..count).map(slot).collect(),
            directory,
            len: AtomicU64::new(0),
            on_disk: AtomicBool::new(false),
            trouble: OnceLock::new(),
            must_end: AtomicBool::new(false),
        }
    }

    /// Adds a fingerprint. Returns `true` if it was new. `filter` is called with the lock of the fingerprint's shard
    /// held; see [`ExactShard::insert`]. Of several callers with the same new fingerprint exactly one gets `true`
    /// (invariant DED-1).
    pub(super) fn insert(&self, fingerprint: Fingerprint, filter: &mut dyn FnMut(Fingerprint) -> bool) -> bool {
        let mut shard = self.slot(fingerprint).shard.lock();
        let (new, trouble) = shard.insert(fingerprint.0, filter);
        let over = trouble.is_some() && shard.is_over();
        if shard.is_on_disk() && !self.on_disk.load(Ordering::Relaxed) {
            self.on_disk.store(true, Ordering::Relaxed);
        }
        drop(shard);
        if let Some(trouble) = trouble {
            self.note(trouble, over);
        }
        if new {
            self.len.fetch_add(1, Ordering::Relaxed);
        }
        new
    }

    /// Returns whether any shard is on disk.
    pub(super) fn is_on_disk(&self) -> bool {
        self.on_disk.load(Ordering::Relaxed)
    }

    /// Returns whether a fingerprint is present. `filter` returns whether it may be on disk. If the disk cannot be
    /// read, a present fingerprint may be reported as absent: it is then offered again, and not lost.
    pub(super) fn contains(&self, fingerprint: Fingerprint, filter: impl FnOnce(Fingerprint) -> bool) -> bool {
        let found = self.slot(fingerprint).shard.lock().contains(fingerprint.0, filter);
        found.unwrap_or_else(|error| {
            self.note(ShardError::Unread(error), false);
            false
        })
    }

    fn note(&self, trouble: ShardError, over: bool) {
        let (error, unread) = match trouble {
            ShardError::Unwritten(error) => (error, false),
            ShardError::Unread(error) => (error, true),
        };
        if unread || over {
            self.must_end.store(true, Ordering::Relaxed);
        }
        let _ = self.trouble.set(error);
    }

    /// Returns the number of fingerprints.
    pub(super) fn len(&self) -> u64 {
        self.len.load(Ordering::Relaxed)
    }

    /// Returns the first disk error.
    pub(super) fn error(&self) -> Option<&DiskError> {
        self.trouble.get()
    }

    /// Returns whether the crawl must end because the disk fails and memory is exhausted, or because the disk cannot be
    /// read.
    pub(super) fn must_end(&self) -> bool {
        self.must_end.load(Ordering::Relaxed)
    }

    /// Returns the bytes in memory and on disk. Does not block: for a shard in use it returns the last known sizes.
    pub(super) fn bytes(&self) -> (u64, u64) {
        let bytes = self.shards.iter().map(ShardSlot::bytes);
        bytes.fold((0, 0), |(memory, disk), (more, written)| (memory + more, disk + written))
    }

    /// Closes the set and removes its files.
    pub(super) fn remove(self) -> Result<(), DiskError> {
        let (_, written) = self.bytes();
        drop(self.shards);
        match self.directory {
            Some(directory) if written > 0 || self.trouble.get().is_some() => disk::remove_all(&directory),
            _ => Ok(()),
        }
    }

    /// Selects the shard by the low bits of the upper half, because the sets on disk use its top bits.
    fn slot(&self, fingerprint: Fingerprint) -> &ShardSlot {
        &self.shards[(fingerprint.0 >> 64) as usize & (self.shards.len() - 1)]
    }
}

impl ShardSlot {
    fn bytes(&self) -> (u64, u64) {
        if let Some(shard) = self.shard.try_lock() {
            self.memory.store(shard.memory_bytes(), Ordering::Relaxed);
            self.disk.store(shard.disk_bytes(), Ordering::Relaxed);
        }
        (self.memory.load(Ordering::Relaxed), self.disk.load(Ordering::Relaxed))
    }
}

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
    fn is_over(&self) -> bool {
        self.room.directory.is_some() && self.memory.bytes() > 2 * self.room.memory
    }

    pub(super) fn memory_bytes(&self) -> u64 {
        (self.memory.bytes() + self.disk.as_ref().map_or(0, DiskSet::memory_bytes)) as u64
    }

    pub(super) fn disk_bytes(&self) -> u64 {
        self.disk.as_ref().map_or(0, DiskSet::disk_bytes)
    }
}
