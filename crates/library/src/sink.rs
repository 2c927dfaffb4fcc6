//! A sink of one's own.

use super::Page;

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
