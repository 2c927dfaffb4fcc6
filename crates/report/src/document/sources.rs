//! The input of a document: what was read of a crawl directory, or of several.

use serde::Serialize;

use super::log::LogFigures;
use super::own_figures::Totals;
use crate::sections::commands::{ControlLog, InForceFile};
use crate::sections::configuration::Configuration;
use crate::sections::nodes::NodeFigures;
use crate::sections::posts::PostFigures;
use crate::{CrawlStatus, Report};
use harvestman_core::clock::Instant;
use harvestman_policy::learned::Facts;

/// What was read of a crawl directory, or of several as one.
#[derive(Debug, Default)]
pub struct Sources {
    /// The directory as it was named.
    pub directory: String,
    /// When the document is made.
    pub now: Instant,
    /// `config.toml`; the error if it cannot be read.
    pub configuration: Option<Result<Configuration, String>>,
    /// `report.json`.
    pub report: Option<Report>,
    /// The snapshot of the running crawl.
    pub status: Option<CrawlStatus>,
    /// The sums of several directories or sessions, in place of `report` and `status`.
    pub totals: Option<Totals>,
    /// The reports of earlier rounds or sessions, with the names of their files.
    pub earlier: Vec<(String, Report)>,
    /// The facts of the site model; the error if it cannot be read.
    pub facts: Option<Result<Facts, String>>,
    /// Whether the policy log describes the site's clusters.
    pub has_logged_clusters: bool,
    /// The commands given while the crawl ran.
    pub control: ControlLog,
    /// The settings, bans, pins and blocks in force.
    pub in_force: Option<InForceFile>,
    /// The figures of the page log.
    pub log: LogFigures,
    /// The figures of the posts; `None` if none were written.
    pub posts: Option<PostFigures>,
    /// The WARC files with their sizes in bytes.
    pub warcs: Vec<(String, u64)>,
    /// Which other files exist.
    pub has: Has,
    /// What could not be read.
    pub notes: Vec<String>,
    /// The figures of each directory, if several were read.
    pub nodes: Vec<NodeFigures>,
}

/// Files of the directory that commands need.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Has {
    /// A page log.
    pub log: bool,
    /// The state from which `harvestman resume` continues.
    pub state: bool,
    /// A site model.
    pub model: bool,
}

impl Has {
    /// Returns the files that one or the other directory has.
    #[must_use]
    pub const fn or(self, other: Self) -> Self {
        Self { log: self.log || other.log, state: self.state || other.state, model: self.model || other.model }
    }
}
