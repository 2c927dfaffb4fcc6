//! The concurrent set.

use std::hint::black_box;
use std::sync::OnceLock;

use super::BloomOptions;
use super::key::{Key, Keys};
use super::layer::Layer;
use super::options::LAYERS_MAX;
use super::shard::BloomShard;
use harvestman_core::url::Fingerprint;

/// Number of fingerprints whose blocks are prefetched together: about the number of cache misses that a CPU can have
/// outstanding.
const TOGETHER: usize = 32;

/// A concurrent set of fingerprints without false negatives and with a bounded false-positive rate.
pub struct BloomSet {
    pub(super) options: BloomOptions,
    /// The capacity of each shard per layer, cached because every new fingerprint needs it.
    shares: [u64; LAYERS_MAX],
    keys: Keys,
    pub(super) shards: Box<[BloomShard]>,
    layers: [OnceLock<Layer>; LAYERS_MAX],
}

/// A fingerprint of a batch that was not found in any layer.
#[derive(Clone, Copy)]
struct Unknown {
    shard: usize,
    /// Its index in the batch.
    at: usize,
    key: Key,
}

impl BloomSet {
    /// Creates an empty set with its first layer.
    pub fn new(options: &BloomOptions) -> Self {
        let set = Self::without_layers(options.bounded());
        set.grow(0);
        set
    }

    /// Creates a set from existing layers and shards.
    pub(super) fn with_layers(
        options: BloomOptions,
        layers: impl Iterator<Item = Layer>,
        shards: impl Iterator<Item = BloomShard>,
    ) -> Self {
        let mut set = Self::without_layers(options);
        set.shards = shards.collect();
        set.layers.iter_mut().zip(layers).for_each(|(place, layer)| *place = layer.into());
        set
    }

    fn without_layers(options: BloomOptions) -> Self {
        let shards = (0..options.shards).map(|_| BloomShard::default()).collect();
        let shares = std::array::from_fn(|layer| options.share(layer));
        Self { options, shares, keys: Keys::new(options.seed), shards, layers: Default::default() }
    }

    /// Adds a fingerprint. Returns `true` if it was certainly new. Of several callers with the same new fingerprint
    /// exactly one gets `true`, unless it is a false positive (invariant DED-1).
    pub fn insert(&self, fingerprint: Fingerprint) -> bool {
        let key = self.keys.of(fingerprint);
        if self.holds(key) {
            return false;
        }
        let shard = &self.shards[key.place(self.shards.len())];
        let _lock = shard.lock();
        self.add_unless_held(shard, key)
    }

    /// Returns whether a fingerprint is present. `false` is always correct.
    pub fn contains(&self, fingerprint: Fingerprint) -> bool {
        self.holds(self.keys.of(fingerprint))
    }

    /// Adds the fingerprints of a batch in order. Clears `new` and fills it with whether each fingerprint was certainly
    /// new. Each shard is locked at most once, and shards of known fingerprints are not locked.
    pub fn insert_all(&self, fingerprints: &[Fingerprint], new: &mut Vec<bool>) {
        new.clear();
        new.resize(fingerprints.len(), false);
        let mut unknown = self.unknown(fingerprints);
        unknown.sort_unstable_by_key(|one| (one.shard, one.at));
        for run in unknown.chunk_by(|a, b| a.shard == b.shard) {
            let shard = &self.shards[run[0].shard];
            let _lock = shard.lock();
            run.iter().for_each(|one| new[one.at] = self.add_unless_held(shard, one.key));
        }
    }

    /// Clears `known` and fills it with whether each fingerprint is present. Takes no lock, and overlaps the cache
    /// misses of the batch.
    pub fn contains_all(&self, fingerprints: &[Fingerprint], known: &mut Vec<bool>) {
        known.clear();
        known.resize(fingerprints.len(), true);
        self.unknown(fingerprints).iter().for_each(|one| known[one.at] = false);
    }

    /// Returns the number of fingerprints that were new.
    pub fn len(&self) -> u64 {
        (0..self.layers().count()).map(|layer| self.inserted(layer)).sum()
    }

    /// Returns whether the set is empty.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the memory of all layers and locks in bytes.
    pub fn memory_bytes(&self) -> u64 {
        self.layers().map(Layer::memory_bytes).sum::<u64>() + size_of_val(&*self.shards) as u64
    }

    /// Iterates over the existing layers, oldest first.
    pub(super) fn layers(&self) -> impl DoubleEndedIterator<Item = &Layer> {
        let count = self.layers.iter().take_while(|layer| layer.get().is_some()).count();
        self.layers[..count].iter().filter_map(OnceLock::get)
    }

    /// Returns the number of fingerprints in a layer.
    pub(super) fn inserted(&self, layer: usize) -> u64 {
        self.shards.iter().map(|shard| shard.inserted(layer)).sum()
    }

    /// Looks a key up in all layers, the newest first because it is the largest.
    fn holds(&self, key: Key) -> bool {
        self.layers().rev().any(|layer| layer.contains(key))
    }

    fn unknown(&self, fingerprints: &[Fingerprint]) -> Vec<Unknown> {
        let mut unknown = Vec::with_capacity(fingerprints.len());
        for (number, some) in fingerprints.chunks(TOGETHER).enumerate() {
            let from = unknown.len();
            unknown.extend((number * TOGETHER..).zip(some).map(|(at, fingerprint)| {
                let key = self.keys.of(*fingerprint);
                Unknown { shard: key.place(self.shards.len()), at, key }
            }));
            for layer in self.layers().rev() {
                drop_held(layer, &mut unknown, from);
            }
        }
        unknown
    }

    /// Adds a key if it is missing. Must be called with the lock of the key's shard, so that concurrent additions are
    /// visible.
    fn add_unless_held(&self, shard: &BloomShard, key: Key) -> bool {
        let new = !self.holds(key);
        if new {
            let index = self.with_room(shard);
            self.grow(index).add(key);
            shard.count(index);
        }
        new
    }

    /// Returns the first layer in which the shard has room. The last layer has no limit.
    fn with_room(&self, shard: &BloomShard) -> usize {
        let has_room = |layer: &usize| shard.inserted(*layer) < self.shares[*layer];
        (0..LAYERS_MAX - 1).find(has_room).unwrap_or(LAYERS_MAX - 1)
    }

    /// Returns a layer, creating it if it is missing. Concurrent callers wait until it is created.
    fn grow(&self, index: usize) -> &Layer {
        self.layers[index].get_or_init(|| Layer::new(self.options.shape(index)))
    }
}

/// Removes from `unknown[from..]` the fingerprints that the layer holds. All blocks are touched before the first test:
/// a test ends at the first unset bit, and a CPU does not execute speculatively past a mispredicted branch.
fn drop_held(layer: &Layer, unknown: &mut Vec<Unknown>, from: usize) {
    black_box(unknown[from..].iter().fold(0, |sum, one| sum ^ layer.touch(one.key)));
    let mut remaining = from;
    for at in from..unknown.len() {
        unknown[remaining] = unknown[at];
        remaining += usize::from(!layer.contains(unknown[at].key));
    }
    unknown.truncate(remaining);
}
