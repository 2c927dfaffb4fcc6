//! The file format of observations: a head, then blocks. A block is its length, the hash of its bytes, and some
//! observations that are compressed together.

use xxhash_rust::xxh3::xxh3_64;

use harvestman_core::model::ClusterId;
use harvestman_policy::Observation;

/// The magic bytes of the file. They name its format, which changes with every type that observations consist of.
pub(super) const MAGIC: [u8; 8] = *b"HVOBS\0\0\x05";
/// The compression level of zstd: a fast one. A page consists mostly of hashes that its neighbours have too.
const LEVEL: i32 = 1;
/// The maximum size of a block that is read, decompressed: a block has few pages, but each may have its body.
const BLOCK_BYTES_MAX: usize = 1 << 30;

/// The beginning of a file.
pub(super) struct Head {
    pub(super) magic: [u8; 8],
    /// The settings that the observations were made with, as a hash.
    pub(super) key: u64,
}

impl Head {
    pub(super) fn bytes(&self) -> Vec<u8> {
        [self.magic, self.key.to_le_bytes()].concat()
    }
}

/// A block that is ready to be written.
pub(super) struct Block {
    pub(super) bytes: Vec<u8>,
    /// The number of its observations.
    pub(super) count: u64,
}

/// Builds a block of encoded observations.
pub(super) fn encode(observations: &[Vec<u8>]) -> Block {
    let mut plain = Vec::new();
    for observation in observations {
        plain.extend((observation.len() as u32).to_le_bytes());
        plain.extend(observation);
    }
    // Compressing to memory fails only if there is no memory.
    let packed = zstd::bulk::compress(&plain, LEVEL).unwrap_or_default();
    let mut bytes = Vec::with_capacity(packed.len() + 16);
    bytes.extend((packed.len() as u32).to_le_bytes());
    bytes.extend((plain.len() as u32).to_le_bytes());
    bytes.extend(xxh3_64(&packed).to_le_bytes());
    bytes.extend(packed);
    Block { bytes, count: observations.len() as u64 }
}

/// Reads the intact blocks of a file, and passes its observations to `show`. Returns how many there are; `None` if the
/// file is of another type, format or key.
pub(super) fn read(bytes: &[u8], key: u64, show: &mut dyn FnMut(Observation, ClusterId)) -> Option<u64> {
    let mut rest = bytes.strip_prefix(Head { magic: MAGIC, key }.bytes().as_slice())?;
    let mut count = 0;
    while let Some((block, after)) = next(rest) {
        let mut observations = block.as_slice();
        while let Some((encoded, others)) = split(observations) {
            if let Ok((seen, cluster)) = postcard::from_bytes(encoded) {
                show(seen, cluster);
                count += 1;
            }
            observations = others;
        }
        rest = after;
    }
    Some(count)
}

/// Returns the next block, decompressed; `None` if what follows is not an intact block.
fn next(bytes: &[u8]) -> Option<(Vec<u8>, &[u8])> {
    let (length, rest) = bytes.split_first_chunk::<4>()?;
    let (plain, rest) = rest.split_first_chunk::<4>()?;
    let (hash, rest) = rest.split_first_chunk::<8>()?;
    let (packed, after) = rest.split_at_checked(u32::from_le_bytes(*length) as usize)?;
    let plain = u32::from_le_bytes(*plain) as usize;
    if xxh3_64(packed) != u64::from_le_bytes(*hash) || plain > BLOCK_BYTES_MAX {
        return None;
    }
    let block = zstd::bulk::decompress(packed, plain).ok()?;
    // Its length is not among the bytes that are hashed.
    (block.len() == plain).then_some((block, after))
}

fn split(bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    let (length, rest) = bytes.split_first_chunk::<4>()?;
    rest.split_at_checked(u32::from_le_bytes(*length) as usize)
}
