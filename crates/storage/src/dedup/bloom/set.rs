//! The set itself.

use std::hint::black_box;
use std::sync::OnceLock;

use super::BloomOptions;
use super::key::{Key, Keys};
use super::layer::Layer;
use super::options::LAYERS_MAX;
use super::shard::BloomShard;
use harvestman_core::url::Fingerprint;

/// Fingerprints whose blocks are brought into the cache together: about as many as a processor waits for at once.
const TOGETHER: usize = 32;

/// A concurrent set of fingerprints that never forgets one, and takes at most a given share of the new ones for known.
pub struct BloomSet {
    pub(super) options: BloomOptions,
    /// What each shard may hold of each layer: asked for every new fingerprint.
    shares: [u64; LAYERS_MAX],
    keys: Keys,
    pub(super) shards: Box<[BloomShard]>,
    layers: [OnceLock<Layer>; LAYERS_MAX],
}

/// A fingerprint of a batch that no layer was seen to hold.
#[derive(Clone, Copy)]
struct Unknown {
    shard: usize,
    /// Its index in the batch.
    at: usize,
    key: Key,
}

impl BloomSet {
    /// An empty set with its first layer.
    pub fn new(options: &BloomOptions) -> Self {
        let set = Self::without_layers(options.bounded());
        set.grow(0);
        set
    }

    /// A set of layers and shards that there were.
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

    /// Adds a fingerprint; true if it was certainly new. Of several callers with the same new fingerprint exactly one is
    /// told so (invariant DED-1).
    pub fn insert(&self, fingerprint: Fingerprint) -> bool {
        let key = self.keys.of(fingerprint);
        if self.holds(key) {
            return false;
        }
        let shard = &self.shards[key.place(self.shards.len())];
        let _lock = shard.lock();
        self.add_unless_held(shard, key)
    }

    /// Whether a fingerprint is there; where it says no, it never was.
    pub fn contains(&self, fingerprint: Fingerprint) -> bool {
        self.holds(self.keys.of(fingerprint))
    }

    /// Adds the fingerprints of a batch in their order; says into `new`, which is emptied first, which ones were certainly
    /// new. No shard is locked more than once, and those of known fingerprints not at all.
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

    /// Says into `known`, which is emptied first, which fingerprints are there. Takes no lock, and waits for memory once for many.
    pub fn contains_all(&self, fingerprints: &[Fingerprint], known: &mut Vec<bool>) {
        known.clear();
        known.resize(fingerprints.len(), true);
        self.unknown(fingerprints).iter().for_each(|one| known[one.at] = false);
    }

    /// How many fingerprints were new.
    pub fn len(&self) -> u64 {
        (0..self.layers().count()).map(|layer| self.inserted(layer)).sum()
    }

    /// Whether there were none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Memory of all layers and locks in bytes.
    pub fn memory_bytes(&self) -> u64 {
        self.layers().map(Layer::memory_bytes).sum::<u64>() + size_of_val(&*self.shards) as u64
    }

    /// The layers that there are, the oldest first.
    pub(super) fn layers(&self) -> impl DoubleEndedIterator<Item = &Layer> {
        let count = self.layers.iter().take_while(|layer| layer.get().is_some()).count();
        self.layers[..count].iter().filter_map(OnceLock::get)
    }

    /// How many fingerprints a layer holds.
    pub(super) fn inserted(&self, layer: usize) -> u64 {
        self.shards.iter().map(|shard| shard.inserted(layer)).sum()
    }

    /// The newest layer first, as it is the largest.
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

    /// To be called with the lock of the key's shard: what another caller added meanwhile is seen then.
    fn add_unless_held(&self, shard: &BloomShard, key: Key) -> bool {
        let new = !self.holds(key);
        if new {
            let index = self.with_room(shard);
            self.grow(index).add(key);
            shard.count(index);
        }
        new
    }

    /// The first layer that the shard has not filled its share of; the last one takes whatever comes.
    fn with_room(&self, shard: &BloomShard) -> usize {
        let has_room = |layer: &usize| shard.inserted(*layer) < self.shares[*layer];
        (0..LAYERS_MAX - 1).find(has_room).unwrap_or(LAYERS_MAX - 1)
    }

    /// A layer, which is made where it is missing; others who find it missing wait for it.
    fn grow(&self, index: usize) -> &Layer {
        self.layers[index].get_or_init(|| Layer::new(self.options.shape(index)))
    }
}

/// Keeps of `unknown`, from an index on, what the layer does not hold. First all blocks are touched and only then looked
/// at: a look ends at the first bit that is not set, and a processor does not see beyond an end that it did not expect.
fn drop_held(layer: &Layer, unknown: &mut Vec<Unknown>, from: usize) {
    black_box(unknown[from..].iter().fold(0, |sum, one| sum ^ layer.touch(one.key)));
    let mut kept = from;
    for at in from..unknown.len() {
        unknown[kept] = unknown[at];
        kept += usize::from(!layer.contains(unknown[at].key));
    }
    unknown.truncate(kept);
}
