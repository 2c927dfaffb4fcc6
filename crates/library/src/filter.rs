//! A filter of links of one's own.

use std::sync::Arc;

use super::Link;
use super::guarded::Guarded;
use harvestman_pipeline::{AcceptsLinks, LinkInQuestion};

/// Decides which links a crawl may follow, beside its scope and before its policy.
///
/// Closures from a link to `bool` are filters. Several threads ask a filter at the same time. If it panics, the crawl
/// ends with [`Error::Extension`](crate::Error::Extension) and loses nothing.
pub trait LinkFilter: Send + Sync + 'static {
    /// Returns whether the link may be followed. Asked about links in the scope of the crawl to URLs that were not
    /// accepted before, targets of redirects and entries of sitemaps included, seeds excluded. Links that are refused
    /// have the fate `policy` with the reason `extension`.
    fn accepts(&self, link: &Link<'_>) -> bool;
}

impl<F: Fn(&Link<'_>) -> bool + Send + Sync + 'static> LinkFilter for F {
    fn accepts(&self, link: &Link<'_>) -> bool {
        self(link)
    }
}

/// All filters of a crawl as the pipeline needs them.
pub(crate) struct OwnFilters {
    filters: Vec<Arc<dyn LinkFilter>>,
    guarded: Guarded,
}

impl OwnFilters {
    pub(crate) const fn new(filters: Vec<Arc<dyn LinkFilter>>, guarded: Guarded) -> Self {
        Self { filters, guarded }
    }
}

impl AcceptsLinks for OwnFilters {
    fn accepts(&self, link: &LinkInQuestion<'_>) -> bool {
        let link = Link::new(link.url, link.via);
        self.guarded.call(|| self.filters.iter().all(|filter| filter.accepts(&link))).unwrap_or(false)
    }
}
