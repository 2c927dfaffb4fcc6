//! The on-disk storage of a crawl: the WARC archive, the crawl state and the set of URLs seen.
//!
//! Internal to Harvestman, without a promise of stability: other programs use `harvestman-library`.

pub mod archive;
pub mod dedup;
pub mod store;
