//! The closing report: `report.json` in the crawl directory.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::io::{self, BufWriter, Write};
use std::path::Path;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::status::per_second;
use super::{CrawlStatus, DedupStats, ExtensionError, RecrawlFigures, StopReason, Usage, seconds};
use harvestman_core::clock::Instant;
use harvestman_core::crawl_file;
use harvestman_core::model::{Failure, Fate, FateTable, RenderingSummary, SearchRecord, TrapRecord};
use harvestman_stages::frontier::YieldForecast;
use harvestman_stages::host::CappedDelay;

/// A host of which nine in ten requests or more failed, for advice.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct HostTrouble {
    /// Scheme and authority.
    pub host: String,
    /// Requests made to it.
    pub requests: u64,
    /// Requests that failed, for any reason.
    pub failed: u64,
    /// The most frequent reason ([`harvestman_core::model::Failure::label`]).
    pub reason: Cow<'static, str>,
}

/// The fleet that a node was part of, as the node last saw it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct FleetFigures {
    /// The name of the fleet's crawl.
    pub crawl: String,
    /// The name of the node.
    pub node: String,
    /// Pages fetched by the sessions of other nodes.
    pub pages_of_others: u64,
    /// Whether nothing was left to fetch when the node joined.
    pub was_over: bool,
}

/// What describes a run apart from its counts; the first fields of a [`Report`].
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Run {
    /// The seed URLs, canonical.
    pub seeds: Vec<String>,
    /// The random seed; set `crawl.seed` to it to repeat the run.
    pub seed: u64,
    /// The file that holds the effective configuration, relative to the crawl directory.
    pub config: Option<String>,
    /// The WARC files, relative to the crawl directory.
    pub warc_files: Vec<String>,
    /// Hosts of which nine in ten requests or more failed, the worst first; at most ten.
    pub troubles: Vec<HostTrouble>,
    /// Hosts whose `Crawl-delay` is capped by `robots.crawl_delay_max`.
    pub crawl_delays_capped_hosts: u64,
    /// Those of them that ask for the longest delays, the longest first; at most twenty.
    pub crawl_delays_capped: Vec<CappedDelay>,
    /// The set of URLs seen.
    pub dedup: Option<DedupStats>,
    /// What was learned of rendering, if pages may be rendered; the twenty classes with the most pages.
    pub rendering: Option<RenderingSummary>,
    /// The fleet, if this was a node of one.
    pub fleet: Option<FleetFigures>,
    /// What failed of the code that the embedding program added.
    pub extension_errors: Vec<ExtensionError>,
}

/// The closing report of a crawl.
///
/// Reading restores what was written. Fields that a file lacks have their defaults; unknown fields are ignored.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Report {
    /// The version of Harvestman.
    pub version: Cow<'static, str>,
    /// The seed URLs, canonical.
    pub seeds: Vec<String>,
    /// The random seed ([`Run::seed`]).
    pub seed: u64,
    /// The file that holds the effective configuration, relative to the crawl directory.
    pub config: Option<String>,
    /// The WARC files, relative to the crawl directory.
    pub warc_files: Vec<String>,
    /// Hosts of which nine in ten requests or more failed, the worst first; at most ten.
    pub troubles: Vec<HostTrouble>,
    /// Hosts whose `Crawl-delay` is capped by `robots.crawl_delay_max`.
    #[serde(skip_serializing_if = "is_zero")]
    pub crawl_delays_capped_hosts: u64,
    /// Those of them that ask for the longest delays, the longest first; at most twenty.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub crawl_delays_capped: Vec<CappedDelay>,
    /// The set of URLs seen.
    pub dedup: Option<DedupStats>,
    /// What was learned of rendering, if pages may be rendered; the twenty classes with the most pages.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rendering: Option<RenderingSummary>,
    /// The fleet, if this was a node of one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fleet: Option<FleetFigures>,
    /// What failed of the code that the embedding program added.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub extension_errors: Vec<ExtensionError>,
    /// When it started (RFC 3339).
    pub started: String,
    /// When it ended (RFC 3339).
    pub ended: String,
    /// Why it ended.
    pub stop_reason: StopReason,
    /// Wall time, in seconds.
    #[serde(rename = "wall_seconds", with = "seconds")]
    pub wall: Duration,
    /// CPU time, user and system, of all threads.
    pub cpu_seconds: Option<f64>,
    /// Peak resident memory.
    pub peak_memory_bytes: Option<u64>,
    /// Pages fetched with success.
    pub pages: u64,
    /// Bytes of bodies received.
    pub bytes: u64,
    /// Requests sent, including retries and requests for robots.txt and sitemaps.
    pub requests: u64,
    /// Hosts contacted or known from links.
    pub hosts: u64,
    /// Visits to known pages, in a recrawl.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub recrawl: Option<RecrawlFigures>,
    /// Links discovered, seeds included; the sum of `fates`.
    pub discovered: u64,
    /// The fates of these links.
    pub fates: FateTable,
    /// Responses by status.
    pub statuses: BTreeMap<u16, u64>,
    /// Failed requests by reason; every attempt counts.
    pub errors: BTreeMap<Cow<'static, str>, u64>,
    /// URL patterns that grew without bringing anything new, or brought nothing, with the measure taken; the strictest
    /// first, at most fifty.
    pub traps: Vec<TrapRecord>,
    /// Pages that were wanted and new when they came, where the policy tells pages apart.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub wanted: Option<u64>,
    /// What searches have found, where the crawl has any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub searches: Option<SearchRecord>,
    /// The last yield forecast, where the policy makes one.
    pub outlook: Option<YieldForecast>,
    /// Pages per second of wall time.
    pub pages_per_second: f64,
    /// Pages per second of CPU time.
    pub pages_per_cpu_second: Option<f64>,
}

impl Report {
    /// Makes the report of a crawl that ran from `started` to `ended` and used `usage`. `status` is its last snapshot,
    /// with all that is left in the frontier counted as [`Fate::Queued`].
    pub fn new(
        run: Run,
        status: CrawlStatus,
        stop_reason: StopReason,
        started: Instant,
        ended: Instant,
        usage: Usage,
    ) -> Self {
        let wall = ended.since(started);
        let per_cpu = |cpu: f64| per_second(status.pages, Duration::try_from_secs_f64(cpu).unwrap_or_default());
        Self {
            version: Cow::Borrowed(env!("CARGO_PKG_VERSION")),
            seeds: run.seeds,
            seed: run.seed,
            config: run.config,
            warc_files: run.warc_files,
            troubles: run.troubles,
            crawl_delays_capped_hosts: run.crawl_delays_capped_hosts,
            crawl_delays_capped: run.crawl_delays_capped,
            dedup: run.dedup,
            rendering: run.rendering,
            fleet: run.fleet,
            extension_errors: run.extension_errors,
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
            wanted: status.wanted,
            searches: status.searches,
            outlook: status.outlook,
        }
    }

    /// Returns whether no page could be fetched: neither by this crawl nor by other nodes of its fleet, and no known
    /// page was found unchanged.
    pub fn has_nothing(&self) -> bool {
        has_nothing(self.pages, &self.fates, self.fleet.as_ref())
    }

    /// Returns whether URLs are left that a further run would fetch.
    pub fn leaves_some(&self) -> bool {
        self.stop_reason != StopReason::FrontierEmpty || self.fates.of(Fate::Failed(Failure::WaitOver)) > 0
    }

    /// Writes the report as JSON to `path`. The file is replaced as a whole or not at all: the text is first written to
    /// a file beside it.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn write(&self, path: &Path) -> io::Result<()> {
        let unfinished = path.with_extension("json.tmp");
        let written = self.write_to(&unfinished).and_then(|()| std::fs::rename(&unfinished, path));
        if written.is_err() {
            // A partial report is of no use. If it cannot be removed either, the first error says enough.
            let _ = std::fs::remove_file(&unfinished);
        }
        written
    }

    fn write_to(&self, path: &Path) -> io::Result<()> {
        let mut file = BufWriter::new(crawl_file::create(path)?);
        serde_json::to_writer_pretty(&mut file, self)?;
        file.write_all(b"\n")?;
        file.into_inner().map_err(io::IntoInnerError::into_error)?.sync_all()
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it with a reference")]
pub(crate) const fn is_zero(count: &u64) -> bool {
    *count == 0
}

/// See [`Report::has_nothing`].
pub(crate) fn has_nothing(pages: u64, fates: &FateTable, fleet: Option<&FleetFigures>) -> bool {
    let elsewhere = fleet.is_some_and(|fleet| fleet.was_over || fleet.pages_of_others > 0);
    pages == 0 && fates.of(Fate::NotModified) == 0 && !elsewhere
}

/// Rounds a rate to two decimals.
pub(crate) fn rounded(rate: f64) -> f64 {
    (rate * 100.0).round() / 100.0
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use harvestman_core::model::Failure;

    pub fn report() -> Report {
        let mut status =
            CrawlStatus { pages: 30, bytes: 4_096, requests: 33, hosts: 1, discovered: 32, ..CrawlStatus::default() };
        status.errors.insert("tls".into(), 1);
        status.fates.add(Fate::Fetched, 30);
        status.fates.add(Fate::Failed(Failure::Tls), 2);
        status.statuses.insert(200, 30);
        let run = Run { seeds: vec!["https://example.org/".into()], seed: 7, ..Run::default() };
        let (started, ended) = (Instant::from_micros(1_000_000), Instant::from_micros(11_000_000));
        let usage = Usage { cpu_seconds: Some(1.5), peak_memory_bytes: Some(1 << 20) };
        Report::new(run, status, StopReason::FrontierEmpty, started, ended, usage)
    }

    #[test]
    fn the_json_has_the_sums_for_accounting() {
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
    fn a_node_without_a_page_has_nothing_only_if_the_others_of_its_fleet_have_nothing_either() {
        let with = |pages_of_others, was_over| {
            let fleet = FleetFigures { pages_of_others, was_over, ..FleetFigures::default() };
            Report { fleet: Some(fleet), pages: 0, ..report() }.has_nothing()
        };
        assert_eq!([with(0, false), with(1, false), with(0, true)], [true, false, false]);
        assert!(Report { pages: 0, ..report() }.has_nothing());
        assert!(serde_json::to_value(report()).unwrap().get("fleet").is_none());
    }

    #[test]
    fn a_written_report_is_complete_and_leaves_no_temporary_file() {
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
