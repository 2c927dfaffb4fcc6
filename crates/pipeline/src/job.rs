//! Jobs of the CPU workers.

use bytes::Bytes;
use tokio::sync::OwnedSemaphorePermit;

use harvestman_core::model::{Exchange, Fate, Lease};
use harvestman_core::url::CanonicalUrl;

/// One piece of work. The channel that it travels in has room for every lease and every errand that can be under way, so handing
/// one over never blocks.
pub(super) enum Job {
    /// A page was fetched, or failed for good.
    Page { lease: Lease, exchange: Exchange },
    /// A URL is not fetched: only its line in the page log is to be written.
    Refused { lease: Lease, fate: Fate },
    /// A robots.txt was fetched, or a sitemap that is tried again: it is archived.
    Errand { exchange: Exchange, permit: OwnedSemaphorePermit },
    /// A sitemap was fetched: it is archived, and its entries are links.
    Sitemap { sitemap: Sitemap, permit: OwnedSemaphorePermit },
    /// There is no more work.
    End,
}

/// A fetched sitemap.
pub(super) struct Sitemap {
    /// Where it was.
    pub url: CanonicalUrl,
    /// Sitemap indexes above it.
    pub nesting: u32,
    /// Request and answer.
    pub exchange: Exchange,
    /// The body, content coding removed.
    pub body: Bytes,
}
