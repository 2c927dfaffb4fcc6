//! What is shown of how posts were found, and corrections of it, on the directory of a crawl.
#![allow(clippy::unwrap_used, reason = "what goes wrong here is a failed test")]

use std::fmt::Write as _;
use std::path::Path;
use std::process::{Command, Output};

const NAMES: [&str; 7] = ["ann", "bob", "carla", "dora", "emil", "fritz", "gerda"];
const WORDS: [&str; 11] =
    ["apple", "bread", "candle", "door", "engine", "forest", "garden", "harbour", "island", "jacket", "kettle"];
const THREADS: usize = 12;

/// A page of a thread whose posts have headings.
fn page(thread: usize) -> String {
    let mut posts = String::new();
    for at in 0..3 {
        let name = NAMES[(thread + 3 * at) % NAMES.len()];
        let words = (0..12).map(|word| WORDS[(thread * 5 + at * 3 + word * (1 + at)) % WORDS.len()]);
        let text = words.collect::<Vec<_>>().join(" ");
        let _ = write!(
            posts,
            "<div class=post id=p{thread}{at}><div class=head><a href=/u/{name}>{name}</a> <time>{} Jan 2026 10:{thread:02}</time></div>\
             <h3>About {thread}{at}</h3><div class=text>{text}</div></div>",
            at + 2,
        );
    }
    format!("<title>Thread {thread}</title><h1>Thread {thread}</h1>{posts}")
}

/// Writes the directory of a crawl: its WARC file and its page log.
fn crawl() -> tempfile::TempDir {
    let directory = tempfile::tempdir().unwrap();
    let (mut warc, mut log) = (String::new(), String::new());
    let pages = (0..THREADS).map(|thread| (format!("http://h/t/{thread}"), "200 OK", page(thread)));
    let others = [("http://h/empty", "200 OK", "<p>nothing"), ("http://h/gone", "404 Not Found", "<p>gone")];
    let others = others.map(|(url, status, body)| (url.to_owned(), status, body.to_owned()));
    for (url, status, body) in pages.chain(others) {
        let (block, offset) = (format!("HTTP/1.1 {status}\r\nContent-Type: text/html\r\n\r\n{body}"), warc.len());
        let _ = write!(
            warc,
            "WARC/1.1\r\nWARC-Type: response\r\nWARC-Target-URI: {url}\r\nWARC-Date: 2026-05-01T00:00:00Z\r\n\
             Content-Length: {}\r\n\r\n{block}\r\n\r\n",
            block.len()
        );
        let _ = writeln!(
            log,
            "{{\"url\":\"{url}\",\"fate\":\"fetched\",\"status\":{},\"content_type\":\"text/html\",\"warc_file\":\"warc/a.warc\",\
             \"warc_offset\":{offset}}}",
            &status[..3]
        );
    }
    std::fs::create_dir(directory.path().join("warc")).unwrap();
    std::fs::write(directory.path().join("warc/a.warc"), warc).unwrap();
    std::fs::write(directory.path().join("pages.jsonl"), log).unwrap();
    directory
}

fn run(args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_harvestman")).args(args).output().unwrap()
}

/// Returns what a command prints that succeeds.
fn printed(args: &[&str]) -> String {
    let output = run(args);
    assert!(output.status.success(), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

/// Returns the exit code and the error of a command that fails.
fn failed(args: &[&str]) -> (i32, String) {
    let output = run(args);
    (output.status.code().unwrap(), String::from_utf8(output.stderr).unwrap())
}

fn posts(directory: &Path) -> Vec<serde_json::Value> {
    let lines = printed(&["posts", directory.to_str().unwrap(), "--quiet"]);
    lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn the_places_of_a_page_of_a_crawl_are_shown() {
    let directory = crawl();
    let crawl = directory.path().to_str().unwrap();
    let shown = printed(&["inspect", "posts", "http://h/t/3", "--crawl", crawl]);
    for line in [
        "page      http://h/t/3",
        "of the 13 pages learned from have dates there",
        "author   (div.post > div.head > a)",
        "id       30  (div.post @id)",
    ] {
        assert!(shown.contains(line), "{line} is not in\n{shown}");
    }
    assert!(shown.ends_with("\n3 posts\n"), "{shown}");
    let json = printed(&["inspect", "posts", "http://h/t/3", "--crawl", crawl, "--json"]);
    let answer: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!((&answer["evidence"]["learned_from"], &answer["warc_file"]), (&13.into(), &"warc/a.warc".into()));
    let empty = printed(&["inspect", "posts", "http://h/empty", "--crawl", crawl]);
    assert!(empty.contains("no posts: the page shows no date"), "{empty}");
    let (code, error) = failed(&["inspect", "posts", "http://h/gone", "--crawl", crawl]);
    assert!(code == 1 && error.contains("its status is 404"), "{error}");
    let (code, error) = failed(&["inspect", "posts", "http://h/missing", "--crawl", crawl]);
    assert!(code == 2 && error.contains("is not in the page log"), "{error}");
}

#[test]
fn corrections_are_kept_and_count_wherever_posts_are_read() {
    let directory = crawl();
    let crawl = directory.path().to_str().unwrap();
    let are_names = |posts: &[serde_json::Value]| {
        posts.iter().all(|post| post["author"].as_str().is_some_and(|author| NAMES.contains(&author)))
    };
    let are_headings = |posts: &[serde_json::Value]| {
        posts.iter().all(|post| post["text"].as_str().is_some_and(|text| text.starts_with("About ")))
    };
    let found = posts(directory.path());
    assert!(found.len() == 3 * THREADS && are_names(&found) && !are_headings(&found));
    let told = printed(&["posts", "teach", crawl, "http://h/t/3", "--field", "text", "--path", "h3"]);
    assert!(
        told.starts_with("1. h: text is `h3`\non http://h/t/3: `h3` matches 3 elements in 3 of 3 posts; "),
        "{told}"
    );
    assert!(told.contains(" to `About 30` (2 words)"), "{told}");
    assert!(are_headings(&posts(directory.path())));
    let told = printed(&["posts", "teach", crawl, "http://h/t/3", "--field", "author", "--path", ".head a", "--not"]);
    assert!(
        told.contains("2. h: author is not `.head a`\n") && told.contains("the author of 3 posts changes"),
        "{told}"
    );
    assert!(!are_names(&posts(directory.path())));
    let shown = printed(&["inspect", "posts", "http://h/t/5", "--crawl", crawl]);
    assert!(shown.contains("   text     (div.post > h3, as taught)\n"), "{shown}");
    assert_eq!(printed(&["posts", "teach", crawl, "--list"]), "1. h: text is `h3`\n2. h: author is not `.head a`\n");
    assert_eq!(printed(&["posts", "teach", crawl, "--remove", "2"]), "removed 2. h: author is not `.head a`\n");
    assert!(are_names(&posts(directory.path())));
    let (code, error) = failed(&["posts", "teach", crawl, "--remove", "2"]);
    assert!(code == 2 && error.contains("there is no correction 2: there are 1"), "{error}");
    let (code, error) = failed(&["posts", "teach", crawl, "http://h/t/3", "--field", "text", "--path", "h3"]);
    assert!(code == 2 && error.contains("taught already: 1. h: text is `h3`"), "{error}");
}

#[test]
fn what_cannot_be_taught_is_told_and_not_kept() {
    let directory = crawl();
    let crawl = directory.path().to_str().unwrap();
    let teach =
        |url: &str, field: &str, path: &str| failed(&["posts", "teach", crawl, url, "--field", field, "--path", path]);
    for (url, field, path, wanted) in [
        ("http://h/t/3", "author", "a[", (2, "is not a CSS selector")),
        ("http://h/t/99", "author", "a", (2, "is not in the page log")),
        ("http://h/t/3", "author", ".missing", (1, "matches no element")),
        ("http://h/t/3", "author", "h1", (1, "none of them is in one of 3 posts")),
        ("http://h/t/3", "time", "h3", (1, "no date can be read in `About 30`")),
        ("http://h/gone", "author", "a", (1, "its status is 404")),
    ] {
        let (code, error) = teach(url, field, path);
        assert!(code == wanted.0 && error.contains(wanted.1), "{field} {path}: {code} {error}");
    }
    assert!(!directory.path().join("posts.corrections.json").exists());
    assert_eq!(failed(&["posts", "teach", crawl]).0, 2);
    assert_eq!(failed(&["posts", "teach", crawl, "http://h/t/3"]).0, 2);
    std::fs::write(directory.path().join("posts.corrections.json"), "{\"version\":9,\"corrections\":[]}").unwrap();
    let (code, error) = failed(&["posts", crawl]);
    assert!(code == 2 && error.contains("version 9"), "{error}");
}
