//! Several directories as one.

use serde_json::json;

use super::super::{Document, Entry};
use super::*;

fn part(directory: &str, status: Option<Value>, report: Option<Value>) -> Part {
    let now = Instant::from_micros(1_000_000_000);
    let has = Has { log: true, ..Has::default() };
    let sources = Sources { directory: directory.to_owned(), now, status, report, has, ..Sources::default() };
    let tally = Tally::of(&sources);
    (sources, tally)
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
fn while_one_node_runs_all_of_it_runs() {
    let parts = vec![
        part("a", None, Some(ended())),
        part("b", Some(running(true)), None),
        part("c", Some(running(false)), None),
    ];
    let document = Document::of(merged(parts, LogFigures::default(), Instant::from_micros(1_000_000_000)));
    assert_eq!(document.standing, Standing::Running { paused: false });
    assert_eq!((document.figure("pages"), document.figure("queued")), (Some(16), Some(4)));
    let account = document.account.as_ref().unwrap();
    assert!(account.adds_up, "{account:?}");
    let status = document.status.as_ref().unwrap();
    assert_eq!((&status["elapsed_seconds"], status.get("cpu_seconds")), (&400.0.into(), None));
    let commands: Vec<_> = document.next.iter().map(|advice| advice.command.as_str()).collect();
    assert_eq!(commands, ["harvestman status b", "harvestman report a b c --out report.html", "harvestman report a"]);
}

#[test]
fn it_rests_when_all_that_run_rest_and_ends_as_the_last_one_did() {
    let resting = vec![part("a", None, Some(ended())), part("b", Some(running(true)), None)];
    let document = Document::of(merged(resting, LogFigures::default(), Instant::from_micros(1_000_000_000)));
    assert_eq!(document.standing, Standing::Running { paused: true });
    let mut later = ended();
    (later["ended"], later["stop_reason"]) = ("1970-01-01T00:12:00Z".into(), "frontier_empty".into());
    let over = vec![part("a", None, Some(later)), part("b", None, Some(ended()))];
    let document = Document::of(merged(over, LogFigures::default(), Instant::default()));
    assert_eq!(document.standing, Standing::Ended { reason: "frontier_empty".to_owned() });
    let report = document.report.as_ref().unwrap();
    assert_eq!((&report["wall_seconds"], &report["cpu_seconds"]), (&120.0.into(), &4.0.into()));
    assert_eq!(report["pages_per_second"], 0.07);
}

#[test]
fn a_report_that_does_not_say_when_it_was_adds_nothing() {
    let odd = || Some(json!({"pages": 1_000, "stop_reason": "interrupted"}));
    let sources =
        merged(vec![part("a", None, odd()), part("b", None, odd())], LogFigures::default(), Instant::default());
    assert!(sources.report.is_none() && sources.nodes.iter().all(|node| (node.pages, node.sessions) == (0, 0)));
    assert!(sources.notes.iter().any(|note| note.starts_with("a: there is no report.json")), "{:?}", sources.notes);
}

#[test]
fn what_was_told_to_nodes_is_told_by_time_and_what_holds_of_the_first() {
    let entry =
        |time: &str| Entry { time: time.to_owned(), command: "stop".to_owned(), arguments: Vec::new(), effect: None };
    let (mut a, mut b) = (part("a", None, None), part("b", None, None));
    a.0.told.entries.extend([entry("2026-01-01T00:00:01Z"), entry("2026-01-01T00:00:03Z")]);
    a.0.in_force = Some(json!({"banned": ["x"]}));
    b.0.told.entries.push_back(entry("2026-01-01T00:00:02Z"));
    b.0.told.least_delay_ms = Some(5);
    b.0.in_force = Some(json!({"banned": ["y"]}));
    let sources = merged(vec![a, b], LogFigures::default(), Instant::default());
    let times: Vec<_> = sources.told.entries.iter().map(|entry| &entry.time[18..19]).collect();
    assert_eq!((times, sources.told.least_delay_ms), (vec!["1", "2", "3"], Some(5)));
    assert_eq!(sources.in_force, Some(json!({"banned": ["x"]})));
    assert!(sources.notes.iter().any(|note| note.starts_with("b: other bans")), "{:?}", sources.notes);
}

#[test]
fn names_within_directories_are_those_that_a_shell_would_find() {
    let told = [("a", "a/warc/x"), ("a/", "a/warc/x"), ("/", "/warc/x"), (".", "./warc/x")];
    for (directory, expected) in told {
        assert_eq!(within(directory, "warc/x"), expected);
    }
}
