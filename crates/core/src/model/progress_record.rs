//! What is kept of a crawl besides its URLs, so that a run that goes on does not do again what was done.

use crate::url::HostKey;

/// One thing to keep in mind.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Note {
    /// So many URLs of the host were ever accepted.
    Admitted(HostKey, u64),
    /// A sitemap was named by an index; so many indexes stand above it.
    SitemapFound(String, u32),
    /// A sitemap was asked for, and what it names is known.
    SitemapRead(String),
    /// A host's robots.txt, as a record.
    Robots(HostKey, Vec<u8>),
}
