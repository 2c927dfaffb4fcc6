//! The set as bytes, all numbers little-endian:
//!
//! | bytes | what |
//! |---|---|
//! | 8, 4 | [`MAGIC`], [`FORMAT`] |
//! | 4 | number of layers |
//! | 8 each | seed, planned size, rate (as a double), shards |
//! | 8 | xxh3 of all that before |
//! | each layer: 8, 8, 64 a block | number of blocks, bits of a fingerprint, blocks |
//! | 8 each | fingerprints of each shard, layer by layer |
//! | 8 | xxh3 of all that before |

use std::io::{self, Write};

use xxhash_rust::xxh3::{Xxh3, xxh3_64};

use super::layer::{Block, Layer, WORDS};
use super::shard::BloomShard;
use super::{BloomOptions, BloomSet};

/// What the file begins with.
pub(super) const MAGIC: [u8; 8] = *b"hvm-seen";
/// The format that is written and read. Hashes and sizes belong to it.
pub(super) const FORMAT: u32 = 2;
/// Blocks that are copied under one lock, 64 KiB.
pub(super) const BLOCKS_TOGETHER: usize = 1_024;
/// Bytes of a block.
pub(super) const BLOCK_BYTES: usize = WORDS * size_of::<u64>();

impl BloomSet {
    /// Writes the set. Others may use it meanwhile; what was added before this call is in the file for certain, what is
    /// added meanwhile may be. Hand in a buffered writer.
    ///
    /// # Errors
    /// What the writer says.
    pub fn write_to(&self, to: impl Write) -> io::Result<()> {
        let layers: Vec<&Layer> = self.layers().collect();
        let mut to = Hashed { to, hash: Xxh3::new() };
        to.put(&head(layers.len() as u32, numbers(&self.options)))?;
        for layer in &layers {
            to.put_layer(layer, &self.shards)?;
        }
        // After the bits: a file must not hold bits of fingerprints that it does not count.
        for shard in &self.shards {
            let lock = shard.lock();
            let counts: Vec<u64> = (0..layers.len()).map(|layer| shard.inserted(layer)).collect();
            drop(lock);
            counts.into_iter().try_for_each(|count| to.put_number(count))?;
        }
        to.put_number(to.hash.digest())?;
        to.to.flush()
    }
}

/// The options as the head has them.
pub(super) fn numbers(options: &BloomOptions) -> [u64; 4] {
    [options.seed, options.planned, options.false_positives.to_bits(), options.shards as u64]
}

/// Everything before the layers.
pub(super) fn head(layers: u32, numbers: [u64; 4]) -> Vec<u8> {
    let mut head = [MAGIC.as_slice(), &FORMAT.to_le_bytes(), &layers.to_le_bytes()].concat();
    head.extend(numbers.into_iter().flat_map(u64::to_le_bytes));
    head.extend(xxh3_64(&head).to_le_bytes());
    head
}

/// A writer that hashes what goes through it.
struct Hashed<W> {
    to: W,
    hash: Xxh3,
}

impl<W: Write> Hashed<W> {
    fn put(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.hash.update(bytes);
        self.to.write_all(bytes)
    }

    fn put_number(&mut self, number: u64) -> io::Result<()> {
        self.put(&number.to_le_bytes())
    }

    fn put_layer(&mut self, layer: &Layer, shards: &[BloomShard]) -> io::Result<()> {
        let shape = layer.shape();
        self.put_number(shape.blocks)?;
        self.put_number(shape.probes.into())?;
        for (shard, run) in shards.iter().zip(layer.blocks().chunks(layer.blocks().len() / shards.len())) {
            run.chunks(BLOCKS_TOGETHER).try_for_each(|some| self.put(&copied(shard, some)))?;
        }
        Ok(())
    }
}

/// Under the lock, so that it has all bits of a fingerprint or none.
fn copied(shard: &BloomShard, blocks: &[Block]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(blocks.len() * BLOCK_BYTES);
    let _lock = shard.lock();
    bytes.extend(blocks.iter().flat_map(Block::words).flat_map(u64::to_le_bytes));
    bytes
}
