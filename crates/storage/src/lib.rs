//! What a crawl keeps on disk: the WARC archive, the crawl state and the set of seen URLs.

pub mod archive;
pub mod dedup;
pub mod store;
