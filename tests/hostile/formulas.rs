//! Texts of a site that a spreadsheet would take for formulas.

use std::fmt::Write as _;

use super::crawl::harvestman;

const NAMES: [&str; 7] = ["=ann", "@bob", "carla", "dora", "emil", "fritz", "gerda"];
const WORDS: [&str; 11] =
    ["apple", "bread", "candle", "door", "engine", "forest", "garden", "harbour", "island", "jacket", "kettle"];
const THREADS: usize = 12;

/// A page of a thread. Every post begins with a formula.
fn page(thread: usize) -> String {
    let mut posts = String::new();
    for at in 0..3 {
        let name = NAMES[(thread + 3 * at) % NAMES.len()];
        let words: Vec<_> = (0..12).map(|word| WORDS[(thread * 5 + at * 3 + word * (1 + at)) % WORDS.len()]).collect();
        let words = words.join(" ");
        let _ = write!(
            posts,
            "<div class=post id=p{thread}{at}><div class=head><a href=/u/{at}>{name}</a> <time>{} Jan 2026 10:{thread:02}</time></div>\
             <div class=text>=HYPERLINK(\"http://h.test\",\"x\") {words}</div></div>",
            at + 2,
        );
    }
    format!("<title>-2+3 thread {thread}</title><h1>-2+3 thread {thread}</h1>{posts}")
}

fn warc() -> String {
    let mut warc = String::new();
    for thread in 0..THREADS {
        let block = format!("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n{}", page(thread));
        let _ = write!(
            warc,
            "WARC/1.1\r\nWARC-Type: response\r\nWARC-Target-URI: http://h.test/t/{thread}\r\nWARC-Date: 2026-05-01T00:00:00Z\r\n\
             Content-Length: {}\r\n\r\n{block}\r\n\r\n",
            block.len()
        );
    }
    warc
}

#[test]
fn a_table_for_spreadsheets_has_no_formulas_and_other_formats_have_the_texts_as_they_are() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("a.warc");
    std::fs::write(&file, warc()).unwrap();
    let export = |format: &str| {
        let out = dir.path().join(format);
        let command =
            harvestman().arg("posts").arg(&file).args(["--format", format, "--out"]).arg(&out).output().unwrap();
        assert!(command.status.success(), "{}", String::from_utf8_lossy(&command.stderr));
        out
    };
    let csv = export("csv");
    let posts = std::fs::read_to_string(csv.join("posts.csv")).unwrap();
    assert_eq!(posts.matches("\"'=HYPERLINK(\"\"http://h.test\"\"").count(), THREADS * 3, "{posts}");
    for name in ["posts.csv", "threads.csv", "users.csv"] {
        let text = std::fs::read_to_string(csv.join(name)).unwrap();
        let formulas: Vec<_> =
            text.lines().filter(|line| [",=", ",\"=", ",@", ",+"].iter().any(|cell| line.contains(cell))).collect();
        assert!(formulas.is_empty(), "{name}: {formulas:?}");
    }
    let plain = std::fs::read_to_string(export("jsonl").join("posts.jsonl")).unwrap();
    assert_eq!(plain.matches("\"=HYPERLINK(").count(), THREADS * 3, "{plain}");
}
