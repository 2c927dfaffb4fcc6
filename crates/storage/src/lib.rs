//! The on-disk storage of a crawl: the WARC archive, the crawl state and the set of URLs seen.

pub mod archive;
pub mod dedup;
pub mod store;
