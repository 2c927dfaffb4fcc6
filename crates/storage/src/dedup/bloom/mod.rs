//! A set of the URLs seen that is smaller than an exact set and may, at a known rate, report a new URL as known.
//!
//! A scalable Bloom filter (Almeida, Baquero, Preguiça and Hutchison, "Scalable Bloom Filters", Information Processing
//! Letters 101, 2007): each layer has twice the capacity and half the error rate of the previous one, so that the total
//! error rate stays below the configured rate. A layer is a blocked filter (Putze, Sanders and Singler, "Cache-, Hash-
//! and Space-Efficient Bloom Filters", 2007): all bits of one fingerprint are in one cache line.
//!
//! Why this is not an existing crate: the cost of a look-up is its cache misses. The filters of `bloomfilter` and
//! `fastbloom` spread the ten bits of a fingerprint over ten cache lines; a block is one cache line. A batch touches
//! the lines of all its fingerprints before it tests the first, so that the misses overlap. The table shows nanoseconds
//! of CPU time per look-up, measured over 100 million look-ups in batches of 20, of which 85 % were of known URLs, at a
//! rate of 0.001, by `benches/dedup.rs` (which also defines the comparison with `fastbloom`):
//!
//! | planned for | in layers | this set | `fastbloom`, in the same layers | `bloomfilter`, one filter |
//! |---|---|---|---|---|
//! | 15 million, the number of new URLs | 1 | 37 | 101 | 226 |
//! | 100 million | 1 | 43 | 210 | 383 |
//! | 1 million | 4 | 76 | 154 | |
//!
//! `fastbloom` was given hashes; with its default SipHash applied to these hashes it took 1.4 to 1.6 times as long.
//!
//! Threads: bits are only ever set, so look-ups take no lock. A shard is a contiguous range of blocks, the same share
//! of each layer; the fingerprint selects the shard in the same way as the block. Setting bits requires the lock of
//! their shard. Each shard counts its own fingerprints and continues with the next layer when its share of a layer is
//! full, so that the only mutable state that threads share is bits and locks.

mod bloom_file;
mod layer;
mod set;
mod shape;

#[cfg(test)]
mod file_tests;
#[cfg(test)]
mod tests;

pub use bloom_file::BloomError;
pub use set::BloomSet;
pub use shape::BloomOptions;
