//! Why a crawl could not be run, or ended early.

use std::fmt;

use super::Report;
use harvestman_pipeline::Error as PipelineError;

/// Why a crawl could not be run, or why it ended early. The messages are those of the program `harvestman`.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A seed, a setting or the output directory cannot be used. Nothing was done.
    #[error("{0}")]
    Usage(String),
    /// The output could not be opened, read or written.
    #[error("{0}")]
    Output(String),
    /// A sink, the policy or a filter of this program failed, which ended the crawl. Its files are complete, and it can
    /// be resumed.
    #[error(transparent)]
    Extension(Box<ExtensionFailure>),
    /// A bug in Harvestman.
    #[error("{0}")]
    Internal(String),
}

/// A failure of a sink, the policy or a filter that ended a crawl.
#[derive(Debug)]
pub struct ExtensionFailure {
    pub(crate) report: Report,
}

impl ExtensionFailure {
    /// The report of the crawl, whose [`Report::errors_of_extensions`] say what failed.
    pub const fn report(&self) -> &Report {
        &self.report
    }
}

impl fmt::Display for ExtensionFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the crawl ended early")?;
        let errors = self.report.errors_of_extensions();
        errors.iter().try_for_each(|error| write!(f, "; {} failed: {}", error.part(), error.message()))
    }
}

impl std::error::Error for ExtensionFailure {}

impl Error {
    /// The error of a crawl that could not be run.
    pub(crate) fn of_pipeline(error: PipelineError) -> Self {
        let text = error.to_string();
        match error {
            error if error.is_usage() => Self::Usage(text),
            PipelineError::Internal(_) | PipelineError::EndlessPage(_) => Self::Internal(text),
            _ => Self::Output(text),
        }
    }
}
