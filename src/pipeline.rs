//! Wires all stages.

use std::path::PathBuf;

use crate::config::Config;
use crate::report::{Hooks, Report};

/// Why a crawl could not be run, or not to its end.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// None of the seeds can be crawled.
    #[error("no usable seed: {reason}")]
    NoUsableSeed {
        /// What is wrong with them.
        reason: String,
    },
    /// The crawl directory cannot be used.
    #[error("cannot use {} as the output directory: {reason}", path.display())]
    OutputDirectory {
        /// The directory.
        path: PathBuf,
        /// What is wrong with it, and what to do.
        reason: String,
    },
    /// The output could not be written, for instance because the disk is full. What was written before is whole.
    #[error("cannot write {}: {source}", path.display())]
    Archive {
        /// The file.
        path: PathBuf,
        /// Why not.
        source: std::io::Error,
    },
    /// A fault of Harvestman.
    #[error("internal fault: {0}; please report it with the log")]
    Internal(String),
}

/// Crawls as `config` says, until the frontier is empty, a budget is used up or `hooks.stop` is raised.
pub async fn run(_config: &Config, _hooks: Hooks) -> Result<Report, Error> {
    Err(Error::Internal("the stages are not wired yet".to_owned()))
}
