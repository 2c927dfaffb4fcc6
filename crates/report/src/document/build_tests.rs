//! Tests of documents of crawl directories.

use serde_json::json;

use super::*;
use crate::document::log::{FileFigures, LogFigures};
use crate::document::sources::Has;
use crate::{CrawlStatus, Report, StopReason, read_object};

fn log(last: &str) -> LogFigures {
    LogFigures { last: Some(last.to_owned()), lines: 3, ..LogFigures::default() }
}

fn has(state: bool) -> Has {
    Has { log: true, state, model: false }
}

fn read<T: serde::de::DeserializeOwned>(value: &serde_json::Value) -> T {
    read_object("a file", value.to_string().as_bytes()).unwrap()
}

fn report() -> Report {
    read(&json!({
        "stop_reason": "pages_budget", "ended": "2026-01-01T00:00:10Z", "pages": 40, "requests": 50, "discovered": 45,
        "fates": {"fetched": 40, "queued": 5}, "errors": {"http_429": 30}, "troubles": [],
    }))
}

fn commands(document: &Document) -> Vec<&str> {
    document.next.iter().map(|step| step.command.as_str()).collect()
}

#[test]
fn the_document_of_a_crawl_that_has_ended_follows_its_report() {
    let sources = Sources {
        directory: "my crawl".to_owned(),
        report: Some(report()),
        log: log("2026-01-01T00:00:09Z"),
        has: has(true),
        ..Sources::default()
    };
    let document = Document::of(sources);
    assert_eq!(document.state, CrawlState::Ended { reason: StopReason::PagesBudget });
    assert_eq!(commands(&document), ["harvestman resume 'my crawl' --pages 80"]);
    assert!(document.account.as_ref().unwrap().adds_up);
    assert!(document.advice[0].contains("http_429: the site asks for fewer requests"), "{:?}", document.advice);
    let json = serde_json::to_value(&document).unwrap();
    assert_eq!(json["report"], serde_json::to_value(report()).unwrap(), "as it was written");
    assert_eq!(json["standing"], json!({"is": "ended", "reason": "pages_budget"}));
}

#[test]
fn a_log_that_continues_after_the_report_is_of_a_later_run_that_was_killed() {
    let sources =
        Sources { report: Some(report()), log: log("2026-01-01T00:01:00Z"), has: has(true), ..Sources::default() };
    let document = Document::of(Sources { directory: "d".to_owned(), ..sources });
    assert_eq!(document.state, CrawlState::BrokenOff);
    let notes = document.notes.join(" ");
    assert!(notes.contains("report.json is of 2026-01-01T00:00:10Z") && notes.contains("no report"), "{notes}");
    assert_eq!(commands(&document), ["harvestman resume d"]);
}

#[test]
fn a_node_without_pages_needs_no_advice_if_other_nodes_have_some() {
    let advice = |others: u64| {
        let fleet = json!({"crawl": "c", "node": "a", "pages_of_others": others, "was_over": false});
        let figures = json!({"stop_reason": "frontier_empty", "pages": 0, "requests": 2, "fleet": fleet});
        Document::of(Sources { report: Some(read(&figures)), has: has(true), ..Sources::default() }).advice
    };
    assert!(advice(0).iter().any(|line| line.contains("nothing was fetched")), "{:?}", advice(0));
    assert_eq!(advice(1), Vec::<String>::new());
}

#[test]
fn the_figures_of_a_running_crawl_are_those_of_its_snapshot() {
    let status: CrawlStatus = read(
        &json!({"pages": 7, "requests": 9, "discovered": 20, "queued": 12, "leased": 1, "fates": {"fetched": 7}, "paused": true}),
    );
    let document =
        Document::of(Sources { status: Some(status), report: Some(report()), has: has(true), ..Sources::default() });
    assert_eq!(document.state, CrawlState::Running { paused: true });
    let own = document.own().unwrap();
    assert_eq!((own.source, own.pages, document.account.as_ref().unwrap().adds_up), ("status", 7, true));
    assert!(commands(&document)[0].starts_with("harvestman ctl"));
}

#[test]
fn missing_files_are_noted_and_nothing_is_invented() {
    let document = Document::of(Sources::default());
    assert_eq!((&document.state, &document.account, document.next.len()), (&CrawlState::BrokenOff, &None, 0));
    let notes = document.notes.join(" ");
    assert!(notes.contains("no config.toml") && notes.contains("no page log"), "{notes}");
}

#[test]
fn an_empty_report_states_no_end_and_one_of_another_version_an_unknown_reason() {
    let state = |report| Document::of(Sources { report: Some(read(&report)), ..Sources::default() }).state;
    assert_eq!(state(json!({})), CrawlState::BrokenOff);
    let reason = StopReason::Unknown;
    let other = json!({"stop_reason": "tired", "ended": "2026-01-01T00:00:10Z"});
    assert_eq!(state(other), CrawlState::Ended { reason });
    assert_eq!(state(json!({"stop_reason": "interrupted"})), CrawlState::Ended { reason: StopReason::Interrupted });
}

#[test]
fn warc_files_that_are_gone_are_listed() {
    let mut log = log("2026-01-01T00:00:09Z");
    log.files.insert("warc/b".to_owned(), FileFigures { responses: 4, ..FileFigures::default() });
    let document = Document::of(Sources { warcs: vec![("warc/a".to_owned(), 10)], log, ..Sources::default() });
    let files: Vec<_> =
        document.warcs.files.iter().map(|file| (file.name.as_str(), file.bytes, file.responses)).collect();
    assert_eq!(files, [("warc/a", Some(10), 0), ("warc/b", None, 4)]);
    assert_eq!((document.warcs.count, document.warcs.bytes), (2, 10));
}
