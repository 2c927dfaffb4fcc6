//! A shard: the lock of a range of blocks, and the number of fingerprints in them.

use std::sync::atomic::{AtomicU64, Ordering};

use parking_lot::{Mutex, MutexGuard};

use super::options::LAYERS_MAX;

/// The lock of the same share of each layer, and its number of fingerprints per layer. They are adjacent because the
/// holder of the lock changes the counts, and separate from other shards: a counter shared by all shards would move
/// between CPU caches with each new fingerprint.
#[derive(Default)]
#[repr(align(128))]
pub(super) struct BloomShard {
    lock: Mutex<()>,
    inserted: [AtomicU64; LAYERS_MAX],
}

impl BloomShard {
    /// Creates a shard with the given number of fingerprints per layer.
    pub(super) fn of(inserted: impl Iterator<Item = u64>) -> Self {
        let shard = Self::default();
        shard.inserted.iter().zip(inserted).for_each(|(number, inserted)| number.store(inserted, Ordering::Relaxed));
        shard
    }

    /// Acquires the lock, which must be held to set bits or to count.
    pub(super) fn lock(&self) -> MutexGuard<'_, ()> {
        self.lock.lock()
    }

    /// Returns the number of fingerprints in the shard's share of a layer.
    pub(super) fn inserted(&self, layer: usize) -> u64 {
        self.inserted[layer].load(Ordering::Relaxed)
    }

    /// Increments the count of a layer. A load and a store suffice because any other writer needs the same lock.
    pub(super) fn count(&self, layer: usize) {
        self.inserted[layer].store(self.inserted(layer) + 1, Ordering::Relaxed);
    }
}
