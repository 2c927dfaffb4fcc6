//! What a report of a crawl directory tells: figures from its files, by functions that are handed what they read.
//!
//! [`Document::of`] brings everything together. What `report.json` says is carried along untouched ([`Document::report`]), and what the
//! document shows of it is read from there, so that numbers are equal by construction.

mod account;
mod asked;
pub mod bounded;
pub mod curve;
pub mod gaps;
pub mod groups;
pub mod hosts;
pub mod line;
pub mod log;
mod merged;
mod next;
mod nodes;
pub mod site;
pub mod spread;
mod sums;
mod told;

use std::collections::BTreeMap;
use std::time::Duration;

use serde::Serialize;
use serde_json::Value;

pub use account::{Account, FateRow, Step, account};
pub use asked::{Asked, Setting, asked};
pub use merged::{Part, has_one_policy, known, merged, within};
pub use next::{Advice, quoted};
pub use nodes::{Counted, NodeFigures, Tally};
pub use told::{Entry, Told};

use super::advice::{Findings, advise};
use harvestman_core::clock::Instant;
use harvestman_policy::learned::Facts;
use log::LogFigures;
use site::Site;

/// The format of the document as JSON.
const FORMAT: u32 = 1;
/// WARC files that are named.
const FILES_TOLD: usize = 200;
/// A log that goes on for so long after the report belongs to a later run.
const LATER: Duration = Duration::from_secs(2);

/// What was read of a crawl directory.
#[derive(Debug, Default)]
pub struct Sources {
    /// The directory as it was named.
    pub directory: String,
    /// When the report is made.
    pub now: Instant,
    /// What was asked; why it cannot be told.
    pub asked: Option<Result<Asked, String>>,
    /// `report.json`.
    pub report: Option<Value>,
    /// What a running crawl says of itself.
    pub status: Option<Value>,
    /// Reports of the rounds before, by their files.
    pub earlier: Vec<(String, Value)>,
    /// The site model; why it cannot be read.
    pub facts: Option<Result<Facts, String>>,
    /// What the policy's log said last of its clusters.
    pub lesson: Option<Value>,
    /// What was told to the crawl.
    pub told: Told,
    /// What is banned, pinned and blocked.
    pub in_force: Option<Value>,
    /// The page log.
    pub log: LogFigures,
    /// WARC files with their sizes.
    pub warcs: Vec<(String, u64)>,
    /// What else is there.
    pub has: Has,
    /// What could not be read.
    pub notes: Vec<String>,
    /// What each directory did, where several were read; what is above are sums then.
    pub nodes: Vec<NodeFigures>,
}

/// What a directory has that commands need.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Has {
    /// A page log.
    pub log: bool,
    /// The state that `harvestman resume` goes on from.
    pub state: bool,
    /// A site model.
    pub model: bool,
}

/// Where the crawl stands.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "is", rename_all = "snake_case")]
pub enum Standing {
    /// It runs.
    Running {
        /// Whether it was told to rest.
        paused: bool,
    },
    /// It has ended, and said why.
    Ended {
        /// `stop_reason` of its report.
        reason: String,
    },
    /// It was killed, or its report could not be written: no report tells of its last run.
    BrokenOff,
}

/// A WARC file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Warc {
    /// Relative to the crawl directory.
    pub name: String,
    /// Bytes; none where the page log names a file that is not there.
    pub bytes: Option<u64>,
    /// Answers in it that the page log names.
    pub responses: u64,
    /// When the first of them was asked for, and the last.
    pub first: Option<String>,
    /// See there.
    pub last: Option<String>,
}

/// All of them.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Warcs {
    /// The first of them by name, which is by time.
    pub files: Vec<Warc>,
    /// How many more.
    pub more: u64,
    /// How many there are.
    pub count: u64,
    /// Bytes of all.
    pub bytes: u64,
}

/// Everything that a report tells.
#[derive(Debug, Serialize)]
pub struct Document {
    /// The format of this.
    pub format: u32,
    /// The version of Harvestman that made it.
    pub made_by: &'static str,
    /// When it was made.
    pub made: String,
    /// The crawl directory as it was named.
    pub directory: String,
    /// What each directory did, where there are several; all else is of all of them together.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub nodes: Vec<NodeFigures>,
    /// Where the crawl stands.
    pub standing: Standing,
    /// What could not be read, and what is to be known of the figures.
    pub notes: Vec<String>,
    /// What was asked.
    pub asked: Asked,
    /// `report.json` as it is, or nothing. Of several directories, the sums of theirs.
    pub report: Option<Value>,
    /// What the running crawl says of itself.
    pub status: Option<Value>,
    /// Rounds before: their reports.
    pub earlier: Vec<(String, Value)>,
    /// The account of all links.
    pub account: Option<Account>,
    /// What the page log says.
    pub log: LogFigures,
    /// Kinds of pages.
    pub site: Site,
    /// What went wrong and what to do about it.
    pub advice: Vec<String>,
    /// The shortest delay that was asked for, as far as that is known, milliseconds.
    pub delay_ms: Option<u64>,
    /// What somebody told the crawl.
    pub told: Told,
    /// What holds of it.
    pub in_force: Option<Value>,
    /// The archive.
    pub warcs: Warcs,
    /// What there is.
    pub has: Has,
    /// Commands to copy.
    pub next: Vec<Advice>,
}

impl Document {
    /// Brings together what was read.
    pub fn of(sources: Sources) -> Self {
        let mut notes = sources.notes;
        let facts = match sources.facts {
            Some(Err(why)) => {
                notes.push(format!("The site model is left out: {why}"));
                None
            }
            Some(Ok(facts)) => Some(facts),
            None => None,
        };
        let asked = match sources.asked {
            Some(Ok(asked)) => asked,
            Some(Err(why)) => {
                notes.push(format!("config.toml cannot be read, so that little is known of what was asked: {why}"));
                Asked::default()
            }
            None => {
                notes.push("There is no config.toml, so that little is known of what was asked.".to_owned());
                Asked::default()
            }
        };
        let standing = standing(sources.status.as_ref(), sources.report.as_ref(), &sources.log);
        let delay_ms = sources.told.least_delay_ms.into_iter().chain(asked.delay_ms).min();
        let site = site::site(facts.as_ref(), sources.lesson.as_ref(), &sources.log);
        let warcs = warcs(&sources.warcs, &sources.log);
        let mut document = Self {
            format: FORMAT,
            made_by: env!("CARGO_PKG_VERSION"),
            made: sources.now.timestamp().to_string(),
            directory: sources.directory,
            nodes: sources.nodes,
            standing,
            notes,
            asked,
            report: sources.report,
            status: sources.status,
            earlier: sources.earlier,
            account: None,
            log: sources.log,
            site,
            advice: Vec::new(),
            delay_ms,
            told: sources.told,
            in_force: sources.in_force,
            warcs,
            has: sources.has,
            next: Vec::new(),
        };
        document.conclude();
        document
    }

    fn conclude(&mut self) {
        self.account = self.source().and_then(|(_, figures)| account(figures));
        self.advice = self.source().map(|(_, figures)| advise(&findings(figures))).unwrap_or_default();
        self.notes.extend(remarks(self));
        self.next = if self.nodes.is_empty() { next::next(self) } else { next::of_several(self) };
    }

    /// Where the crawl's own figures are, and they: of a running crawl what it says of itself, else its report, even if that tells of
    /// an earlier run.
    pub fn source(&self) -> Option<(&'static str, &Value)> {
        let status = self.status.as_ref().map(|status| ("status", status));
        status.or_else(|| Some(("report", self.report.as_ref()?)))
    }

    /// One of the crawl's own counts.
    pub fn figure(&self, name: &str) -> Option<u64> {
        self.source()?.1.get(name)?.as_u64()
    }

    /// Whether the report there is tells of an earlier run.
    pub fn is_report_stale(&self) -> bool {
        self.standing == Standing::BrokenOff && self.report.is_some() && self.nodes.is_empty()
    }
}

fn standing(status: Option<&Value>, report: Option<&Value>, log: &LogFigures) -> Standing {
    if let Some(status) = status {
        return Standing::Running { paused: status["paused"] == true };
    }
    let time = |text: Option<&str>| text.and_then(line::instant);
    let reason = report.and_then(|report| report.get("stop_reason")?.as_str());
    let ended = time(report.and_then(|report| report.get("ended")?.as_str()));
    let goes_on = ended.zip(time(log.last.as_deref())).is_some_and(|(ended, last)| last > ended + LATER);
    match reason {
        Some(reason) if !goes_on => Standing::Ended { reason: reason.to_owned() },
        _ => Standing::BrokenOff,
    }
}

/// What advice goes by, of a report or a status.
fn findings(figures: &Value) -> Findings<'_> {
    let count = |at: &Value, name: &str| at.get(name).and_then(Value::as_u64).unwrap_or(0);
    let troubles = figures["troubles"].as_array().into_iter().flatten();
    let trouble = |at: &'_ Value| (count(at, "requests"), count(at, "failed"));
    let troubles = troubles.filter_map(|at| {
        let (requests, failed) = trouble(at);
        Some((at.get("host")?.as_str()?, requests, failed, at.get("reason")?.as_str()?))
    });
    let errors = figures["errors"].as_object().into_iter().flatten();
    let of_fate = |fate: &str| match figures["fates"].get(fate) {
        Some(Value::Object(reasons)) => reasons.values().filter_map(Value::as_u64).sum(),
        Some(counted) => counted.as_u64().unwrap_or(0),
        None => 0,
    };
    let fleet = &figures["fleet"];
    let elsewhere = fleet["was_over"] == true || count(fleet, "pages_of_others") > 0;
    Findings {
        stop_reason: figures["stop_reason"].as_str().unwrap_or_default(),
        requests: count(figures, "requests"),
        troubles: troubles.collect(),
        errors: errors.filter_map(|(reason, count)| Some((reason.as_str(), count.as_u64()?))).collect(),
        has_nothing: figures["pages"].as_u64() == Some(0) && of_fate("not_modified") == 0 && !elsewhere,
        kept_back: (of_fate("robots"), of_fate("out_of_scope")),
    }
}

/// What is to be known of the figures.
fn remarks(document: &Document) -> Vec<String> {
    let mut remarks = Vec::new();
    let log = &document.log;
    // Of several, each is told of by itself.
    if log.damaged > 0 && document.nodes.is_empty() {
        let first = log.first_damaged.unwrap_or(0);
        remarks.push(format!(
            "{} of {} lines of the page log cannot be read (the first is line {first}); what they said is missing here.",
            log.damaged,
            log.damaged + log.lines
        ));
    }
    if !document.has.log {
        remarks.push(
            "There is no page log (pages.jsonl), so that curves, groups of pages and hosts are missing.".to_owned(),
        );
    }
    if document.is_report_stale() {
        let ended = document.report.as_ref().and_then(|report| report["ended"].as_str()).unwrap_or_default();
        remarks.push(format!(
            "report.json is of {ended}; the page log goes on after that: a later run has written no report. Figures of the report are older \
             than those of the log."
        ));
    }
    if let Some(account) = document.account.as_ref().filter(|account| !account.adds_up) {
        remarks.push(format!(
            "The fates add up to {}, but {} links are said to have been discovered: please report this as a fault.",
            account.sum, account.discovered
        ));
    }
    if document.told.damaged > 0 {
        remarks.push(format!("{} lines of control.jsonl cannot be read.", document.told.damaged));
    }
    remarks
}

fn warcs(there: &[(String, u64)], log: &LogFigures) -> Warcs {
    let mut all: BTreeMap<&str, Option<u64>> = log.files.keys().map(|name| (name.as_str(), None)).collect();
    all.extend(there.iter().map(|(name, bytes)| (name.as_str(), Some(*bytes))));
    let (count, bytes) = (all.len() as u64, all.values().flatten().sum());
    let text = |at: Option<Instant>| at.map(|at| at.timestamp().to_string());
    let files = all.into_iter().take(FILES_TOLD).map(|(name, bytes)| {
        let said = log.files.get(name).cloned().unwrap_or_default();
        Warc { name: name.to_owned(), bytes, responses: said.responses, first: text(said.first), last: text(said.last) }
    });
    let files: Vec<Warc> = files.collect();
    Warcs { more: count - files.len() as u64, files, count, bytes }
}

#[cfg(test)]
mod tests;
