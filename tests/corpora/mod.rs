//! The recorded corpora: where they are, and their pages.

#![allow(dead_code, reason = "each test and bench takes what it needs")]

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

use flate2::bufread::MultiGzDecoder;

/// The corpora by name.
pub const NAMES: [&str; 2] = ["machina", "spirit"];

/// An HTML page that was answered with status 200.
pub struct Page {
    pub url: String,
    pub body: Vec<u8>,
}

/// All HTML pages of a corpus; none, loudly, where it is missing.
pub fn pages(name: &str) -> Option<Vec<Page>> {
    let mut reader = open(&format!("{name}.warc.gz"))?;
    let mut pages = Vec::new();
    while let Some(head) = head(&mut reader) {
        let length = field(&head, "content-length").and_then(|length| length.parse().ok());
        let mut record = vec![0; length.expect("every record has a length")];
        reader.read_exact(&mut record).expect("records are whole");
        if field(&head, "warc-type") == Some("response") {
            let url = field(&head, "warc-target-uri").expect("every response has an address");
            pages.extend(html_body(&record).map(|body| Page { url: url.to_owned(), body }));
        }
    }
    Some(pages)
}

/// What a page is labelled as.
#[derive(Clone, Default)]
pub struct Label {
    pub page_type: String,
    /// Whether it shows what another address shows too, and that one is the canonical one.
    pub is_duplicate_view: bool,
}

/// The label of each address.
pub fn labels(name: &str) -> Option<BTreeMap<String, Label>> {
    let lines = open(&format!("{name}.labels.csv.gz"))?.lines().skip(1).map(|line| line.expect("text"));
    // Only addresses have commas in them; the eight fields behind the address have none.
    let labelled = |line: String| {
        let fields: Vec<&str> = line.rsplitn(9, ',').collect();
        let label = Label { page_type: (*fields.get(4)?).to_owned(), is_duplicate_view: *fields.get(2)? == "1" };
        Some((fields.get(8)?.trim_matches('"').to_owned(), label))
    };
    Some(lines.filter_map(labelled).collect())
}

fn open(file: &str) -> Option<BufReader<MultiGzDecoder<BufReader<File>>>> {
    let path = std::env::var_os("HARVESTMAN_CORPORA").map_or_else(beside_the_workspace, PathBuf::from).join(file);
    if let Ok(file) = File::open(&path) {
        return Some(BufReader::new(MultiGzDecoder::new(BufReader::new(file))));
    }
    let required = std::env::var_os("HARVESTMAN_REQUIRE_CORPORA").is_some_and(|value| value == "1");
    assert!(!required, "{} is missing", path.display());
    let message =
        format!("SKIPPED: {} is missing; set HARVESTMAN_CORPORA to the folder of the corpora\n", path.display());
    // Past the harness, which keeps what a passing test prints to itself.
    let _ = std::io::Write::write_all(&mut std::io::stderr(), message.as_bytes());
    None
}

/// `shared/corpora` beside the workspace, whichever of its packages is tested.
fn beside_the_workspace() -> PathBuf {
    let package = Path::new(env!("CARGO_MANIFEST_DIR"));
    let workspace = package.ancestors().find(|folder| folder.join("Cargo.lock").exists()).unwrap_or(package);
    workspace.join("../shared/corpora")
}

fn html_body(mut record: &[u8]) -> Option<Vec<u8>> {
    let http = head(&mut record)?;
    let is_html = field(&http, "content-type").is_some_and(|value| value.starts_with("text/html"));
    (http[0].contains(" 200") && is_html).then(|| record.to_vec())
}

/// The next lines up to an empty one; none at the end.
fn head(reader: &mut impl BufRead) -> Option<Vec<String>> {
    let mut lines = Vec::new();
    let mut line = Vec::new();
    while reader.read_until(b'\n', &mut line).expect("the corpus can be read") > 0 {
        let text = String::from_utf8_lossy(line.trim_ascii_end()).into_owned();
        line.clear();
        match (text.is_empty(), lines.is_empty()) {
            (true, false) => return Some(lines),
            (true, true) => {}
            _ => lines.push(text),
        }
    }
    None
}

fn field<'a>(head: &'a [String], name: &str) -> Option<&'a str> {
    let mut fields = head.iter().filter_map(|line| line.split_once(':'));
    fields.find(|(key, _)| key.eq_ignore_ascii_case(name)).map(|(_, value)| value.trim())
}
