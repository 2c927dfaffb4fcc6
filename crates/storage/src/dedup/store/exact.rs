//! The exact set: shards with one lock each.

use std::path::PathBuf;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use parking_lot::Mutex;

use super::fingerprints::Salt;
use super::shard::{ExactShard, ShardError, ShardLimits};
use crate::dedup::{DiskError, disk};
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
