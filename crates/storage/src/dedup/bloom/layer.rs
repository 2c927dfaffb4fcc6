//! One layer of the filter: blocks of bits.

use std::sync::atomic::{AtomicU64, Ordering};

use super::key::Key;
use super::shape::Shape;

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
