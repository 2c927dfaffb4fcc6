//! Tests that JSON files round-trip, and that those of older versions are read with defaults.

use std::time::Duration;

use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;
use harvestman_core::config::DedupStore;
use harvestman_core::model::{
    Budget, Failure, Fate, FateTable, FleetProgress, FleetStatus, FoundSite, NodeStatus, RenderClassSummary,
    RenderingSummary, RobotsRefusal, SearchRecord, TrapMeasure, TrapRecord,
};
use harvestman_stages::frontier::YieldForecast;
use harvestman_stages::host::CappedDelay;
use harvestman_storage::dedup::{BloomStats, Estimate, FalsePositives};

/// Returns a snapshot with all fields set.
pub(super) fn status() -> CrawlStatus {
    let mut fates = FateTable::default();
    for (fate, count) in [
        (Fate::Fetched, 30),
        (Fate::Robots(RobotsRefusal::Disallowed), 2),
        (Fate::Failed(Failure::Http(418)), 3),
        (Fate::OverBudget(Budget::Depth), 4),
        (Fate::Queued, 5),
    ] {
        fates.add(fate, count);
    }
    let trap = TrapRecord {
        form: "http://h.test/N/".to_owned(),
        example: "http://h.test/7/".to_owned(),
        measure: TrapMeasure::Cut,
        fetched: 9,
        fruitful: 1,
        refused: 80,
        since: 400,
    };
    let site = FoundSite { site: "http://h.test".to_owned(), requests: 90, wanted: 3, left: true };
    let recrawl =
        RecrawlFigures { round: 2, known: 100, visited: 40, changed: 3, expected: 2.5, ..RecrawlFigures::default() };
    let wait =
        HostWait { host: "http://h.test".to_owned(), reason: "robots".into(), until: "t".to_owned(), seconds: 9 };
    let in_force = InForce {
        set: [("host.delay".to_owned(), "2s".to_owned())].into(),
        banned: vec!["5".to_owned()],
        pinned: vec!["/a/*".to_owned()],
        blocked: vec!["b.test".to_owned()],
    };
    let node = NodeStatus { node: "a".to_owned(), pages: 3, ..NodeStatus::default() };
    let fleet = FleetStatus { name: "x".to_owned(), size: 1, nodes: vec![node], ..FleetStatus::default() };
    CrawlStatus {
        elapsed: Duration::from_millis(61_007),
        pages: 30,
        bytes: 4_096,
        requests: 37,
        queued: 4,
        leased: 1,
        hosts: 2,
        discovered: fates.total(),
        fates,
        errors: [("http_4xx".into(), 3)].into(),
        statuses: [(200, 30), (418, 3)].into(),
        budgets: vec![BudgetUse { budget: BudgetKind::Bytes, used: 4_096, limit: 10_000 }],
        wanted: Some(25),
        posts: Some(PostProgress { posts: 90, threads: 12, authors: 7, behind_bytes: 1_024 }),
        searches: Some(SearchRecord { queries: 4, found: 1, own_wanted: 0, sites: vec![site] }),
        outlook: Some(YieldForecast { expected_yield: 0.125, requests: 99.5 }),
        traps: vec![trap],
        recrawl: Some(recrawl),
        draining: true,
        paused: true,
        waits: Waits { hosts: 1, first: vec![wait], blocked: 2 },
        outage: Some("the proxy cannot be reached".to_owned()),
        stall: Some("nothing can be fetched".to_owned()),
        in_force,
        fleet: Some(FleetProgress { session: "a.1".to_owned(), margin_seconds: 3.5, fleet }),
    }
}

fn rendering() -> RenderingSummary {
    let class = RenderClassSummary {
        class: "00000000000000ff".to_owned(),
        example: "https://h.test/t/1".to_owned(),
        pages: 30,
        rendered: 6,
        replayed: 24,
        need: "needed".into(),
        gain: 4.25,
        replay: Some("ready".into()),
        requests: Some("{page}/replies".to_owned()),
    };
    RenderingSummary { rendered: 6, replayed: 24, known: 1, classes: vec![class] }
}

/// Returns a report with all fields set.
fn report() -> Report {
    let measured = Estimate { count: 3.0, low: 1.5, high: 7.25 };
    let mistakes = FalsePositives { expected: 2.75, measured };
    let dedup = DedupStats {
        store: DedupStore::BloomOnly,
        urls: 1_000,
        memory_bytes: 1 << 20,
        disk_bytes: 5,
        bloom: Some(BloomStats { fill: 0.5, error: 0.001 }),
        false_positives: Some(mistakes),
        wrongly_dropped: mistakes,
    };
    let host = "https://h.test".to_owned();
    let run = Run {
        seeds: vec!["https://h.test/".to_owned()],
        seed: u64::MAX,
        config: Some("config.toml".to_owned()),
        warc_files: vec!["warc/a.warc.gz".to_owned()],
        troubles: vec![HostTrouble { host, requests: 9, failed: 9, reason: "tls".into() }],
        crawl_delays_capped_hosts: 2,
        crawl_delays_capped: vec![CappedDelay { host: "a".to_owned(), asked_seconds: 900.5, used_seconds: 600.0 }],
        dedup: Some(dedup),
        rendering: Some(rendering()),
        fleet: Some(FleetFigures { crawl: "c".to_owned(), node: "a".to_owned(), pages_of_others: 7, was_over: true }),
        extension_errors: vec![ExtensionError { part: "sink 1".to_owned(), count: 3, first: "no space".to_owned() }],
    };
    let at = harvestman_core::clock::Instant::from_micros;
    let usage = Usage { cpu_seconds: Some(1.53), peak_memory_bytes: Some(1 << 24) };
    Report::new(run, status(), StopReason::TimeBudget, at(1_000_000), at(62_007_000), usage)
}

fn read<T: serde::de::DeserializeOwned>(value: &Value) -> T {
    read_object("a file", value.to_string().as_bytes()).unwrap()
}

#[test]
fn a_report_and_a_snapshot_are_read_as_they_were_written() {
    let (report, status) = (report(), status());
    assert_eq!(read::<Report>(&serde_json::to_value(&report).unwrap()), report);
    assert_eq!(read::<CrawlStatus>(&serde_json::to_value(&status).unwrap()), status);
    let plain = (Report::default(), CrawlStatus::default());
    assert_eq!(read::<Report>(&serde_json::to_value(&plain.0).unwrap()), plain.0);
    assert_eq!(read::<CrawlStatus>(&serde_json::to_value(&plain.1).unwrap()), plain.1);
}

proptest! {
    #[test]
    fn counts_and_times_are_read_to_the_last_digit(
        count in any::<u64>(), millis in 0..1_u64 << 40, rate in 0.0..1e9_f64, cpu in prop::option::of(0.0..1e9_f64), status in any::<u16>(),
    ) {
        let (time, counts) = (Duration::from_millis(millis), [(status, count)]);
        let report = Report { pages: count, wall: time, pages_per_second: rate, cpu_seconds: cpu, statuses: counts.into(), ..report() };
        prop_assert_eq!(&read::<Report>(&serde_json::to_value(&report).unwrap()), &report);
        let snapshot = CrawlStatus { bytes: count, elapsed: time, statuses: counts.into(), ..self::status() };
        prop_assert_eq!(&read::<CrawlStatus>(&serde_json::to_value(&snapshot).unwrap()), &snapshot);
    }
}

#[test]
fn a_report_of_an_older_version_has_defaults_for_what_it_lacks() {
    // Without fleet, recrawl, dedup, traps and outlook; with a field that was removed and an unknown reason.
    let text = br#"{
        "version": "0.0.1", "seeds": ["https://h.test/"], "seed": 7, "config": "config.toml", "warc_files": [],
        "troubles": [{"host": "https://h.test", "requests": 3, "failed": 3, "reason": "tls"}],
        "started": "2025-01-01T00:00:00Z", "ended": "2025-01-01T00:00:10Z", "stop_reason": "tired", "wall_seconds": 10.25,
        "threads": 8, "pages": 30, "bytes": 4096, "requests": 33, "discovered": 32,
        "fates": {"fetched": 30, "failed": {"tls": 2}}, "statuses": {"200": 30}, "errors": {"tls": 3}
    }"#;
    let report: Report = read_object("report.json", text).unwrap();
    assert_eq!((report.version.as_ref(), report.pages, report.wall), ("0.0.1", 30, Duration::from_millis(10_250)));
    assert_eq!((report.fates.total(), report.statuses[&200], report.errors["tls"]), (32, 30, 3));
    assert_eq!((report.troubles[0].reason.as_ref(), report.stop_reason), ("tls", StopReason::Unknown));
    assert_eq!((report.hosts, report.cpu_seconds, &report.recrawl, &report.dedup), (0, None, &None, &None));
    assert!(report.traps.is_empty() && report.fleet.is_none() && report.outlook.is_none());
}

#[test]
fn absent_values_of_a_snapshot_have_defaults() {
    let status: CrawlStatus =
        read(&json!({"pages": 3, "waits": {"hosts": 2}, "budgets": [{"budget": "time", "used": 1, "limit": 2}]}));
    assert_eq!((status.pages, status.waits.hosts, status.waits.blocked, status.budgets.len()), (3, 2, 0, 1));
}
