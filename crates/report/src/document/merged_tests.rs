//! Tests of merging several directories.

use serde_json::{Value, json};

use super::super::{Document, Has};
use super::*;
use crate::sections::commands::ControlEntry;
use crate::{StopReason, read_object};

fn read<T: serde::de::DeserializeOwned>(value: &Value) -> T {
    read_object("a file", value.to_string().as_bytes()).unwrap()
}

fn part(directory: &str, status: Option<Value>, report: Option<Value>) -> Part {
    let now = Instant::from_micros(1_000_000_000);
    let has = Has { log: true, ..Has::default() };
    let (status, report) = (status.as_ref().map(read), report.as_ref().map(read));
    let sources = Sources { directory: directory.to_owned(), now, status, report, has, ..Sources::default() };
    let tally = Tally::of(&sources);
    Part { sources, tally }
}

fn ended() -> Value {
    json!({
        "started": "1970-01-01T00:10:00Z", "ended": "1970-01-01T00:11:00Z", "stop_reason": "interrupted", "pages": 4, "discovered": 9,
        "fates": {"fetched": 4, "queued": 5}, "cpu_seconds": 2.0,
    })
}

fn running(paused: bool) -> Value {
    json!({"elapsed_seconds": 10.0, "paused": paused, "pages": 6, "discovered": 8, "queued": 1, "leased": 1, "fates": {"fetched": 6}})
}

#[test]
fn while_one_node_runs_the_whole_crawl_is_running() {
    let parts = vec![
        part("a", None, Some(ended())),
        part("b", Some(running(true)), None),
        part("c", Some(running(false)), None),
    ];
    let document = Document::of(merged(parts, LogFigures::default(), Instant::from_micros(1_000_000_000)));
    assert_eq!(document.state, CrawlState::Running { paused: false });
    let own = document.own().unwrap();
    assert_eq!((own.source, own.pages, own.queued), ("status", 16, Some(4)));
    let account = document.account.as_ref().unwrap();
    assert!(account.adds_up, "{account:?}");
    let json = serde_json::to_value(&document).unwrap();
    let status = &json["status"];
    assert_eq!((&status["elapsed_seconds"], status.get("cpu_seconds")), (&400.0.into(), None));
    assert_eq!((status.get("wall_seconds"), &status["paused"], &json["report"]), (None, &false.into(), &Value::Null));
    let commands: Vec<_> = document.next.iter().map(|step| step.command.as_str()).collect();
    assert_eq!(
        commands,
        ["harvestman ctl b status", "harvestman report a b c --out report.html", "harvestman report a"]
    );
}

#[test]
fn it_is_paused_when_all_that_run_are_and_ends_as_the_last_one_did() {
    let paused = vec![part("a", None, Some(ended())), part("b", Some(running(true)), None)];
    let document = Document::of(merged(paused, LogFigures::default(), Instant::from_micros(1_000_000_000)));
    assert_eq!(document.state, CrawlState::Running { paused: true });
    let mut later = ended();
    (later["ended"], later["stop_reason"]) = ("1970-01-01T00:12:00Z".into(), "frontier_empty".into());
    let over = vec![part("a", None, Some(later)), part("b", None, Some(ended()))];
    let document = Document::of(merged(over, LogFigures::default(), Instant::default()));
    assert_eq!(document.state, CrawlState::Ended { reason: StopReason::FrontierEmpty });
    let report = &serde_json::to_value(&document).unwrap()["report"];
    assert_eq!((&report["wall_seconds"], &report["cpu_seconds"]), (&120.0.into(), &4.0.into()));
    assert_eq!((&report["pages_per_second"], report.get("queued"), report.get("hosts")), (&0.07.into(), None, None));
}

#[test]
fn a_report_without_times_adds_nothing() {
    let odd = || Some(json!({"pages": 1_000, "stop_reason": "interrupted"}));
    let sources =
        merged(vec![part("a", None, odd()), part("b", None, odd())], LogFigures::default(), Instant::default());
    assert!(sources.totals.is_none() && sources.nodes.iter().all(|node| (node.pages, node.sessions) == (0, 0)));
    assert!(sources.notes.iter().any(|note| note.starts_with("a: there is no report.json")), "{:?}", sources.notes);
}

#[test]
fn commands_to_nodes_are_ordered_by_time_and_what_is_in_force_is_that_of_the_first_node() {
    let entry = |time: &str| ControlEntry {
        time: time.to_owned(),
        command: "stop".to_owned(),
        arguments: Vec::new(),
        effect: None,
    };
    let in_force = |banned: &str| Some(InForceFile { banned: vec![banned.to_owned()], ..InForceFile::default() });
    let (mut a, mut b) = (part("a", None, None), part("b", None, None));
    a.sources.control.entries.extend([entry("2026-01-01T00:00:01Z"), entry("2026-01-01T00:00:03Z")]);
    a.sources.in_force = in_force("x");
    b.sources.control.entries.push_back(entry("2026-01-01T00:00:02Z"));
    b.sources.control.least_delay_ms = Some(5);
    b.sources.in_force = in_force("y");
    let sources = merged(vec![a, b], LogFigures::default(), Instant::default());
    let times: Vec<_> = sources.control.entries.iter().map(|entry| &entry.time[18..19]).collect();
    assert_eq!((times, sources.control.least_delay_ms), (vec!["1", "2", "3"], Some(5)));
    assert_eq!(sources.in_force, in_force("x"));
    assert!(sources.notes.iter().any(|note| note.starts_with("b: other bans")), "{:?}", sources.notes);
}

#[test]
fn names_within_directories_are_those_that_a_shell_would_find() {
    let cases = [("a", "a/warc/x"), ("a/", "a/warc/x"), ("/", "/warc/x"), (".", "./warc/x")];
    for (directory, expected) in cases {
        assert_eq!(within(directory, "warc/x"), expected);
    }
}
