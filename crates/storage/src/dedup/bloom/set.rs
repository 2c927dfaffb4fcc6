//! The concurrent set, and estimates of how often it is wrong, derived from its fill.

use std::hint::black_box;
use std::sync::OnceLock;

use super::BloomOptions;
use super::layer::{BloomShard, Key, Keys, Layer};
use super::shape::{LAYERS_MAX, Shape};
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

/// Number of intervals for the numerical integration over a layer's fill; must be even. With 32 the error is below
/// 0.001.
const PIECES: u32 = 32;

impl BloomSet {
    /// Returns the current expected false-positive rate: the share of new fingerprints that would be reported as known.
    /// It is based on the fingerprints that were reported as new. Where many were not, as at rates above 0.1, it is
    /// somewhat low.
    pub fn expected_false_positive_rate(&self) -> f64 {
        let full = self.layers().enumerate().map(|(index, layer)| layer.shape().rate(self.inserted(index) as f64));
        let right = full.map(|rate| 1.0 - rate);
        1.0 - right.product::<f64>()
    }

    /// Returns the expected share of set bits over all layers, based on the number of fingerprints in each layer.
    pub fn expected_fill(&self) -> f64 {
        let (mut set, mut all) = (0.0, 0.0);
        for (index, layer) in self.layers().enumerate() {
            let bits = layer.shape().bits();
            all += bits;
            set += bits * layer.shape().fill(self.inserted(index) as f64);
        }
        set / all
    }

    /// Returns the expected number of false positives so far: new fingerprints that were reported as known, each
    /// counted once. These are the URLs that the crawl has lost.
    ///
    /// For each fingerprint reported as new at a rate p, p / (1 − p) others are expected to have been lost. The sum
    /// over all new fingerprints depends only on their number, so it is computed on demand, in about a millisecond. It
    /// needs no synchronisation and is neither saved nor restored.
    pub fn expected_false_positives(&self) -> f64 {
        let (mut sum, mut right) = (0.0, 1.0);
        for (index, layer) in self.layers().enumerate() {
            let (shape, inserted) = (layer.shape(), self.inserted(index) as f64);
            sum += lost(shape, inserted, right);
            right *= 1.0 - shape.rate(inserted);
        }
        sum
    }
}

/// Returns the expected number of fingerprints lost while a layer filled up, by Simpson's rule. `right` is the share of
/// new fingerprints that the previous layers report correctly.
fn lost(shape: Shape, inserted: f64, right: f64) -> f64 {
    let step = inserted / f64::from(PIECES);
    let odds = |piece: u32| 1.0 / (right * (1.0 - shape.rate(f64::from(piece) * step))).max(f64::EPSILON) - 1.0;
    let weight = |piece| if piece == 0 || piece == PIECES { 1.0 } else { 2.0 + 2.0 * f64::from(piece % 2) };
    (0..=PIECES).map(|piece| weight(piece) * odds(piece)).sum::<f64>() * step / 3.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_expected_fill_matches_the_set_bits_of_all_layers() {
        let options = BloomOptions { planned: 20_000, false_positives: 0.01, shards: 4, seed: 3 };
        let set = BloomSet::new(&options);
        assert_eq!(set.expected_fill(), 0.0);
        let mut mixed = 7_u128;
        for urls in [5_000, 15_000, 30_000] {
            while set.len() < urls {
                mixed = mixed.wrapping_mul(0x2d99_7879_26d4_6932_a4c1_f326_8d35_0001).wrapping_add(99);
                set.insert(Fingerprint(mixed ^ (mixed >> 64)));
            }
            let words = set.layers().flat_map(|layer| layer.blocks().iter().flat_map(|block| block.words()));
            let (ones, bits) = words.fold((0, 0), |(ones, bits), word| (ones + word.count_ones(), bits + 64));
            let counted = f64::from(ones) / f64::from(bits);
            assert!((set.expected_fill() - counted).abs() < 0.01, "{urls}: {} and {counted}", set.expected_fill());
        }
    }

    #[test]
    fn expected_losses_are_the_sum_over_all_new_fingerprints() {
        for (inserted, right) in [(1_u32, 1.0), (100, 0.9), (2_000, 1.0), (5_000, 0.999)] {
            let shape = Shape { blocks: 64, probes: 8 };
            let odds = |before: u32| 1.0 / (right * (1.0 - shape.rate(f64::from(before) + 0.5))) - 1.0;
            let sum: f64 = (0..inserted).map(odds).sum();
            let made = lost(shape, f64::from(inserted), right);
            assert!((made - sum).abs() <= 0.002 * sum + 1e-9, "{inserted}: {made} for {sum}");
        }
    }
}
