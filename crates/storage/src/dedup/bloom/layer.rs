//! One layer of the filter: blocks of bits, the positions of a fingerprint's bits in them, and the shards that lock
//! ranges of blocks and count the fingerprints in them.

use std::sync::atomic::{AtomicU64, Ordering};

use parking_lot::{Mutex, MutexGuard};

use super::shape::{LAYERS_MAX, Shape};
use harvestman_core::seed::Seed;
use harvestman_core::url::Fingerprint;

/// Words per block.
pub(super) const WORDS: usize = 8;

/// A cache line of bits.
#[derive(Default)]
#[repr(align(64))]
pub(super) struct Block([AtomicU64; WORDS]);

/// A blocked Bloom filter of fixed size.
///
/// Bits can be read at any time, and are only set while the lock of their shard is held.
pub(super) struct Layer {
    blocks: Box<[Block]>,
    probes: u32,
}

impl Block {
    pub(super) fn from_words(words: [u64; WORDS]) -> Self {
        Self(words.map(AtomicU64::new))
    }

    pub(super) fn words(&self) -> impl Iterator<Item = u64> {
        self.0.iter().map(|word| word.load(Ordering::Relaxed))
    }
}

impl Layer {
    /// Creates an empty layer.
    pub(super) fn new(shape: Shape) -> Self {
        Self::from_blocks(shape.probes, (0..shape.blocks).map(|_| Block::default()).collect())
    }

    /// Creates a layer from existing blocks.
    pub(super) const fn from_blocks(probes: u32, blocks: Box<[Block]>) -> Self {
        Self { blocks, probes }
    }

    /// Returns whether all bits of a key are set.
    pub(super) fn contains(&self, key: Key) -> bool {
        let block = self.block(key);
        key.probes(self.probes).all(|(word, bit)| block.0[word].load(Ordering::Relaxed) & bit != 0)
    }

    /// Sets the bits of a key. A load and a store suffice because any other writer of this block needs the same lock.
    pub(super) fn add(&self, key: Key) {
        let block = self.block(key);
        for (word, bit) in key.probes(self.probes) {
            let word = &block.0[word];
            word.store(word.load(Ordering::Relaxed) | bit, Ordering::Relaxed);
        }
    }

    /// Reads a word of the key's block, which loads the block into the cache.
    pub(super) fn touch(&self, key: Key) -> u64 {
        self.block(key).0[0].load(Ordering::Relaxed)
    }

    pub(super) fn shape(&self) -> Shape {
        Shape { blocks: self.blocks.len() as u64, probes: self.probes }
    }

    pub(super) fn blocks(&self) -> &[Block] {
        &self.blocks
    }

    pub(super) fn memory_bytes(&self) -> u64 {
        size_of_val(&*self.blocks) as u64
    }

    fn block(&self, key: Key) -> &Block {
        &self.blocks[key.place(self.blocks.len())]
    }
}

/// 2⁶⁴ divided by the golden ratio, the multiplier of Fibonacci hashing (Knuth, volume 3, section 6.4).
const GOLDEN: u64 = 0x9e37_79b9_7f4a_7c15;

/// Derives keys from fingerprints with a seed.
pub(super) struct Keys {
    salts: [u64; 4],
}

/// Two seeded hashes of a fingerprint. Fingerprints are hashes already, but with the seed nobody outside can predict
/// which URLs share bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Key {
    place: u64,
    bits: u64,
}

impl Keys {
    pub(super) fn new(seed: u64) -> Self {
        Self { salts: std::array::from_fn(|index| Seed(seed).nth(index as u64).0) }
    }

    pub(super) fn of(&self, fingerprint: Fingerprint) -> Key {
        let (low, high) = (fingerprint.0 as u64, (fingerprint.0 >> 64) as u64);
        let [a, b, c, d] = self.salts;
        Key { place: folded(low ^ a, high ^ b), bits: folded(low ^ c, high ^ d) }
    }
}

impl Key {
    /// Returns the key's index in an array of `count` elements, by the top bits. If `many` is a multiple of `few`, the
    /// index among `few` elements is the index among `many` divided by `many / few`.
    pub(super) fn place(self, count: usize) -> usize {
        ((u128::from(self.place) * count as u128) >> 64) as usize
    }

    /// Returns the key's bits in a block as `probes` pairs of word index and bit mask.
    pub(super) fn probes(self, probes: u32) -> impl Iterator<Item = (usize, u64)> {
        let mut state = self.bits;
        (0..probes).map(move |_| {
            state = state.wrapping_mul(GOLDEN);
            ((state >> 61) as usize, 1 << ((state >> 55) & 63))
        })
    }
}

/// Multiplies to 128 bits and XORs both halves of the product.
fn folded(a: u64, b: u64) -> u64 {
    let product = u128::from(a) * u128::from(b);
    product as u64 ^ (product >> 64) as u64
}

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_shard_index_is_the_block_index_divided() {
        let keys = Keys::new(5);
        for n in 0..1_000_u32 {
            let key = keys.of(Fingerprint::of(&n.to_string()));
            assert_eq!(key.place(16), key.place(16 * 37) / 37);
        }
    }

    #[test]
    fn different_seeds_give_different_places_and_bits() {
        let fingerprint = Fingerprint::of("https://example.org/");
        let (one, two) = (Keys::new(1).of(fingerprint), Keys::new(2).of(fingerprint));
        assert!(one.place != two.place && one.bits != two.bits);
        assert_eq!(one, Keys::new(1).of(fingerprint));
    }
}
