//! The file format of observations: a head, then blocks. A block is its length, the hash of its bytes, and some
//! observations that are compressed together.

use std::io;

use postcard::ser_flavors::Flavor;
use xxhash_rust::xxh3::xxh3_64;
use zstd::bulk::Compressor;

use harvestman_core::model::ClusterId;
use harvestman_policy::Observation;

/// The magic bytes of the file. They name its format, which changes with every type that observations consist of.
pub(super) const MAGIC: [u8; 8] = *b"HVOBS\0\0\x05";
/// The compression level of zstd: a fast one. A page consists mostly of hashes that its neighbours have too. Files are
/// a fifth larger than at level 1, in six tenths of the time.
const LEVEL: i32 = -3;
/// The size up to which buffers are kept for the next block.
const BUFFER_MAX: usize = 2 << 20;
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
pub(super) struct Block<'b> {
    pub(super) head: [u8; 16],
    /// Its observations, compressed.
    pub(super) packed: &'b [u8],
    /// The number of its observations.
    pub(super) count: u64,
}

/// Collects the observations of a block. Its buffers and the state of the compressor are used for one block after
/// another: new ones would be mapped and cleared for each.
pub(super) struct BlockBuilder {
    compressor: Compressor<'static>,
    /// The observations, each behind its length.
    plain: Vec<u8>,
    /// The length of those in `plain` that were added. What follows is a draft.
    added: usize,
    count: u64,
    packed: Vec<u8>,
}

impl BlockBuilder {
    pub(super) fn new() -> io::Result<Self> {
        let compressor = Compressor::new(LEVEL)?;
        Ok(Self { compressor, plain: Vec::new(), added: 0, count: 0, packed: Vec::new() })
    }

    /// Encodes an observation with the cluster of its page. [`BlockBuilder::add_draft`] adds it to the block.
    pub(super) fn draft(&mut self, seen: &Observation, cluster: ClusterId) {
        self.plain.truncate(self.added);
        self.plain.extend([0; 4]);
        let begin = self.plain.len();
        if postcard::serialize_with_flavor(&(seen, cluster), AppendTo(&mut self.plain)).is_err() {
            // Encoding to memory does not fail for these types: each knows its length.
            self.plain.truncate(begin);
        }
        let length = (self.plain.len() - begin) as u32;
        self.plain[begin - 4..begin].copy_from_slice(&length.to_le_bytes());
    }

    /// Adds what was drafted last, if anything was since the last addition.
    pub(super) const fn add_draft(&mut self) {
        if self.plain.len() > self.added {
            self.added = self.plain.len();
            self.count += 1;
        }
    }

    /// The number of observations that were added.
    pub(super) const fn count(&self) -> u64 {
        self.count
    }

    /// Builds the block of what was added, and begins the next one.
    pub(super) fn finish(&mut self) -> io::Result<Block<'_>> {
        let plain = &self.plain[..self.added];
        self.packed.clear();
        self.packed.shrink_to(BUFFER_MAX);
        self.packed.reserve(zstd::compress_bound(plain.len()));
        self.compressor.compress_to_buffer(plain, &mut self.packed)?;
        let lengths = [self.packed.len() as u32, plain.len() as u32].map(u32::to_le_bytes);
        let mut head = [0; 16];
        head[..4].copy_from_slice(&lengths[0]);
        head[4..8].copy_from_slice(&lengths[1]);
        head[8..].copy_from_slice(&xxh3_64(&self.packed).to_le_bytes());
        self.plain.clear();
        self.plain.shrink_to(BUFFER_MAX);
        self.added = 0;
        Ok(Block { head, packed: &self.packed, count: std::mem::take(&mut self.count) })
    }
}

/// Appends what is encoded to a buffer.
struct AppendTo<'b>(&'b mut Vec<u8>);

impl Flavor for AppendTo<'_> {
    type Output = ();

    #[inline]
    fn try_extend(&mut self, data: &[u8]) -> postcard::Result<()> {
        self.0.extend_from_slice(data);
        Ok(())
    }

    #[inline]
    fn try_push(&mut self, data: u8) -> postcard::Result<()> {
        self.0.push(data);
        Ok(())
    }

    fn finalize(self) -> postcard::Result<()> {
        Ok(())
    }
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
