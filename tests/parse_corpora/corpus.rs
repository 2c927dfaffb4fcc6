//! Pages of the recorded corpora.

use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::PathBuf;

use flate2::bufread::MultiGzDecoder;

/// Where a corpus is; none, loudly, where it is missing.
pub fn corpus_file(name: &str) -> Option<PathBuf> {
    let folder =
        std::env::var_os("HARVESTMAN_CORPORA").map_or_else(|| PathBuf::from("../shared/corpora"), PathBuf::from);
    let file = folder.join(format!("{name}.warc.gz"));
    if file.is_file() {
        return Some(file);
    }
    assert!(
        std::env::var_os("HARVESTMAN_REQUIRE_CORPORA").is_none_or(|value| value != "1"),
        "{} is missing",
        file.display()
    );
    // Past the harness, which keeps what a passing test prints to itself.
    let _ = std::io::Write::write_all(
        &mut std::io::stderr(),
        format!("SKIPPED: {} is missing; set HARVESTMAN_CORPORA to the folder of the corpora\n", file.display())
            .as_bytes(),
    );
    None
}

/// The bodies of all HTML pages with status 200 in a WARC file.
pub fn html_pages(file: &PathBuf) -> Vec<Vec<u8>> {
    let mut reader =
        BufReader::new(MultiGzDecoder::new(BufReader::new(File::open(file).expect("the corpus can be opened"))));
    let mut pages = Vec::new();
    while let Some(head) = head(&mut reader) {
        let length =
            field(&head, "content-length").and_then(|length| length.parse().ok()).expect("every record has a length");
        let mut record = vec![0; length];
        reader.read_exact(&mut record).expect("records are whole");
        if field(&head, "warc-type").as_deref() != Some("response") {
            continue;
        }
        let mut record = &record[..];
        let http = self::head(&mut record).unwrap_or_default();
        let is_html = field(&http, "content-type").is_some_and(|value| value.starts_with("text/html"));
        if http.first().is_some_and(|status| status.contains(" 200")) && is_html {
            pages.push(record.to_vec());
        }
    }
    pages
}

/// The next lines up to an empty one; none at the end.
fn head(reader: &mut impl BufRead) -> Option<Vec<String>> {
    let mut lines = Vec::new();
    loop {
        let mut line = Vec::new();
        if reader.read_until(b'\n', &mut line).expect("the corpus can be read") == 0 {
            return None;
        }
        let line = String::from_utf8_lossy(line.trim_ascii_end()).into_owned();
        match (line.is_empty(), lines.is_empty()) {
            (true, false) => return Some(lines),
            (true, true) => {}
            _ => lines.push(line),
        }
    }
}

fn field(head: &[String], name: &str) -> Option<String> {
    let fields = head.iter().filter_map(|line| line.split_once(':'));
    fields.filter(|(key, _)| key.eq_ignore_ascii_case(name)).map(|(_, value)| value.trim().to_owned()).next()
}
