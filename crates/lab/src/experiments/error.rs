//! Why an experiment cannot be made with a corpus. Every text says what to do.

use crate::corpus;
use harvestman_pipeline as pipeline;

/// Why there are no results.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// There is no corpus.
    #[error(transparent)]
    Corpus(#[from] corpus::Error),
    /// A crawl could not be started.
    #[error(transparent)]
    Crawl(#[from] pipeline::Error),
    /// A store of URLs seen cannot be kept on disk.
    #[error(transparent)]
    Store(#[from] harvestman_storage::dedup::DiskError),
    /// The experiment asks the labels.
    #[error(
        "{name} has no labels, and {needs}; give them with --labels FILE, or put them beside it as {name}.labels.csv"
    )]
    NoLabels {
        /// The corpus.
        name: String,
        /// What needs them.
        needs: &'static str,
    },
    /// There is no page of a type that was asked for.
    #[error("{name} has no page of the type `{page_type}`; the types with the most pages: {known}")]
    UnknownType {
        /// The corpus.
        name: String,
        /// What was asked for.
        page_type: String,
        /// What there is.
        known: String,
    },
    /// No type has enough pages.
    #[error(
        "{name} has no type of user-created content with {least} pages or more; name some with --types, or lower \
        --type-pages (the types with the most pages: {known})"
    )]
    NoTypes {
        /// The corpus.
        name: String,
        /// How many pages were asked for.
        least: u64,
        /// What there is.
        known: String,
    },
    /// Nothing could be sampled or dealt.
    #[error("{name} has too few pages for this: {what}")]
    TooFewPages {
        /// The corpus.
        name: String,
        /// How many there are, of how many.
        what: String,
    },
}
