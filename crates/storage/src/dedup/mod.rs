//! URL dedup: determines which canonical URLs were discovered before.
//!
//! A crawl queries [`SeenUrls`]: a Bloom filter in front of an exact set of 128-bit fingerprints, or one of the two
//! alone. In front of it, each worker has a small table of recently seen URLs ([`RecentUrls`]). Most links of a page
//! are navigation links that the previous page had too; they are answered without acquiring a lock.

mod bloom;
mod disk;
mod recent;
mod store;
mod table;

pub use bloom::{BloomError, BloomOptions, BloomSet};
pub use disk::{DeferredSet, DiskError, DiskOptions, DiskSet};
pub use recent::RecentUrls;
pub use store::{BloomStats, DedupStats, Estimate, FalsePositives, SeenUrls};
