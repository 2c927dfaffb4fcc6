//! Reads the format of [`super::file`] from untrusted bytes.

use std::io::Read;

use xxhash_rust::xxh3::Xxh3;

use super::file::{BLOCK_BYTES, BLOCKS_TOGETHER, FORMAT, MAGIC, head};
use super::layer::{Block, Layer, WORDS};
use super::options::LAYERS_MAX;
use super::shape::Shape;
use super::shard::BloomShard;
use super::{BloomError, BloomOptions, BloomSet};

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
        let mut from = Hashed { from, hash: Xxh3::new() };
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
struct Hashed<R> {
    from: R,
    hash: Xxh3,
}

impl<R: Read> Hashed<R> {
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
