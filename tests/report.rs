//! `harvestman report` of real crawls: ended, killed, running, recrawled, damaged.
#![allow(clippy::unwrap_used, reason = "the shared parts of a test may panic as the tests themselves may")]
#![allow(clippy::disallowed_methods, reason = "a test of a real server may look at the clock")]

#[path = "resume/runs.rs"]
#[allow(dead_code, reason = "the tests of resume use all of it")]
mod runs;

use std::fs;
use std::path::Path;
use std::process::Output;
use std::time::Duration;

use harvestman::sim::{Family, Server, WorldOptions};
use runs::{Runs, harvestman, output, serve};
use scraper::{Html, Selector};
use serde_json::Value;

fn forum(pages: u64, latency: Duration) -> Server {
    let families = vec![Family::Forum];
    serve(&WorldOptions { pages, hosts: 1, families, page_bytes: 400, links: 20, ..WorldOptions::default() }, latency)
}

fn crawled(server: &Server, settings: &[&str]) -> Runs {
    let runs = Runs::of(server, settings);
    let done = output(runs.crawl());
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    let told = String::from_utf8(done.stdout).unwrap();
    assert!(told.contains(&format!("harvestman report {}", runs.out().display())), "{told}");
    runs
}

/// A process that is killed when dropped.
struct Killed(std::process::Child);

impl Killed {
    fn kill(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

impl Drop for Killed {
    fn drop(&mut self) {
        self.kill();
    }
}

fn report(directory: &Path, more: &[&str]) -> Output {
    let mut command = harvestman("report");
    command.arg(directory).args(more);
    output(command)
}

/// Returns the report in a format, from standard output.
fn text(directory: &Path, format: &str) -> String {
    let made = report(directory, &["--format", format, "--out", "-"]);
    assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
    String::from_utf8(made.stdout).unwrap()
}

fn document(directory: &Path) -> Value {
    serde_json::from_str(&text(directory, "json")).unwrap()
}

/// Returns all figures of a page that have a path in the document, after checking each against it.
fn figures(page: &Html, document: &Value) -> Vec<(String, f64)> {
    let data = Selector::parse("data[data-key]").unwrap();
    let figure = |element: scraper::ElementRef<'_>| {
        let key = element.attr("data-key").unwrap().to_owned();
        let value: f64 = element.attr("value").unwrap().parse().unwrap();
        let there = key.split('.').try_fold(document, |at, part| at.get(part));
        assert_eq!(there.and_then(Value::as_f64), Some(value), "{key}");
        (key, value)
    };
    page.select(&data).map(figure).collect()
}

fn of(figures: &[(String, f64)], key: &str) -> Option<f64> {
    figures.iter().find(|(name, _)| name == key).map(|(_, value)| *value)
}

/// Checks every report of a crawl that has ended.
fn check(runs: &Runs) -> (Html, Value) {
    let (own, document) = (runs.report(), document(&runs.out()));
    assert_eq!(document["report"], own, "carried along as it was written");
    let page = text(&runs.out(), "html");
    let parsed = Html::parse_document(&page);
    let figures = figures(&parsed, &document);
    for key in ["pages", "requests", "bytes", "hosts", "discovered", "wall_seconds", "cpu_seconds", "dedup.urls"] {
        let expected = key.split('.').try_fold(&own, |at, part| at.get(part)).and_then(Value::as_f64);
        assert_eq!(of(&figures, &format!("report.{key}")), expected, "{key}");
    }
    let fates: f64 = figures.iter().filter(|(key, _)| key.starts_with("report.fates.")).map(|(_, value)| value).sum();
    assert_eq!(Some(fates), own["discovered"].as_f64(), "the fates on the page add up");
    assert!(page.contains("add up to the same number"), "and it says so");
    check_nothing_is_fetched(&page, &parsed);
    check_markdown(&text(&runs.out(), "markdown"), &own);
    check_log(runs, &document);
    (parsed, document)
}

fn check_nothing_is_fetched(page: &str, parsed: &Html) {
    for forbidden in ["script", "link", "img", "iframe", "object", "embed", "[src]", "[srcset]", "base"] {
        assert_eq!(parsed.select(&Selector::parse(forbidden).unwrap()).count(), 0, "{forbidden}");
    }
    assert!(!page.contains("url(") && !page.contains("@import"));
    let href = Selector::parse("[href]").unwrap();
    assert!(parsed.select(&href).all(|element| element.value().name() == "a"));
}

fn check_markdown(text: &str, own: &Value) {
    let grouped = |number: &Value| {
        let digits = number.to_string();
        let from_end = digits.bytes().rev().enumerate();
        let text: Vec<u8> = from_end
            .flat_map(|(at, digit)| if at > 0 && at % 3 == 0 { vec![b',', digit] } else { vec![digit] })
            .collect();
        String::from_utf8(text.into_iter().rev().collect()).unwrap()
    };
    assert!(text.contains(&format!("- Pages fetched: {}\n", grouped(&own["pages"]))), "{text}");
    assert!(text.contains(&format!("| sum |  | {} | 100.0 % |", grouped(&own["discovered"]))), "{text}");
    let cells = |line: &str| line.replace("\\|", "").matches('|').count();
    let lines: Vec<&str> = text.lines().collect();
    let rules = (0..lines.len()).filter(|at| lines[*at].starts_with("| --"));
    for at in rules {
        let rows = lines[at + 1..].iter().take_while(|line| line.starts_with('|'));
        assert!(rows.chain([&lines[at - 1]]).all(|line| cells(line) == cells(lines[at])), "{}", lines[at - 1]);
    }
}

/// Checks the figures of the log by counting its lines.
fn check_log(runs: &Runs, document: &Value) {
    let (lines, log) = (runs.lines(), &document["log"]);
    let fetched = lines.iter().filter(|line| line.fate == "fetched").count();
    let requests: u64 = lines.iter().map(|line| u64::from(line.attempts)).sum();
    let bytes: u64 = lines.iter().map(|line| line.bytes).sum();
    assert_eq!((&log["lines"], &log["pages"]), (&lines.len().into(), &fetched.into()));
    assert_eq!((&log["requests"], &log["bytes"]), (&requests.into(), &bytes.into()));
    let curve = log["curve"].as_array().unwrap();
    let end = curve.last().unwrap();
    assert_eq!((&end["pages"], &end["requests"]), (&fetched.into(), &requests.into()));
    assert!(curve.len() > 100 && curve.len() <= 301, "{}", curve.len());
    let grows = |name: &str| curve.windows(2).all(|pair| pair[0][name].as_f64() <= pair[1][name].as_f64());
    assert!(["pages", "requests", "seconds", "bytes"].into_iter().all(grows));
    let files: u64 =
        document["warcs"]["files"].as_array().unwrap().iter().filter_map(|file| file["bytes"].as_u64()).sum();
    assert_eq!(document["warcs"]["bytes"], files);
}

#[test]
fn the_report_of_a_breadth_first_crawl_has_the_numbers_of_its_report_json() {
    let runs = crawled(&forum(400, Duration::ZERO), &["host.delay=0s", "host.connections_per_host=4"]);
    let (page, document) = check(&runs);
    assert_eq!(document["standing"]["reason"], "frontier_empty");
    assert!(
        document["site"]["source"].is_null() && !document["log"]["groups"]["places"].as_array().unwrap().is_empty()
    );
    let commands: String = page.select(&Selector::parse("pre").unwrap()).flat_map(|pre| pre.text()).collect();
    assert!(commands.contains("harvestman recrawl") && commands.contains("harvestman explain"), "{commands}");
}

#[test]
fn the_report_of_a_learning_crawl_has_its_clusters_and_their_worth() {
    let settings = [
        "host.delay=0s",
        "host.connections_per_host=2",
        "frontier.in_flight_max=8",
        "crawl.policy=ucc",
        "budget.pages=250",
    ];
    let runs = crawled(&forum(1_200, Duration::ZERO), &settings);
    let (page, document) = check(&runs);
    let kinds = document["site"]["kinds"].as_array().unwrap();
    assert_eq!(
        (&document["site"]["source"], &document["site"]["learnt_from"]),
        (&"site-model.json.gz".into(), &250.into())
    );
    assert_eq!(kinds.iter().filter_map(|kind| kind["learnt"].as_u64()).sum::<u64>(), 250, "{kinds:#?}");
    assert!(kinds[0]["examples"][0]["title"].is_string() && kinds[0]["worth"].is_number(), "{kinds:#?}");
    assert!(document["log"]["curve"].as_array().unwrap().last().unwrap()["worth"].as_f64() > Some(1.0));
    let commands: String = page.select(&Selector::parse("pre").unwrap()).flat_map(|pre| pre.text()).collect();
    assert!(commands.contains("--pages 500") && commands.contains("--model"), "{commands}");
    // Without the model the log still tells pages apart; with a spoilt one it is told.
    fs::write(runs.out().join("site-model.json.gz"), "spoilt").unwrap();
    let document = self::document(&runs.out());
    assert_eq!(document["site"]["source"], "policy.jsonl");
    assert!(document["notes"][0].as_str().unwrap().contains("The site model is left out"), "{}", document["notes"]);
}

#[test]
fn waits_between_requests_are_compared_with_the_delay() {
    let settings = ["host.delay=15ms", "host.delay_factor=0", "budget.pages=120"];
    let runs = crawled(&forum(300, Duration::from_millis(2)), &settings);
    let document = document(&runs.out());
    let host = &document["log"]["hosts"]["top"][0];
    assert_eq!((&document["delay_ms"], &host["waits_short"]), (&15.into(), &0.into()), "{host}");
    assert!(
        host["wait_least_ms"].as_f64().unwrap() >= 15.0 && host["gap_median_ms"].as_f64().unwrap() >= 15.0,
        "{host}"
    );
    assert!(text(&runs.out(), "html").contains("waits none was shorter"));
    // As if a shorter wait had been logged: the same request twice, a millisecond later.
    let log = fs::read_to_string(runs.out().join("pages.jsonl")).unwrap();
    let last: Value = serde_json::from_str(log.lines().last().unwrap()).unwrap();
    let line = format!(
        "{}\n",
        serde_json::json!({"url": last["url"], "fate": "fetched", "time": last["time"], "attempts": 1})
    );
    fs::write(runs.out().join("pages.jsonl"), log + &line).unwrap();
    assert_eq!(self::document(&runs.out())["log"]["hosts"]["waits_short"], 1);
}

#[test]
fn a_killed_and_a_running_crawl_have_reports_that_say_so() {
    let server = forum(2_000, Duration::from_millis(5));
    let runs = Runs::of(&server, &["host.delay=0s", "host.connections_per_host=4"]);
    let mut child = Killed(runs.start(runs.crawl()));
    runs.await_pages();
    runs.await_control();
    let until = std::time::Instant::now() + Duration::from_secs(30);
    let mut running = document(&runs.out());
    while running["status"]["pages"].as_u64() == Some(0) {
        assert!(std::time::Instant::now() < until, "no page in time: {}", runs.stderr());
        running = document(&runs.out());
    }
    assert_eq!(running["standing"]["is"], "running");
    assert!(
        running["status"]["pages"].as_u64() >= Some(1) && running["account"]["adds_up"] == true,
        "{}",
        running["account"]
    );
    assert!(text(&runs.out(), "html").contains("The crawl has been running"));
    child.kill();
    let killed = document(&runs.out());
    assert_eq!((&killed["standing"]["is"], &killed["report"]), (&"broken_off".into(), &Value::Null));
    assert!(killed["log"]["pages"].as_u64() >= running["log"]["pages"].as_u64());
    let page = text(&runs.out(), "html");
    assert!(page.contains("The crawl was broken off") && page.contains("harvestman resume"), "{page}");
    let figures = figures(&Html::parse_document(&page), &killed);
    assert_eq!(of(&figures, "log.pages"), killed["log"]["pages"].as_f64());
}

#[test]
fn a_damaged_log_is_told_and_the_rest_of_it_counted() {
    let runs = crawled(&forum(60, Duration::ZERO), &["host.delay=0s", "archive.pages_compress=gzip"]);
    let whole = document(&runs.out())["log"]["lines"].as_u64().unwrap();
    assert!(whole >= 60);
    let packed = fs::read(runs.out().join("pages.jsonl.gz")).unwrap();
    // Within the last batch: one that ends where a batch does cannot be told from a whole one.
    fs::write(runs.out().join("pages.jsonl.gz"), &packed[..packed.len() - 10]).unwrap();
    let cut = document(&runs.out());
    assert!(cut["notes"].to_string().contains("ends within a line"), "{}", cut["notes"]);
    fs::remove_file(runs.out().join("pages.jsonl.gz")).unwrap();
    assert!(document(&runs.out())["notes"].to_string().contains("There is no page log"));
    let lines = [r#"{"url":"http://h.test/","fate":"fetched"}"#, "\0\0\0", r#"{"url":"http://h.test/x","fa"#];
    fs::write(runs.out().join("pages.jsonl"), lines.join("\n")).unwrap();
    let damaged = document(&runs.out());
    assert_eq!((&damaged["log"]["lines"], &damaged["log"]["damaged"]), (&1.into(), &1.into()));
    let page = text(&runs.out(), "html");
    assert!(page.contains("1 of 2 lines of the page log cannot be read (the first is line 2)"), "{page}");
}

#[test]
fn a_recrawl_has_all_rounds_and_a_directory_of_another_version_what_it_has() {
    let server = forum(80, Duration::ZERO);
    let runs = crawled(&server, &["host.delay=0s"]);
    let again = output(runs.recrawl());
    assert!(again.status.success(), "{}", String::from_utf8_lossy(&again.stderr));
    let document = document(&runs.out());
    assert_eq!(document["earlier"].as_array().unwrap().len(), 1);
    assert_eq!(document["report"], runs.report());
    let page = text(&runs.out(), "html");
    assert!(page.contains("The crawl and its recrawls") && page.contains("revisited"), "{page}");
    figures(&Html::parse_document(&page), &document);
    // Settings that are not known, reports with fields missing, no archive, no state.
    fs::write(runs.out().join("config.toml"), "[crawl]\nseeds = ['http://h.test/']\nwings = 2\n").unwrap();
    fs::write(runs.out().join("report.json"), r#"{"pages": 5, "stop_reason": "frontier_empty"}"#).unwrap();
    fs::remove_dir_all(runs.out().join("warc")).unwrap();
    fs::remove_dir_all(runs.out().join("state")).unwrap();
    let page = text(&runs.out(), "html");
    assert!(page.contains("crawl.wings") && page.contains("unknown to this version"), "{page}");
    assert!(page.contains(">missing<"), "the archive is named and missing");
    text(&runs.out(), "markdown");
}

#[test]
fn reports_are_written_to_the_given_file_and_never_over_those_of_the_crawl() {
    let runs = crawled(&forum(40, Duration::ZERO), &["host.delay=0s"]);
    let out = runs.out();
    for (format, file) in [("html", "report.html"), ("markdown", "report.md"), ("json", "full-report.json")] {
        let made = report(&out, &["--format", format]);
        let path = out.join(file);
        assert_eq!(String::from_utf8(made.stdout).unwrap().trim(), path.display().to_string());
        assert!(fs::metadata(path).unwrap().len() > 1_000);
    }
    let before = fs::read(out.join("report.json")).unwrap();
    let own = out.join("report.json").display().to_string();
    assert_eq!(report(&out, &["--format", "json", "--out", &own]).status.code(), Some(2));
    assert_eq!(fs::read(out.join("report.json")).unwrap(), before);
    assert_eq!(report(&out, &["--out", "/nonexistent/report.html"]).status.code(), Some(4));
}

#[test]
fn other_directories_are_refused_with_advice() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("file");
    fs::write(&file, "x").unwrap();
    fs::write(dir.path().join("config.toml"), "x = 1").unwrap();
    for (path, said) in [
        (dir.path().to_owned(), "is not a crawl directory"),
        (dir.path().join("nothing"), "does not exist"),
        (file, "is not a directory"),
    ] {
        let refused = report(&path, &[]);
        let told = String::from_utf8(refused.stderr).unwrap();
        assert!(refused.status.code() == Some(2) && told.contains(said) && told.contains("--out"), "{told}");
    }
    assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 2, "nothing is written");
    // Unreadable files are reported, and not an error.
    fs::create_dir(dir.path().join("pages.jsonl")).unwrap();
    assert!(text(dir.path(), "html").contains("The page log can"), "it is a directory");
}
