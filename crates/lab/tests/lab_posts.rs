//! `harvestman-lab lab posts`: from a recording and a truth file to figures.
#![expect(clippy::unwrap_used, reason = "the helpers of a test fail as the test does")]

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::{Value, json};

const PAGES: usize = 6;
const POSTS: usize = 5;

const WORDS: [&str; 17] = [
    "garden",
    "kettle",
    "river",
    "bridge",
    "engine",
    "window",
    "recipe",
    "slowly",
    "under",
    "never",
    "some",
    "battery",
    "works",
    "broken",
    "again",
    "small",
    "yesterday",
];

/// A text that shares no sentence with others.
fn text(number: usize) -> String {
    (0..14).map(|at| WORDS[(number * 31 + at * at * (number + 3)) % WORDS.len()]).collect::<Vec<_>>().join(" ")
}

fn url(page: usize) -> String {
    format!("http://forum.test/topic/{page}")
}

fn response(url: &str, html: &str) -> String {
    let message = format!("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n{html}");
    let head =
        format!("WARC/1.1\r\nWARC-Type: response\r\nWARC-Target-URI: {url}\r\nWARC-Date: 2025-06-20T16:04:05Z\r\n");
    format!("{head}Content-Length: {}\r\n\r\n{message}\r\n\r\n", message.len())
}

/// Writes a recorded forum and its truth.
fn write(folder: &Path) -> (PathBuf, PathBuf) {
    let (mut warc, mut truth) = (String::new(), String::new());
    for page in 0..PAGES {
        let mut html =
            format!("<html><head><title>Topic {page}</title></head><body><h1>Topic {page}</h1><div id=posts>");
        for post in 0..POSTS {
            let (number, author) = (page * POSTS + post, ["Ada", "Bo", "Cy"][post % 3]);
            let time = format!("2025-0{}-1{post} 10:2{post}", page + 1);
            let name = format!("<a href=/user/{author}>{author}</a> <span class=date>{time}</span>");
            write!(html, "<div class=post id=p{number}>{name}<div class=text>{}</div></div>", text(number)).unwrap();
            let line = json!({
                "id": format!("p{number}"), "thread": page.to_string(), "author": author, "text": text(number),
                "time": format!("{}:00+00:00", time.replace(' ', "T")), "pages": [url(page)],
            });
            writeln!(truth, "{line}").unwrap();
        }
        warc += &response(&url(page), &format!("{html}</div></body></html>"));
    }
    warc += &response("http://forum.test/about", "<html><body><p>About</body></html>");
    let paths = (folder.join("forum.warc"), folder.join("truth.jsonl"));
    std::fs::write(&paths.0, warc).unwrap();
    std::fs::write(&paths.1, truth).unwrap();
    paths
}

fn lab_posts(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_harvestman-lab")).args(["lab", "posts"]).args(arguments).output().unwrap()
}

#[test]
fn a_recording_is_measured_against_its_truth() {
    let folder = tempfile::tempdir().unwrap();
    let (warc, truth) = write(folder.path());
    let (warc, truth) = (warc.to_str().unwrap(), truth.to_str().unwrap());
    let output = lab_posts(&[warc, "--truth", truth, "--json", "-"]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let rows: Value = serde_json::from_slice(&output.stdout).unwrap();
    let all = &rows["rows"][0];
    assert_eq!((&all["corpus"], &all["task"], &all["pages"]), (&json!("forum"), &json!("posts"), &json!(PAGES + 1)));
    assert_eq!((&all["posts_shown"], &all["site_posts"]), (&json!(PAGES * POSTS), &json!(PAGES * POSTS)));
    assert!(all["post_f1"].as_f64().unwrap() >= 0.9, "{all}");
    assert!(all["minute_right"].as_f64().unwrap() >= 0.9, "{all}");
    let targets: Vec<_> = rows["rows"].as_array().unwrap().iter().filter_map(|row| row["target"].as_str()).collect();
    assert_eq!(targets, ["/*", "/topic/*"]);
    let tables = lab_posts(&[warc, "--truth", truth, "--worst", "3", "--no-markup"]);
    let text = String::from_utf8(tables.stdout).unwrap();
    assert!(text.starts_with("Posts of forum (no-markup)") && text.contains("Over the site"), "{text}");
}

#[test]
fn files_that_do_not_fit_are_refused_with_the_reason() {
    let folder = tempfile::tempdir().unwrap();
    let (warc, truth) = write(folder.path());
    let warc = warc.to_str().unwrap();
    let refused = |text: &str| {
        std::fs::write(&truth, text).unwrap();
        let output = lab_posts(&[warc, "--truth", truth.to_str().unwrap()]);
        assert_eq!(output.status.code(), Some(2), "{text}");
        String::from_utf8(output.stderr).unwrap()
    };
    assert!(refused("{}\n").contains("truth.jsonl, line 1: missing field `id`"));
    let other = refused(r#"{"id": "1", "text": "a", "pages": ["http://other.test/"]}"#);
    assert!(other.contains("is it the truth of another recording?"), "{other}");
    let missing = lab_posts(&[folder.path().to_str().unwrap(), "--truth", "/none"]);
    assert!(String::from_utf8(missing.stderr).unwrap().contains("cannot open /none"));
}
