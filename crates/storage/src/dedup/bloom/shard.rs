//! A shard: the lock of a run of blocks, and how many fingerprints are in them.

use std::sync::atomic::{AtomicU64, Ordering};

use parking_lot::{Mutex, MutexGuard};

use super::options::LAYERS_MAX;

/// The lock of the same share of each layer, and the number of fingerprints in it, by layer: side by side, as who holds the one
/// changes the other, and away from the other shards. A number that all shards shared would go from one processor to the next with each
/// new fingerprint.
#[derive(Default)]
#[repr(align(128))]
pub(super) struct BloomShard {
    lock: Mutex<()>,
    inserted: [AtomicU64; LAYERS_MAX],
}

impl BloomShard {
    /// A shard that holds so many fingerprints of each layer.
    pub(super) fn of(inserted: impl Iterator<Item = u64>) -> Self {
        let shard = Self::default();
        shard.inserted.iter().zip(inserted).for_each(|(number, inserted)| number.store(inserted, Ordering::Relaxed));
        shard
    }

    /// To be held by who sets bits or counts.
    pub(super) fn lock(&self) -> MutexGuard<'_, ()> {
        self.lock.lock()
    }

    /// Fingerprints in its share of a layer.
    pub(super) fn inserted(&self, layer: usize) -> u64 {
        self.inserted[layer].load(Ordering::Relaxed)
    }

    /// Counts one more, by a load and a store: whoever else counts would hold the same lock.
    pub(super) fn count(&self, layer: usize) {
        self.inserted[layer].store(self.inserted(layer) + 1, Ordering::Relaxed);
    }
}
