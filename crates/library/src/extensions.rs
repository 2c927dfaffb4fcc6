//! Filters and sinks of one's own.

use std::sync::Arc;

use super::guarded::Guarded;
use super::{Link, Page};
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

/// The error of a sink: any error, or a text.
pub type SinkError = Box<dyn std::error::Error + Send + Sync>;

/// Receives the pages of a crawl, on a thread of its own.
///
/// A page is delivered **before** its outcome counts: after a crash, or after a failure of the sink, the URL is fetched
/// again when the crawl is resumed, and the page is delivered again. A sink therefore has every page at least once, and
/// should be able to receive one twice. A slow sink slows the crawl down; no more pages wait than
/// [`CrawlBuilder::queue`] allows.
///
/// [`CrawlBuilder::queue`]: crate::CrawlBuilder::queue
pub trait Sink: Send + 'static {
    /// Takes all these pages, or none: those that wait, in the order in which they were processed.
    ///
    /// # Errors
    /// Any. Depending on [`OnError`], the crawl ends and these pages wait to be fetched again, or it continues without
    /// them being in the sink.
    fn write(&mut self, pages: &[Page]) -> Result<(), SinkError>;

    /// Called once after the last page, unless the sink has ended the crawl. The default does nothing.
    ///
    /// # Errors
    /// Any. The report says so; pages that were taken are not delivered again.
    fn finish(&mut self) -> Result<(), SinkError> {
        Ok(())
    }
}

/// What happens when a sink fails.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum OnError {
    /// The crawl ends with [`Error::Extension`](crate::Error::Extension). It can be resumed; nothing is lost.
    #[default]
    Stop,
    /// The crawl continues. The report counts the failures and has the message of the first one.
    Continue,
}
