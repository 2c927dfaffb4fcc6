//! A crawl that is ready to run, of this library or of the program.

use harvestman_core::config::Config;
use harvestman_pipeline::{self as pipeline, Beginning, Extensions};
use harvestman_report::{Hooks, Report};

/// A crawl whose configuration is read and completed.
#[doc(hidden)]
pub struct ReadyCrawl {
    pub(crate) config: Config,
    pub(crate) beginning: Beginning,
    pub(crate) extensions: Extensions,
}

impl ReadyCrawl {
    /// A crawl of the program, which reads its configuration by itself and adds nothing to the crawl.
    pub fn of_program(config: Config, beginning: Beginning) -> Self {
        Self { config, beginning, extensions: Extensions::default() }
    }

    /// Returns the configuration.
    pub const fn config(&self) -> &Config {
        &self.config
    }

    /// Runs the crawl on the current actix system.
    ///
    /// # Errors
    /// Those of the pipeline.
    pub async fn run_here(self, hooks: Hooks) -> Result<Report, pipeline::Error> {
        pipeline::run_extended(&self.config, hooks, self.extensions, self.beginning).await
    }
}
