//! The closing report: `report.json` in the crawl directory.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;
use std::time::Duration;

use serde::Serialize;

use super::status::{fates, per_second, seconds};
use super::{CrawlStatus, RecrawlFigures, SeenFigures, Usage};
use harvestman_core::clock::Instant;
use harvestman_core::model::{Fate, Fates, TrapRecord};
use harvestman_stages::frontier::Outlook;

/// Why a crawl ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum StopReason {
    /// Nothing was left to fetch.
    FrontierEmpty,
    /// `budget.pages` was reached.
    PagesBudget,
    /// `budget.bytes` was reached.
    BytesBudget,
    /// `budget.time` was reached.
    TimeBudget,
    /// `budget.requests` was reached.
    RequestsBudget,
    /// The next requests were expected to bring less than `budget.early_stop`.
    LowYield,
    /// Somebody asked the crawl to stop.
    Interrupted,
    /// The archive or the page log could not be written.
    ArchiveError,
    /// The set of URLs seen could not be kept on disk.
    DedupError,
    /// The state of the crawl could not be written.
    StateError,
}

impl StopReason {
    /// All of them.
    pub const ALL: [Self; 10] = [
        Self::FrontierEmpty,
        Self::PagesBudget,
        Self::BytesBudget,
        Self::TimeBudget,
        Self::RequestsBudget,
        Self::LowYield,
        Self::Interrupted,
        Self::ArchiveError,
        Self::DedupError,
        Self::StateError,
    ];

    /// Its name in `report.json`.
    pub const fn label(self) -> &'static str {
        match self {
            Self::FrontierEmpty => "frontier_empty",
            Self::PagesBudget => "pages_budget",
            Self::BytesBudget => "bytes_budget",
            Self::TimeBudget => "time_budget",
            Self::RequestsBudget => "requests_budget",
            Self::LowYield => "low_yield",
            Self::Interrupted => "interrupted",
            Self::ArchiveError => "archive_error",
            Self::DedupError => "dedup_error",
            Self::StateError => "state_error",
        }
    }

    /// The reason with this name.
    pub fn of_label(label: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|reason| reason.label() == label)
    }

    /// The reason in words.
    pub const fn describe(self) -> &'static str {
        match self {
            Self::FrontierEmpty => "nothing was left to fetch",
            Self::PagesBudget => "the page budget is used up",
            Self::BytesBudget => "the byte budget is used up",
            Self::TimeBudget => "the time budget is used up",
            Self::RequestsBudget => "the request budget is used up",
            Self::LowYield => "too little was expected of further requests",
            Self::Interrupted => "it was interrupted",
            Self::ArchiveError => "the output could not be written",
            Self::DedupError => "the URLs seen could not be kept on disk",
            Self::StateError => "the state of the crawl could not be written",
        }
    }
}

/// A host that answered (nearly) nothing, for advice.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct HostTrouble {
    /// Scheme and authority.
    pub host: String,
    /// Requests made to it.
    pub requests: u64,
    /// Requests among them that failed for this reason.
    pub failed: u64,
    /// The most frequent reason ([`harvestman_core::model::Failure::label`]).
    pub reason: &'static str,
}

/// The fleet that a node was part of, as it knew it last.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct FleetFigures {
    /// The fleet's crawl.
    pub crawl: String,
    /// The node.
    pub node: String,
    /// Pages that the sessions of other nodes had fetched.
    pub pages_of_others: u64,
    /// Whether nothing was left to fetch when the node came.
    pub was_over: bool,
}

/// What is known of a run besides its counts.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Run {
    /// The version of Harvestman.
    pub version: &'static str,
    /// The seed URLs, canonical.
    pub seeds: Vec<String>,
    /// Where random draws started; give it as `crawl.seed` to repeat the run.
    pub seed: u64,
    /// The file that holds the effective configuration, relative to the crawl directory.
    pub config: Option<String>,
    /// The WARC files, relative to the crawl directory.
    pub warc_files: Vec<String>,
    /// Hosts that answered (nearly) nothing, the worst first; at most ten.
    pub troubles: Vec<HostTrouble>,
    /// The set of URLs seen.
    pub dedup: Option<SeenFigures>,
    /// The fleet; of such that a node was part of.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fleet: Option<FleetFigures>,
}

/// What came of a crawl.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Report {
    /// What the crawl was.
    #[serde(flatten)]
    pub run: Run,
    /// When it started (RFC 3339).
    pub started: String,
    /// When it ended (RFC 3339).
    pub ended: String,
    /// Why it ended.
    pub stop_reason: StopReason,
    /// How long it took.
    #[serde(rename = "wall_seconds", serialize_with = "seconds")]
    pub wall: Duration,
    /// Processor time, user and system, of all threads.
    pub cpu_seconds: Option<f64>,
    /// The most memory that was resident at one time.
    pub peak_memory_bytes: Option<u64>,
    /// Pages fetched with success.
    pub pages: u64,
    /// Bytes of bodies received.
    pub bytes: u64,
    /// Requests made, those for robots.txt and retries included.
    pub requests: u64,
    /// Hosts met.
    pub hosts: u64,
    /// Visits to pages that were known before, in a recrawl.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub recrawl: Option<RecrawlFigures>,
    /// Links discovered, seeds included; the sum of `fates`.
    pub discovered: u64,
    /// What became of them.
    #[serde(serialize_with = "fates")]
    pub fates: Fates,
    /// Answers by status.
    pub statuses: BTreeMap<u16, u64>,
    /// Requests that failed, each try counted, by reason.
    pub errors: BTreeMap<&'static str, u64>,
    /// Forms of address that grew without bringing anything new, or brought nothing, with what was done about them, the strictest
    /// first; at most fifty.
    pub traps: Vec<TrapRecord>,
    /// What was last expected of the next requests, where the policy estimates that.
    pub outlook: Option<Outlook>,
    /// Pages a second of wall time.
    pub pages_per_second: f64,
    /// Pages a second of processor time.
    pub pages_per_cpu_second: Option<f64>,
}

impl Report {
    /// The report of a crawl that ran from `started` to `ended`, whose last snapshot is `status` (with everything still in the
    /// frontier counted as [`harvestman_core::model::Fate::Queued`]) and that used `usage`.
    pub fn new(run: Run, status: CrawlStatus, stop_reason: StopReason, span: (Instant, Instant), usage: Usage) -> Self {
        let (started, ended) = span;
        let wall = ended.since(started);
        let per_cpu = |cpu: f64| per_second(status.pages, Duration::try_from_secs_f64(cpu).unwrap_or_default());
        Self {
            run: Run { version: env!("CARGO_PKG_VERSION"), ..run },
            started: started.timestamp().to_string(),
            ended: ended.timestamp().to_string(),
            stop_reason,
            wall,
            cpu_seconds: usage.cpu_seconds,
            peak_memory_bytes: usage.peak_memory_bytes,
            pages: status.pages,
            bytes: status.bytes,
            requests: status.requests,
            hosts: status.hosts,
            recrawl: status.recrawl,
            discovered: status.discovered,
            pages_per_second: rounded(per_second(status.pages, wall)),
            pages_per_cpu_second: usage.cpu_seconds.map(per_cpu).map(rounded),
            fates: status.fates,
            statuses: status.statuses,
            errors: status.errors,
            traps: status.traps,
            outlook: status.outlook,
        }
    }

    /// Whether no page could be had: none was fetched, not by other nodes of a fleet either, and of none it was said that it is as it was.
    pub fn has_nothing(&self) -> bool {
        let elsewhere = self.run.fleet.as_ref().is_some_and(|fleet| fleet.was_over || fleet.pages_of_others > 0);
        self.pages == 0 && self.fates.of(Fate::NotModified) == 0 && !elsewhere
    }

    /// Writes the report as JSON to `path`, whole or not at all: to a file beside it that then takes its name.
    pub fn write(&self, path: &Path) -> io::Result<()> {
        let unfinished = path.with_extension("json.tmp");
        let written = self.write_to(&unfinished).and_then(|()| std::fs::rename(&unfinished, path));
        if written.is_err() {
            // Half a report is of no use to anybody; where it cannot be removed, the error says enough.
            let _ = std::fs::remove_file(&unfinished);
        }
        written
    }

    fn write_to(&self, path: &Path) -> io::Result<()> {
        let mut file = BufWriter::new(File::create(path)?);
        serde_json::to_writer_pretty(&mut file, self)?;
        file.write_all(b"\n")?;
        file.into_inner().map_err(io::IntoInnerError::into_error)?.sync_all()
    }
}

fn rounded(rate: f64) -> f64 {
    (rate * 100.0).round() / 100.0
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use harvestman_core::model::Failure;

    pub fn report() -> Report {
        let mut status =
            CrawlStatus { pages: 30, bytes: 4_096, requests: 33, hosts: 1, discovered: 32, ..CrawlStatus::default() };
        status.errors.insert("tls", 1);
        status.fates.add(Fate::Fetched, 30);
        status.fates.add(Fate::Failed(Failure::Tls), 2);
        status.statuses.insert(200, 30);
        let run = Run { seeds: vec!["https://example.org/".into()], seed: 7, ..Run::default() };
        let span = (Instant::from_micros(1_000_000), Instant::from_micros(11_000_000));
        let usage = Usage { cpu_seconds: Some(1.5), peak_memory_bytes: Some(1 << 20) };
        Report::new(run, status, StopReason::FrontierEmpty, span, usage)
    }

    #[test]
    fn the_report_is_json_with_the_sums_that_the_accounting_needs() {
        let json = serde_json::to_value(report()).unwrap();
        assert_eq!(json["discovered"], 32);
        assert_eq!(json["fates"], serde_json::json!({"fetched": 30, "failed": {"tls": 2}}));
        assert_eq!((&json["wall_seconds"], &json["cpu_seconds"]), (&10.0.into(), &1.5.into()));
        assert_eq!((&json["pages_per_second"], &json["pages_per_cpu_second"]), (&3.0.into(), &20.0.into()));
        assert_eq!(json["started"], "1970-01-01T00:00:01Z");
        assert_eq!(json["stop_reason"], "frontier_empty");
        assert_eq!(json["statuses"], serde_json::json!({"200": 30}));
        assert_eq!((&json["seed"], &json["version"]), (&7.into(), &env!("CARGO_PKG_VERSION").into()));
    }

    #[test]
    fn a_node_without_a_page_has_nothing_only_where_the_others_of_its_fleet_have_nothing_either() {
        let with = |pages_of_others, was_over| {
            let fleet = FleetFigures { pages_of_others, was_over, ..FleetFigures::default() };
            let run = Run { fleet: Some(fleet), ..Run::default() };
            Report { run, pages: 0, ..report() }.has_nothing()
        };
        assert_eq!([with(0, false), with(1, false), with(0, true)], [true, false, false]);
        assert!(Report { pages: 0, ..report() }.has_nothing());
        assert!(serde_json::to_value(report()).unwrap().get("fleet").is_none());
    }

    #[test]
    fn reasons_are_named_as_they_are_written() {
        for reason in StopReason::ALL {
            assert_eq!(serde_json::to_value(reason).unwrap(), reason.label());
            assert_eq!(StopReason::of_label(reason.label()), Some(reason));
        }
    }

    #[test]
    fn a_written_report_is_whole_and_leaves_nothing_beside_it() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("report.json");
        report().write(&path).unwrap();
        let read: serde_json::Value = serde_json::from_slice(&std::fs::read(&path).unwrap()).unwrap();
        assert_eq!(read, serde_json::to_value(report()).unwrap());
        assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 1);
    }

    #[test]
    fn a_report_that_cannot_be_written_is_an_error() {
        assert!(report().write(Path::new("/nonexistent/report.json")).is_err());
    }
}
