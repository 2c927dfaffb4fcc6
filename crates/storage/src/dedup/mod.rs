//! Dedup: which canonical URLs were discovered before.
//!
//! [`SeenUrls`] is what a crawl asks: a Bloom filter in front of an exact set of 128-bit fingerprints, or one of them alone. In front of it
//! each worker keeps a small table of what it has just seen ([`RecentUrls`]): most links of a page are navigation that the page before
//! had too, and those are answered without touching a lock.

mod bloom;
mod disk;
mod recent;
mod store;
mod table;

pub use bloom::{BloomError, BloomOptions, BloomSet};
pub use disk::{DeferredSet, DiskError, DiskOptions, DiskSet};
pub use recent::RecentUrls;
pub use store::{BloomStats, DedupStats, Estimate, FalsePositives, SeenUrls};
