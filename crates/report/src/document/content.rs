//! The document: all that a report of a crawl directory contains.

use serde::Serialize;

use super::log::LogFigures;
use super::own_figures::{OwnFigures, Totals};
use super::sources::Has;
use super::state::CrawlState;
use crate::render::block::NextStep;
use crate::sections::archive::Warcs;
use crate::sections::commands::{ControlLog, InForceFile};
use crate::sections::configuration::Configuration;
use crate::sections::fates::Account;
use crate::sections::nodes::NodeFigures;
use crate::sections::page_types::Site;
use crate::sections::posts::PostFigures;
use crate::{CrawlStatus, Report};

/// All that a report contains. The fields of `full-report.json`.
#[derive(Debug, Serialize)]
pub struct Document {
    /// The version of this format.
    pub format: u32,
    /// The version of Harvestman that made it.
    pub made_by: &'static str,
    /// When it was made.
    pub made: String,
    /// The crawl directory as it was named.
    pub directory: String,
    /// The figures of each directory, if there are several; all else is of all of them together.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub nodes: Vec<NodeFigures>,
    /// The state of the crawl.
    #[serde(rename = "standing")]
    pub state: CrawlState,
    /// What could not be read, and remarks on the figures.
    pub notes: Vec<String>,
    /// The configuration.
    #[serde(rename = "asked")]
    pub configuration: Configuration,
    /// `report.json`, or the sums of several.
    pub report: Option<OneOrSum<Report>>,
    /// The snapshot of the running crawl, or the sums of several.
    pub status: Option<OneOrSum<CrawlStatus>>,
    /// The reports of earlier rounds, with the names of their files.
    pub earlier: Vec<(String, Report)>,
    /// The account of all links.
    pub account: Option<Account>,
    /// The figures of the page log.
    pub log: LogFigures,
    /// The page types of the site.
    pub site: Site,
    /// What went wrong, and the remedies.
    pub advice: Vec<String>,
    /// The shortest delay that was configured or set, in milliseconds; `None` if unknown.
    pub delay_ms: Option<u64>,
    /// The commands given while the crawl ran.
    #[serde(rename = "told")]
    pub control: ControlLog,
    /// The settings, bans, pins and blocks in force.
    pub in_force: Option<InForceFile>,
    /// The figures of the posts, if posts were written.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub posts: Option<PostFigures>,
    /// The WARC files.
    pub warcs: Warcs,
    /// Which files exist.
    pub has: Has,
    /// Commands for what can be done next.
    pub next: Vec<NextStep>,
}

/// The figures of one session, or the sums of several. Both are written as they are.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(untagged)]
pub enum OneOrSum<T> {
    /// Those of one session.
    One(Box<T>),
    /// Sums.
    Sum(Box<Totals>),
}

impl<T> OneOrSum<T> {
    /// The figures.
    fn figures<'a>(&'a self) -> OwnFigures<'a>
    where
        OwnFigures<'a>: From<&'a T>,
    {
        match self {
            Self::One(one) => one.as_ref().into(),
            Self::Sum(sum) => sum.as_ref().into(),
        }
    }
}

impl Document {
    /// Returns the crawl's own figures: of a running crawl its snapshot, otherwise its report, even if that is of an
    /// earlier run.
    pub fn own(&self) -> Option<OwnFigures<'_>> {
        let status = self.status.as_ref().map(OneOrSum::figures);
        status.or_else(|| Some(self.report.as_ref()?.figures()))
    }

    /// Returns `report.json`; `None` if there is none, or if several were added up.
    pub fn last_report(&self) -> Option<&Report> {
        match self.report.as_ref()? {
            OneOrSum::One(report) => Some(report),
            OneOrSum::Sum(_) => None,
        }
    }

    /// Returns whether the report is of an earlier run.
    pub fn is_report_stale(&self) -> bool {
        self.state == CrawlState::BrokenOff && self.report.is_some() && self.nodes.is_empty()
    }
}
