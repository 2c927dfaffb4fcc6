//! The inputs that a crawl is built from.

use std::path::Path;

use crate::error::Error;
use crate::extensions::Extensions;
use crate::run::environment::Environment;
use crate::run::resume::Start;
use harvestman_core::clock::Clock;
use harvestman_core::config::Config;
use harvestman_core::seed::Seed;
use harvestman_report::Hooks;

/// The inputs that a crawl is built from.
pub(crate) struct CrawlBuilder<'a> {
    pub(crate) config: &'a Config,
    pub(crate) hooks: &'a Hooks,
    pub(crate) extensions: &'a Extensions,
    pub(crate) clock: Clock,
    pub(crate) seed: Seed,
    /// Prepares the crawl directory.
    pub(crate) start: fn(&Path) -> Result<Start, Error>,
    pub(crate) environment: &'a dyn Environment,
}
