//! Dedup: which canonical URLs were discovered before.
//!
//! An exact set of 128-bit fingerprints in shards, each behind its own lock, so that CPU workers rarely meet. In front of it
//! each worker keeps a small table of what it has just seen ([`Recent`]): most links of a page are navigation that the page before
//! had too, and those are answered without touching a shard.

mod bloom;
mod disk;
mod recent;
mod seen;

pub use bloom::{BloomError, BloomOptions, BloomSet};
pub use disk::{DeferredSet, DiskError, DiskOptions, DiskSet};
pub use recent::Recent;
pub use seen::SeenSet;
