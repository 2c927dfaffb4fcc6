//! Runs of a crawl: threads, directory, state, and requests that are no pages.

pub(crate) mod crawl;
pub(crate) mod environment;
pub(crate) mod local_failures;
pub mod offline;
pub(crate) mod output;
pub(crate) mod patience;
pub(crate) mod requests;
pub(crate) mod resume;
pub(crate) mod state_writer;
pub(crate) mod subrequests;
pub(crate) mod threads;
