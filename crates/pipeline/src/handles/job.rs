//! Jobs of the CPU workers.

use bytes::Bytes;
use tokio::sync::OwnedSemaphorePermit;

use crate::rendering::{PageToRender, RenderOutcome};
use harvestman_core::model::{Exchange, Fate, FetchedPage, Lease};
use harvestman_core::url::CanonicalUrl;
use harvestman_login::Verdict;

/// A job of a worker. Its channel has room for every lease and every auxiliary request that can be in progress, so
/// sending a job never blocks.
pub(crate) enum Job {
    /// A page was fetched, or failed for good.
    Page(FetchedPage),
    /// A page that may be a substitute has waited for others of its host.
    JudgedAgain(FetchedPage),
    /// A page was judged by the session of the crawl.
    Judged { page: FetchedPage, verdict: Verdict },
    /// A page was rendered, or could not be.
    Rendered { page: Box<PageToRender>, outcome: RenderOutcome },
    /// A URL is not fetched: only its line in the page log is written.
    Refused { lease: Lease, fate: Fate },
    /// A robots.txt was fetched, a part of a page, or a sitemap that is tried again: it is archived, unless it is of a
    /// log-in. `announced`: whether the frontier waits for its end.
    Errand { exchange: Exchange, announced: bool, is_archived: bool, permit: OwnedSemaphorePermit },
    /// A sitemap was fetched: it is archived, and its entries are links.
    Sitemap { sitemap: Sitemap, permit: OwnedSemaphorePermit },
    /// There are no more jobs.
    End,
}

/// A fetched sitemap.
pub(crate) struct Sitemap {
    /// Its URL.
    pub url: CanonicalUrl,
    /// The number of sitemap indexes above it.
    pub nesting: u32,
    /// The request and its response.
    pub exchange: Exchange,
    /// The body with its content coding removed.
    pub body: Bytes,
}
