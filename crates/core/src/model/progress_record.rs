//! The persisted progress of a crawl besides its URLs: a resumed run reads it and does not repeat what is done.

use crate::url::HostKey;

/// One piece of progress.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ProgressRecord {
    /// The number of URLs of the host that were ever accepted.
    Admitted(HostKey, u64),
    /// A sitemap that an index named, with the number of indexes above it.
    SitemapFound(String, u32),
    /// A sitemap that was requested and whose entries are known.
    SitemapRead(String),
    /// A host's robots.txt, as a record.
    Robots(HostKey, Vec<u8>),
}
