//! The file format of the set. All numbers are little-endian:
//!
//! | bytes | field |
//! |---|---|
//! | 8, 4 | [`MAGIC`], [`FORMAT`] |
//! | 4 | number of layers |
//! | 8 each | seed, planned size, rate (as a double), number of shards |
//! | 8 | xxh3 of all preceding bytes |
//! | each layer: 8, 8, 64 per block | number of blocks, bits per fingerprint, blocks |
//! | 8 each | number of fingerprints of each shard, layer by layer |
//! | 8 | xxh3 of all preceding bytes |

use std::io::{self, Write};

use xxhash_rust::xxh3::{Xxh3, xxh3_64};

use super::layer::{Block, Layer, WORDS};
use super::shard::BloomShard;
use super::{BloomOptions, BloomSet};

/// The first bytes of the file.
pub(super) const MAGIC: [u8; 8] = *b"hvm-seen";
/// The format version that is written and read. A change of hash functions or sizes requires a new version.
pub(super) const FORMAT: u32 = 2;
/// Number of blocks copied per lock acquisition, 64 KiB.
pub(super) const BLOCKS_TOGETHER: usize = 1_024;
/// Bytes per block.
pub(super) const BLOCK_BYTES: usize = WORDS * size_of::<u64>();

impl BloomSet {
    /// Writes the set. It may be used concurrently: fingerprints added before this call are in the file, fingerprints
    /// added during it may be. Pass a buffered writer.
    ///
    /// # Errors
    /// Returns the errors of the writer.
    pub fn write_to(&self, to: impl Write) -> io::Result<()> {
        let layers: Vec<&Layer> = self.layers().collect();
        let mut to = Hashed { to, hash: Xxh3::new() };
        to.put(&head(layers.len() as u32, numbers(&self.options)))?;
        for layer in &layers {
            to.put_layer(layer, &self.shards)?;
        }
        // Counts follow the bits: a file must not contain bits of fingerprints that it does not count.
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

/// Returns the options as they are encoded in the header.
pub(super) fn numbers(options: &BloomOptions) -> [u64; 4] {
    [options.seed, options.planned, options.false_positives.to_bits(), options.shards as u64]
}

/// Returns the header: all bytes before the layers.
pub(super) fn head(layers: u32, numbers: [u64; 4]) -> Vec<u8> {
    let mut head = [MAGIC.as_slice(), &FORMAT.to_le_bytes(), &layers.to_le_bytes()].concat();
    head.extend(numbers.into_iter().flat_map(u64::to_le_bytes));
    head.extend(xxh3_64(&head).to_le_bytes());
    head
}

/// A writer that hashes the bytes written through it.
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

/// Copies blocks under the shard's lock, so that the copy has all bits of a fingerprint or none of them.
fn copied(shard: &BloomShard, blocks: &[Block]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(blocks.len() * BLOCK_BYTES);
    let _lock = shard.lock();
    bytes.extend(blocks.iter().flat_map(Block::words).flat_map(u64::to_le_bytes));
    bytes
}
