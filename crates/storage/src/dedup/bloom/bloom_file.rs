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
//!
//! It is read from untrusted bytes.

use std::io::{self, Read, Write};

use xxhash_rust::xxh3::{Xxh3, xxh3_64};

use super::layer::{Block, BloomShard, Layer, WORDS};
use super::shape::{LAYERS_MAX, Shape};
use super::{BloomOptions, BloomSet};

/// The first bytes of the file.
const MAGIC: [u8; 8] = *b"hvm-seen";
/// The format version that is written and read. A change of hash functions or sizes requires a new version.
pub(super) const FORMAT: u32 = 2;
/// Number of blocks copied per lock acquisition, 64 KiB.
const BLOCKS_TOGETHER: usize = 1_024;
/// Bytes per block.
const BLOCK_BYTES: usize = WORDS * size_of::<u64>();

impl BloomSet {
    /// Writes the set. It may be used concurrently: fingerprints added before this call are in the file, fingerprints
    /// added during it may be. Pass a buffered writer.
    ///
    /// # Errors
    /// Returns the errors of the writer.
    pub fn write_to(&self, to: impl Write) -> io::Result<()> {
        let layers: Vec<&Layer> = self.layers().collect();
        let mut to = HashedWriter { to, hash: Xxh3::new() };
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
struct HashedWriter<W> {
    to: W,
    hash: Xxh3,
}

impl<W: Write> HashedWriter<W> {
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

/// An upper bound on the fingerprints of a shard in the last layer, so that sums of counts times bits do not overflow.
const INSERTED_MAX: u64 = 1 << 46;

impl BloomSet {
    /// Reads a set that was created with these options. It does not read beyond the end of the set, and never allocates
    /// more than three times the bytes read plus 128 KiB. Pass a buffered reader.
    ///
    /// # Errors
    /// Fails if the bytes are not a set, have another format version, were written with other options, or are truncated
    /// or damaged.
    pub fn read_from(from: impl Read, expected: &BloomOptions) -> Result<Self, BloomError> {
        let options = expected.bounded();
        let mut from = HashedReader { from, hash: Xxh3::new() };
        let layers = from.head(&options)?;
        let layers: Vec<Bits> = (0..layers).map(|index| from.layer(&options, index)).collect::<Result<_, _>>()?;
        let numbers = |_| layers.iter().map(|_| from.number()).collect::<Result<Vec<u64>, _>>();
        let counts: Vec<Vec<u64>> = (0..options.shards).map(numbers).collect::<Result<_, _>>()?;
        let sum = from.hash.digest();
        if from.number()? != sum {
            return Err(BloomError::Damaged("its checksum does not match"));
        }
        check_counts(&options, &layers, &counts)?;
        let layers = layers.into_iter().map(|bits| Layer::from_blocks(bits.probes, bits.blocks.into()));
        Ok(Self::with_layers(options, layers, counts.into_iter().map(|counts| BloomShard::of(counts.into_iter()))))
    }
}

/// A layer without its fingerprint count.
struct Bits {
    blocks: Vec<Block>,
    probes: u32,
    /// The number of set bits.
    ones: u64,
}

/// Checks that each shard filled its share of a layer before it used the next one, and that no layer has more set bits
/// than its fingerprints can have set. `counts` is indexed by shard and layer.
fn check_counts(options: &BloomOptions, layers: &[Bits], counts: &[Vec<u64>]) -> Result<(), BloomError> {
    let is_last = |index| index == LAYERS_MAX - 1;
    let filled = |counts: &Vec<u64>| {
        let room = counts.iter().enumerate().position(|(index, count)| *count < options.share(index));
        let rest = room.map_or(&[] as &[u64], |room| &counts[room + 1..]);
        let over =
            |(index, count): (usize, &u64)| *count > if is_last(index) { INSERTED_MAX } else { options.share(index) };
        rest.iter().all(|count| *count == 0) && !counts.iter().enumerate().any(over)
    };
    let inserted = |index: usize| counts.iter().map(|counts| counts[index]).sum::<u64>();
    let fits = |(index, bits): (usize, &Bits)| bits.ones <= inserted(index) * u64::from(bits.probes);
    // The first condition bounds the sums of the second.
    let fit = counts.iter().all(filled) && layers.iter().enumerate().all(fits);
    if fit { Ok(()) } else { Err(BloomError::Damaged("its counts are impossible")) }
}

/// Returns whether `found` matches the shape computed here, allowing for platform differences in the last digit of
/// logarithms.
fn is_like(found: Shape, made: Shape, shards: usize) -> bool {
    let slack = made.blocks / 100 + shards as u64;
    found.is_sound(shards) && found.blocks.abs_diff(made.blocks) <= slack && found.probes.abs_diff(made.probes) <= 1
}

fn check_option<T: PartialEq + ToString>(option: &'static str, found: T, expected: T) -> Result<(), BloomError> {
    if found == expected {
        return Ok(());
    }
    Err(BloomError::OtherOptions { option, found: found.to_string(), expected: expected.to_string() })
}

/// A reader that hashes the bytes read through it.
struct HashedReader<R> {
    from: R,
    hash: Xxh3,
}

impl<R: Read> HashedReader<R> {
    fn fill(&mut self, bytes: &mut [u8]) -> Result<(), BloomError> {
        self.from.read_exact(bytes)?;
        self.hash.update(bytes);
        Ok(())
    }

    fn bytes<const N: usize>(&mut self) -> Result<[u8; N], BloomError> {
        let mut bytes = [0; N];
        self.fill(&mut bytes)?;
        Ok(bytes)
    }

    fn number(&mut self) -> Result<u64, BloomError> {
        self.bytes().map(u64::from_le_bytes)
    }

    /// Reads the header and returns the number of layers. The file type is checked first, so that a wrong file is not
    /// reported as damaged.
    fn head(&mut self, options: &BloomOptions) -> Result<usize, BloomError> {
        if self.bytes()? != MAGIC {
            return Err(BloomError::NotABloomSet);
        }
        let found = u32::from_le_bytes(self.bytes()?);
        if found != FORMAT {
            return Err(BloomError::OtherVersion { found, known: FORMAT });
        }
        let layers = u32::from_le_bytes(self.bytes()?);
        let numbers = [self.number()?, self.number()?, self.number()?, self.number()?];
        if !head(layers, numbers).ends_with(&self.bytes::<8>()?) {
            return Err(BloomError::Damaged("the checksum of its header does not match"));
        }
        let [seed, planned, rate, shards] = numbers;
        check_option("seed", seed, options.seed)?;
        check_option("planned", planned, options.planned)?;
        check_option("false_positives", f64::from_bits(rate), options.false_positives)?;
        check_option("shards", shards, options.shards as u64)?;
        let layers = layers as usize;
        if (1..=LAYERS_MAX).contains(&layers) { Ok(layers) } else { Err(BloomError::Damaged("its number of layers")) }
    }

    fn layer(&mut self, options: &BloomOptions, index: usize) -> Result<Bits, BloomError> {
        let (blocks, probes) = (self.number()?, self.number()?);
        let damaged = BloomError::Damaged("the size of a layer");
        let Ok(probes) = u32::try_from(probes) else { return Err(damaged) };
        let made = options.shape(index);
        if !is_like(Shape { blocks, probes }, made, options.shards) {
            return Err(damaged);
        }
        let mut bits = Bits { blocks: Vec::new(), probes, ones: 0 };
        self.blocks(blocks as usize, &mut bits)?;
        Ok(bits)
    }

    /// Reads `count` blocks. Memory grows with the bytes read because `count` is not trusted.
    fn blocks(&mut self, count: usize, bits: &mut Bits) -> Result<(), BloomError> {
        let mut buffer = vec![0; BLOCKS_TOGETHER * BLOCK_BYTES];
        while bits.blocks.len() < count {
            let left = count - bits.blocks.len();
            let bytes = &mut buffer[..left.min(BLOCKS_TOGETHER) * BLOCK_BYTES];
            self.fill(bytes)?;
            if bits.blocks.len() == bits.blocks.capacity() {
                bits.blocks.reserve_exact(left.min(bits.blocks.len().max(BLOCKS_TOGETHER)));
            }
            for words in bytes.as_chunks::<BLOCK_BYTES>().0.iter().map(words) {
                bits.ones += words.iter().map(|word| u64::from(word.count_ones())).sum::<u64>();
                bits.blocks.push(Block::from_words(words));
            }
        }
        Ok(())
    }
}

fn words(bytes: &[u8; BLOCK_BYTES]) -> [u64; WORDS] {
    let chunks = bytes.as_chunks::<8>().0;
    std::array::from_fn(|word| u64::from_le_bytes(chunks[word]))
}

/// Why a file cannot be read as a set. Each message says what to do.
#[derive(Debug, thiserror::Error)]
pub enum BloomError {
    /// The file could not be read.
    #[error("cannot read the set of URLs seen: {0}")]
    Io(io::Error),
    /// The file is not a saved set.
    #[error("the file is not a set of URLs seen: check the file name")]
    NotABloomSet,
    /// The file was written in another format version.
    #[error(
        "the set of URLs seen has format {found}; this version reads format {known}: use the version that wrote it, or \
         rebuild the set from the stored URLs"
    )]
    OtherVersion {
        /// The format of the file.
        found: u32,
        /// The format that this version reads.
        known: u32,
    },
    /// The set was created for another crawl or with other options.
    #[error(
        "the set of URLs seen was created with {option} {found}, not {expected}: restore the option, or \
         rebuild the set from the stored URLs"
    )]
    OtherOptions {
        /// The field of [`super::shape::BloomOptions`].
        option: &'static str,
        /// Its value in the file.
        found: String,
        /// The expected value.
        expected: String,
    },
    /// The file is truncated.
    #[error("the set of URLs seen is truncated, as by a crash or a full disk: rebuild it from the stored URLs")]
    CutShort,
    /// The contents differ from what was written.
    #[error("the set of URLs seen is damaged ({0}): rebuild it from the stored URLs, and check the disk")]
    Damaged(&'static str),
}

impl From<io::Error> for BloomError {
    fn from(error: io::Error) -> Self {
        if error.kind() == io::ErrorKind::UnexpectedEof { Self::CutShort } else { Self::Io(error) }
    }
}
