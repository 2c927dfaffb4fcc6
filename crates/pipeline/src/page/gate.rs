//! What a feature does with pages on their way through a worker: its gate.

use crate::page::page_in_work::{PageInWork, Verdict};
use crate::page::page_processor::PageProcessor;
use crate::page::worker_tools::WorkerTools;

/// The features that have a gate. The stations of a page say where it stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Feature {
    /// The session of a crawl that is logged in.
    Session,
    /// The return of pages from the browsers.
    BrowserReturn,
    /// Earlier visits to a page.
    Visits,
    /// The detection of block pages and soft 404s.
    BlockPages,
    /// The browsers.
    Browsers,
    /// The validator of wanted pages.
    Validator,
}

/// The gate of a feature: the workers share it. A feature that is off has none.
pub(crate) trait Gate: Send + Sync {
    /// Returns the feature.
    fn feature(&self) -> Feature;

    /// Decides about a page that has come to the gate.
    fn judge(&self, processor: &mut PageProcessor, page: &mut PageInWork) -> Verdict;

    /// Takes a page that [`Gate::judge`] holds. Returns it if it cannot be held after all: it is then read again.
    fn hold(&self, _: &mut WorkerTools, page: PageInWork) -> Option<PageInWork> {
        Some(page)
    }

    /// Takes note of a page from its host or the session that was read, whether it goes on or is held.
    fn was_read(&self, _: &PageInWork) {}
}
