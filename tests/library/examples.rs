//! The examples run, against sites on this machine, and show what they are to show. They are short.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::time::{Duration, SystemTime};

use futures_util::StreamExt;
use tokio::time::timeout;

use super::crawls::Forum;
use super::nats::Servers;

/// Lines of an example, without comments, imports and blank lines.
const LINES_MAX: usize = 40;
const ENDS_WITHIN: Duration = Duration::from_secs(60);

fn sources() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("examples")
}

/// The programs of the examples, beside the programs of the tests.
fn programs() -> PathBuf {
    let test = std::env::current_exe().unwrap();
    test.parent().and_then(Path::parent).unwrap().join("examples")
}

/// Whether a program is newer than all files that it was compiled from.
fn is_fresh(program: &Path) -> bool {
    let changed = |path: &Path| fs::metadata(path).and_then(|file| file.modified()).ok();
    let Some(built) = changed(program) else { return false };
    let sources = fs::read_to_string(program.with_extension("d")).unwrap_or_default();
    let mut sources = sources.split_once(": ").map_or("", |(_, sources)| sources).split_whitespace();
    sources.clone().next().is_some() && sources.all(|file| changed(Path::new(file)).is_some_and(|at| at <= built))
}

/// The program of an example. A run of all tests compiles the examples; a run of these tests alone may not.
fn program(name: &str) -> PathBuf {
    let program = programs().join(name);
    if !is_fresh(&program) {
        let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
        let mut build = Command::new(cargo);
        build.args(["build", "--quiet", "--locked", "--examples"]).current_dir(env!("CARGO_MANIFEST_DIR"));
        if programs().parent().is_some_and(|profile| profile.ends_with("release")) {
            build.arg("--release");
        }
        build.env("CARGO_TARGET_DIR", programs().parent().and_then(Path::parent).unwrap());
        assert!(build.status().unwrap().success(), "the examples cannot be compiled");
    }
    program
}

/// Runs an example, which must succeed. Returns the lines that it prints.
fn run(name: &str, arguments: &[&str]) -> Vec<String> {
    let program = program(name);
    let started = SystemTime::now();
    let Output { status, stdout, stderr } = Command::new(program).args(arguments).output().unwrap();
    assert!(status.success(), "{name}: {}", String::from_utf8_lossy(&stderr));
    assert!(started.elapsed().unwrap() < ENDS_WITHIN, "{name} takes too long");
    String::from_utf8(stdout).unwrap().lines().map(str::to_owned).collect()
}

/// The numbers in a line.
fn numbers(line: &str) -> Vec<u64> {
    line.split(|char: char| !char.is_ascii_digit()).filter_map(|number| number.parse().ok()).collect()
}

#[test]
fn embed_reads_pages_as_a_stream_stops_early_and_has_a_report() {
    let lines = run("embed", &[]);
    let (last, pages) = lines.split_last().unwrap();
    let [fetched, requests, wait] = numbers(last)[..] else { panic!("{last}") };
    assert!(fetched >= 20 && requests >= fetched && wait > 0, "{last}");
    assert!(pages.iter().filter(|line| line.starts_with("200 http://") && line.contains(" bytes, ")).count() >= 20);
}

#[test]
fn an_example_crawls_the_site_that_it_is_given() {
    let forum = Forum::of(20);
    let lines = run("embed", &[&forum.seed()]);
    assert!(lines[0].starts_with(&format!("200 {}", forum.seed())), "{}", lines[0]);
}

#[test]
fn own_policy_fetches_threads_first_and_no_help() {
    let lines = run("own_policy", &[]);
    let position = |part: &str| lines.iter().position(|line| line.contains(part));
    assert!(position("/help/").is_none());
    let (thread, member) = (position("/threads/").unwrap(), position("/members/").unwrap());
    assert!(thread < member, "{lines:#?}");
    assert!(numbers(lines.last().unwrap())[1] > 0, "links to help pages are refused");
}

#[test]
fn own_filter_follows_no_link_with_a_query() {
    let lines = run("own_filter", &[]);
    assert!(lines.len() > 20 && !lines.iter().any(|line| line.contains('?')));
    assert!(numbers(lines.last().unwrap())[1] > 0);
}

#[test]
fn sink_sqlite_has_a_row_for_each_page() {
    let lines = run("sink_sqlite", &[]);
    let [rows, _, pages] = numbers(&lines[0])[..] else { panic!("{lines:?}") };
    assert!(rows == pages && rows >= 60, "{lines:?}");
}

#[tokio::test]
async fn sink_nats_sends_a_message_for_each_page() {
    let Some(server) = Servers::plain("").await else { return };
    let client = async_nats::connect(server.url()).await.unwrap();
    let mut messages = client.subscribe("pages").await.unwrap();
    client.flush().await.unwrap();
    let url = server.url();
    let lines = tokio::task::spawn_blocking(move || run("sink_nats", &[&url])).await.unwrap();
    let mut fetched = 0;
    while let Ok(Some(message)) = timeout(Duration::from_secs(1), messages.next()).await {
        let page: serde_json::Value = serde_json::from_slice(&message.payload).unwrap();
        fetched += u64::from(page["status"] == 200);
    }
    assert!(fetched >= 60 && fetched == numbers(&lines[0])[0], "{fetched} messages; {lines:?}");
}

#[test]
fn parse_page_shows_links_places_and_text() {
    let expected = [
        "title  Herons",
        "link   https://forum.example.org/t/7  at /html/body/ul/li/a[thread]",
        "link   https://forum.example.org/t/8  at /html/body/ul/li/a[thread]",
        "link   https://forum.example.org/login  at /html/body/p/a",
        "text   Great egret Bittern Two threads. Log in",
    ];
    assert_eq!(run("parse_page", &[]), expected);
}

#[test]
fn politeness_waits_for_the_crawl_delay_and_for_retry_after() {
    let lines = run("politeness", &[]);
    assert_eq!(lines.len(), 5);
    assert_eq!((&*lines[0], &*lines[1]), ("  0.00 s /: 200", "never   /login: Disallow: /login"));
    let seconds = |line: &str| line.split_whitespace().next().unwrap().parse::<f64>().unwrap();
    let times = [0, 2, 3, 4].map(|line| seconds(&lines[line]));
    assert!(times[1] - times[0] >= 2.0 && times[2] - times[1] >= 30.0 && times[3] - times[2] >= 2.0, "{times:?}");
}

/// The Rust code of a document.
fn code(text: &str) -> Vec<&str> {
    let blocks = text.split("```rust\n").skip(1);
    blocks.filter_map(|rest| rest.split("```").next()).collect()
}

#[test]
fn the_guide_shows_parts_of_the_examples_and_names_all_of_them() {
    let guide = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/library.md")).unwrap();
    let examples = fs::read_dir(sources()).unwrap().map(|entry| entry.unwrap().path()).filter(|path| path.is_file());
    let examples: Vec<PathBuf> = examples.collect();
    let texts: Vec<String> = examples.iter().map(|path| fs::read_to_string(path).unwrap()).collect();
    for part in code(&guide) {
        assert!(texts.iter().any(|text| text.contains(part)), "in no example:\n{part}");
    }
    assert!(code(&guide).len() >= 3);
    for name in examples.iter().filter_map(|path| path.file_name()?.to_str()) {
        assert!(guide.contains(&format!("`examples/{name}`")), "{name} is not in the guide");
    }
}

/// The lines of a program that its author had to write, without comments, imports and blank lines.
fn length(text: &str) -> usize {
    let imports = |line: &str| line.starts_with("use ") || line.starts_with("mod ") || line.starts_with("#![");
    let lines = text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with("//"));
    lines.filter(|line| !imports(line)).count()
}

#[test]
fn examples_are_short_and_each_has_a_test() {
    let tests = include_str!("examples.rs");
    let mut names = Vec::new();
    for entry in fs::read_dir(sources()).unwrap().map(|entry| entry.unwrap().path()).filter(|path| path.is_file()) {
        let (name, text) =
            (entry.file_stem().unwrap().to_string_lossy().into_owned(), fs::read_to_string(&entry).unwrap());
        assert!(length(&text) <= LINES_MAX, "{name} has {} lines", length(&text));
        assert!(tests.contains(&format!("run(\"{name}\"")), "{name} has no test");
        names.push(name);
    }
    assert_eq!(names.len(), 7, "{names:?}");
}
