//! Errors of experiments. Each message states the remedy.

use crate::corpus;
use harvestman_pipeline as pipeline;

/// The reason why there are no results.
#[derive(Debug, thiserror::Error)]
pub enum ExperimentError {
    /// The corpus could not be loaded.
    #[error(transparent)]
    Corpus(#[from] corpus::CorpusError),
    /// A crawl could not be started.
    #[error(transparent)]
    Crawl(#[from] pipeline::Error),
    /// A store of seen URLs cannot be kept on disk.
    #[error(transparent)]
    Store(#[from] harvestman_storage::dedup::DiskError),
    /// The pages cannot be indexed.
    #[error(transparent)]
    Index(#[from] crate::index::Error),
    /// The experiment needs labels.
    #[error(
        "{name} has no labels, and {needs}; give them with --labels FILE, or put them beside it as {name}.labels.csv"
    )]
    NoLabels {
        /// The corpus.
        name: String,
        /// The part that needs them.
        needs: &'static str,
    },
    /// No page has the requested type.
    #[error("{name} has no page of the type `{page_type}`; the types with the most pages: {known}")]
    UnknownType {
        /// The corpus.
        name: String,
        /// The requested type.
        page_type: String,
        /// The existing types.
        known: String,
    },
    /// An example is no page.
    #[error("{url} is not in {name}, or is not an HTML page with status 200: name another example")]
    NoPage {
        /// The corpus.
        name: String,
        /// The URL of the example.
        url: String,
    },
    /// No type has enough pages.
    #[error(
        "{name} has no type of user-created content with {least} pages or more; name some with --types, or lower \
        --type-pages (the types with the most pages: {known})"
    )]
    NoTypes {
        /// The corpus.
        name: String,
        /// The minimum number of pages.
        least: u64,
        /// The existing types.
        known: String,
    },
    /// There are too few pages to sample.
    #[error("{name} has too few pages for this: {what}")]
    TooFewPages {
        /// The corpus.
        name: String,
        /// The number of pages, and the number required.
        what: String,
    },
}
