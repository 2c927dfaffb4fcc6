//! The figures that a crawl itself reports, from wherever they are: a closing report, a snapshot, or the sums of
//! several of them.

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde::Serialize;

use crate::closing::{has_nothing, is_zero};
use crate::seconds::rounded;
use crate::{CrawlStatus, DedupStats, FleetFigures, HostTrouble, RecrawlFigures, Report, StopReason};
use harvestman_core::model::{Fate, FateTable, RenderingSummary, SearchRecord, TrapRecord};
use harvestman_stages::frontier::YieldForecast;
use harvestman_stages::host::CappedDelay;

/// The figures of a report, a snapshot or sums. Values that one of these lacks are `None` or empty.
#[derive(Debug, Clone, PartialEq)]
pub struct OwnFigures<'a> {
    /// The field of the document that has them: `report` or `status`.
    pub source: &'static str,
    /// The name of the field with the duration, and the duration in seconds.
    pub duration: Option<(&'static str, f64)>,
    /// When the crawl started (RFC 3339).
    pub started: Option<&'a str>,
    /// When it ended (RFC 3339).
    pub ended: Option<&'a str>,
    /// Why it ended.
    pub stop_reason: Option<StopReason>,
    /// Pages fetched with success.
    pub pages: u64,
    /// Requests sent.
    pub requests: u64,
    /// Bytes of bodies received.
    pub bytes: u64,
    /// Hosts contacted or known from links.
    pub hosts: Option<u64>,
    /// Links discovered.
    pub discovered: u64,
    /// URLs that wait, while the crawl runs.
    pub queued: Option<u64>,
    /// URLs that are being fetched, while the crawl runs.
    pub leased: u64,
    /// The fates of the links.
    pub fates: &'a FateTable,
    /// Responses by status.
    pub statuses: &'a BTreeMap<u16, u64>,
    /// Failed requests by reason.
    pub errors: &'a BTreeMap<Cow<'static, str>, u64>,
    /// The worst hosts.
    pub troubles: &'a [HostTrouble],
    /// Hosts whose `Crawl-delay` is capped.
    pub crawl_delays_capped_hosts: u64,
    /// The longest of these delays, the longest first.
    pub crawl_delays_capped: &'a [CappedDelay],
    /// Traps, the strictest measure first.
    pub traps: &'a [TrapRecord],
    /// Pages that were wanted and new, where the policy tells pages apart.
    pub wanted: Option<u64>,
    /// What searches have found.
    pub searches: Option<&'a SearchRecord>,
    /// Visits to known pages.
    pub recrawl: Option<&'a RecrawlFigures>,
    /// The set of URLs seen.
    pub dedup: Option<&'a DedupStats>,
    /// What was learned of rendering.
    pub rendering: Option<&'a RenderingSummary>,
    /// The fleet.
    pub fleet: Option<&'a FleetFigures>,
    /// The yield forecast.
    pub outlook: Option<YieldForecast>,
    /// Pages per second.
    pub pages_per_second: Option<f64>,
    /// Pages per second of CPU time.
    pub pages_per_cpu_second: Option<f64>,
    /// CPU time.
    pub cpu_seconds: Option<f64>,
    /// Peak resident memory.
    pub peak_memory_bytes: Option<u64>,
}

fn some(text: &str) -> Option<&str> {
    Some(text).filter(|text| !text.is_empty())
}

impl<'a> From<&'a Report> for OwnFigures<'a> {
    fn from(report: &'a Report) -> Self {
        Self {
            source: "report",
            duration: Some(("wall_seconds", rounded(report.wall))),
            started: some(&report.started),
            ended: some(&report.ended),
            stop_reason: Some(report.stop_reason),
            pages: report.pages,
            requests: report.requests,
            bytes: report.bytes,
            hosts: Some(report.hosts),
            discovered: report.discovered,
            queued: None,
            leased: 0,
            fates: &report.fates,
            statuses: &report.statuses,
            errors: &report.errors,
            troubles: &report.troubles,
            crawl_delays_capped_hosts: report.crawl_delays_capped_hosts,
            crawl_delays_capped: &report.crawl_delays_capped,
            traps: &report.traps,
            wanted: report.wanted,
            searches: report.searches.as_ref(),
            recrawl: report.recrawl.as_ref(),
            dedup: report.dedup.as_ref(),
            rendering: report.rendering.as_ref(),
            fleet: report.fleet.as_ref(),
            outlook: report.outlook,
            pages_per_second: Some(report.pages_per_second),
            pages_per_cpu_second: report.pages_per_cpu_second,
            cpu_seconds: report.cpu_seconds,
            peak_memory_bytes: report.peak_memory_bytes,
        }
    }
}

impl<'a> From<&'a CrawlStatus> for OwnFigures<'a> {
    fn from(status: &'a CrawlStatus) -> Self {
        Self {
            source: "status",
            duration: Some(("elapsed_seconds", rounded(status.elapsed))),
            started: None,
            ended: None,
            stop_reason: None,
            pages: status.pages,
            requests: status.requests,
            bytes: status.bytes,
            hosts: Some(status.hosts),
            discovered: status.discovered,
            queued: Some(status.queued),
            leased: status.leased,
            fates: &status.fates,
            statuses: &status.statuses,
            errors: &status.errors,
            troubles: &[],
            crawl_delays_capped_hosts: 0,
            crawl_delays_capped: &[],
            traps: &status.traps,
            wanted: status.wanted,
            searches: status.searches.as_ref(),
            recrawl: status.recrawl.as_ref(),
            dedup: None,
            rendering: None,
            fleet: None,
            outlook: status.outlook,
            pages_per_second: None,
            pages_per_cpu_second: None,
            cpu_seconds: None,
            peak_memory_bytes: None,
        }
    }
}

impl<'a> From<&'a Totals> for OwnFigures<'a> {
    fn from(totals: &'a Totals) -> Self {
        let wall = totals.wall_seconds.map(|seconds| ("wall_seconds", seconds));
        Self {
            source: if totals.is_running() { "status" } else { "report" },
            duration: wall.or_else(|| Some(("elapsed_seconds", totals.elapsed_seconds?))),
            started: totals.started.as_deref(),
            ended: totals.ended.as_deref(),
            stop_reason: totals.stop_reason,
            pages: totals.pages,
            requests: totals.requests,
            bytes: totals.bytes,
            hosts: None,
            discovered: totals.discovered,
            queued: totals.queued,
            leased: 0,
            fates: &totals.fates,
            statuses: &totals.statuses,
            errors: &totals.errors,
            troubles: &totals.troubles,
            crawl_delays_capped_hosts: totals.crawl_delays_capped_hosts,
            crawl_delays_capped: &totals.crawl_delays_capped,
            traps: &totals.traps,
            wanted: totals.wanted,
            searches: totals.searches.as_ref(),
            recrawl: None,
            dedup: None,
            rendering: None,
            fleet: None,
            outlook: None,
            pages_per_second: totals.pages_per_second,
            pages_per_cpu_second: None,
            cpu_seconds: totals.cpu_seconds,
            peak_memory_bytes: None,
        }
    }
}

impl OwnFigures<'_> {
    /// See [`Report::has_nothing`].
    pub fn has_nothing(&self) -> bool {
        has_nothing(self.pages, self.fates, self.fleet)
    }

    /// Returns the fates, with the links of a running crawl that are not settled as `queued`.
    pub fn fates_with_open(&self) -> FateTable {
        let mut fates = self.fates.clone();
        // Snapshots have them among their fates already; those of older versions did not.
        if fates.of(Fate::Queued) == 0 {
            fates.add(Fate::Queued, self.queued.unwrap_or(0) + self.leased);
        }
        fates
    }
}

/// Sums over the sessions of one directory or of several, in the form of a report, or of a snapshot while one of them
/// runs.
///
/// Values that cannot be added up, such as hosts and the set of URLs seen, are absent.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Totals {
    /// When the first session started (RFC 3339).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub started: Option<String>,
    /// When the last session ended, if none runs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ended: Option<String>,
    /// Why the last session ended, if none runs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stop_reason: Option<StopReason>,
    /// Seconds from the first start to the last end, if none runs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub wall_seconds: Option<f64>,
    /// Seconds since the first start, if one runs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub elapsed_seconds: Option<f64>,
    /// Whether all that run are paused, if one runs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub paused: Option<bool>,
    /// Pages fetched.
    pub pages: u64,
    /// Requests sent.
    pub requests: u64,
    /// Bytes of bodies received.
    pub bytes: u64,
    /// Links discovered.
    pub discovered: u64,
    /// URLs that wait or are being fetched, if a session runs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub queued: Option<u64>,
    /// The fates of the links.
    pub fates: FateTable,
    /// Responses by status.
    pub statuses: BTreeMap<u16, u64>,
    /// Failed requests by reason.
    pub errors: BTreeMap<Cow<'static, str>, u64>,
    /// The worst hosts; at most ten.
    pub troubles: Vec<HostTrouble>,
    /// Traps; at most fifty.
    pub traps: Vec<TrapRecord>,
    /// Pages that were wanted and new, by the session that knows of the most: nodes that share a policy know of all.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub wanted: Option<u64>,
    /// What searches have found, by the session that sent or knows of the most queries.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub searches: Option<SearchRecord>,
    /// Hosts whose `Crawl-delay` is capped.
    #[serde(skip_serializing_if = "is_zero")]
    pub crawl_delays_capped_hosts: u64,
    /// The longest of these delays; at most twenty.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub crawl_delays_capped: Vec<CappedDelay>,
    /// CPU time of all sessions; `None` if that of one is unknown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cpu_seconds: Option<f64>,
    /// Pages per second from the first start on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pages_per_second: Option<f64>,
}

impl Totals {
    /// Returns whether a session runs.
    pub const fn is_running(&self) -> bool {
        self.paused.is_some()
    }
}
