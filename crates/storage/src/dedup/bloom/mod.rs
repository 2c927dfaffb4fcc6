//! A set of the URLs seen that is smaller than an exact one and may, at a known rate, take a new URL for a known one.
//!
//! A scalable Bloom filter (Almeida, Baquero, Preguiça and Hutchison, "Scalable Bloom Filters", Information Processing
//! Letters 101, 2007): layers, each with twice the capacity and half the error of the one before, so that the errors of
//! all of them together stay below what was asked for. A layer is a blocked filter (Putze, Sanders and Singler, "Cache-,
//! Hash- and Space-Efficient Bloom Filters", 2007): all bits of one fingerprint lie in one cache line.
//!
//! Why blocks of our own, not a crate: what a look-up costs is its cache misses. The filters of `bloomfilter` and
//! `fastbloom` spread the ten bits of a fingerprint over ten lines; a block is one, and a batch touches the lines of all its
//! fingerprints before it looks at the first, so that the misses overlap. Nanoseconds of processor time for one of 100
//! million look-ups in batches of 20, of which 85 % were of known URLs, at a rate of 0.001, by `benches/dedup.rs` (and what
//! it does with `fastbloom`):
//!
//! | planned for | in layers | this set | `fastbloom`, in the same layers | `bloomfilter`, one filter |
//! |---|---|---|---|---|
//! | 15 million, what was new | 1 | 37 | 101 | 226 |
//! | 100 million | 1 | 43 | 210 | 383 |
//! | 1 million | 4 | 76 | 154 | |
//!
//! `fastbloom` was given hashes; with its SipHash of what is a hash already it took 1.4 to 1.6 times as long.
//!
//! Threads: bits are only ever set, so that looking up takes no lock. A shard is a run of blocks, the same share of each
//! layer, chosen by the fingerprint as blocks are; who sets bits holds the lock of their shard. A shard counts for itself, and goes on to
//! the next layer when its own share of a layer is full, so that threads share nothing that changes but bits and locks.

mod error;
mod estimate;
mod file;
mod key;
mod layer;
mod options;
mod read;
mod set;
mod shape;
mod shard;

#[cfg(test)]
mod file_tests;
#[cfg(test)]
mod tests;

pub use error::BloomError;
pub use options::BloomOptions;
pub use set::BloomSet;
