//! Documents of directories as crawls leave them.

use serde_json::json;

use super::*;

fn log(last: &str) -> LogFigures {
    LogFigures { last: Some(last.to_owned()), lines: 3, ..LogFigures::default() }
}

fn has(state: bool) -> Has {
    Has { log: true, state, model: false }
}

fn report() -> Value {
    json!({
        "stop_reason": "pages_budget", "ended": "2026-01-01T00:00:10Z", "pages": 40, "requests": 50, "discovered": 45,
        "fates": {"fetched": 40, "queued": 5}, "errors": {"http_429": 30}, "troubles": [],
    })
}

fn commands(document: &Document) -> Vec<&str> {
    document.next.iter().map(|advice| advice.command.as_str()).collect()
}

#[test]
fn a_crawl_that_has_ended_is_told_by_its_report() {
    let sources = Sources {
        directory: "my crawl".to_owned(),
        report: Some(report()),
        log: log("2026-01-01T00:00:09Z"),
        has: has(true),
        ..Sources::default()
    };
    let document = Document::of(sources);
    assert_eq!(document.standing, Standing::Ended { reason: "pages_budget".to_owned() });
    assert_eq!(commands(&document), ["harvestman resume 'my crawl' --pages 80"]);
    assert!(document.account.as_ref().unwrap().adds_up);
    assert!(document.advice[0].contains("http_429: the site asks for fewer requests"), "{:?}", document.advice);
    assert_eq!(serde_json::to_value(&document).unwrap()["report"], report(), "untouched");
}

#[test]
fn a_log_that_goes_on_after_the_report_is_of_a_later_run_that_was_killed() {
    let sources =
        Sources { report: Some(report()), log: log("2026-01-01T00:01:00Z"), has: has(true), ..Sources::default() };
    let document = Document::of(Sources { directory: "d".to_owned(), ..sources });
    assert_eq!(document.standing, Standing::BrokenOff);
    assert!(
        document.notes.iter().any(|note| note.contains("a later run has written no report")),
        "{:?}",
        document.notes
    );
    assert_eq!(commands(&document), ["harvestman resume d"]);
}

#[test]
fn a_node_without_a_page_needs_no_advice_where_others_of_its_fleet_have_some() {
    let advice = |others: u64| {
        let fleet = json!({"crawl": "c", "node": "a", "pages_of_others": others, "was_over": false});
        let figures = json!({"stop_reason": "frontier_empty", "pages": 0, "requests": 2, "discovered": 0, "fates": {}, "fleet": fleet});
        Document::of(Sources { report: Some(figures), has: has(true), ..Sources::default() }).advice
    };
    assert!(advice(0).iter().any(|line| line.contains("nothing was fetched")), "{:?}", advice(0));
    assert_eq!(advice(1), Vec::<String>::new());
}

#[test]
fn a_running_crawl_speaks_for_itself() {
    let status = json!({"pages": 7, "requests": 9, "discovered": 20, "queued": 12, "leased": 1, "fates": {"fetched": 7}, "paused": true});
    let document =
        Document::of(Sources { status: Some(status), report: Some(report()), has: has(true), ..Sources::default() });
    assert_eq!(document.standing, Standing::Running { paused: true });
    assert_eq!((document.figure("pages"), document.account.as_ref().unwrap().adds_up), (Some(7), true));
    assert!(commands(&document)[0].starts_with("harvestman status"));
}

#[test]
fn what_is_missing_is_told_and_nothing_is_made_up() {
    let document = Document::of(Sources::default());
    assert_eq!((&document.standing, &document.account, document.next.len()), (&Standing::BrokenOff, &None, 0));
    let told = document.notes.join(" ");
    assert!(told.contains("no config.toml") && told.contains("no page log"), "{told}");
}

#[test]
fn a_report_of_other_shapes_is_read_as_far_as_it_goes() {
    for odd in
        [json!({}), json!([]), json!(3), json!({"fates": 3, "pages": "x", "troubles": {}, "errors": [1], "ended": 5})]
    {
        let document = Document::of(Sources { report: Some(odd), ..Sources::default() });
        assert_eq!(document.standing, Standing::BrokenOff);
    }
}

#[test]
fn archive_files_that_are_gone_are_named_all_the_same() {
    let mut log = log("2026-01-01T00:00:09Z");
    log.files.insert("warc/b".to_owned(), log::FileFigures { responses: 4, ..log::FileFigures::default() });
    let document = Document::of(Sources { warcs: vec![("warc/a".to_owned(), 10)], log, ..Sources::default() });
    let files: Vec<_> =
        document.warcs.files.iter().map(|file| (file.name.as_str(), file.bytes, file.responses)).collect();
    assert_eq!(files, [("warc/a", Some(10), 0), ("warc/b", None, 4)]);
    assert_eq!((document.warcs.count, document.warcs.bytes), (2, 10));
}
