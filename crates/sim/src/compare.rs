//! Compares the result of a crawl with the ground truth of the simulated world.

use std::collections::HashMap;
use std::fs::File;
use std::io::{self, BufRead, BufReader};
use std::path::Path;

use crate::TruthRow;
use harvestman_core::model::PageRecord;

/// The result of a comparison. The first few mistakes of each kind are listed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Comparison {
    /// URLs that answer 200 and are allowed.
    pub pages_true: u64,
    /// Those of them that were fetched.
    pub pages_fetched: u64,
    /// URLs of the ground truth that have no line in the page log, or a fate other than expected.
    pub wrong: Vec<String>,
    /// URLs with more than one line.
    pub twice: Vec<String>,
    /// URLs with a line that are not in the ground truth.
    pub unknown: Vec<String>,
}

/// Maximum number of listed mistakes of one kind.
const NAMED_MAX: usize = 20;

impl Comparison {
    /// Returns whether the crawl found everything once and nothing else.
    pub fn is_perfect(&self) -> bool {
        self.pages_true == self.pages_fetched
            && self.wrong.is_empty()
            && self.twice.is_empty()
            && self.unknown.is_empty()
    }
}

/// Returns the fate that a URL of the ground truth must have in a complete crawl.
pub fn fate_of(row: &TruthRow) -> &'static str {
    match row.status {
        _ if !row.robots_allowed => "robots",
        200..=299 => "fetched",
        300..=399 => "redirected",
        _ => "failed",
    }
}

/// Compares a page log with the ground truth. `may_be_unknown` returns whether a URL may exist outside the truth
/// (traps).
pub fn compare(
    truth: impl Iterator<Item = TruthRow>,
    page_log: &Path,
    may_be_unknown: impl Fn(&str) -> bool,
) -> io::Result<Comparison> {
    let mut result = Comparison::default();
    let mut fates: HashMap<String, String> = HashMap::new();
    for line in BufReader::new(File::open(page_log)?).lines() {
        let record: PageRecord = serde_json::from_str(&line?).map_err(io::Error::other)?;
        if let Some(before) = fates.insert(record.url.clone(), record.fate) {
            note(&mut result.twice, || format!("{} (before: {before})", record.url));
        }
    }
    for row in truth {
        let expected = fate_of(&row);
        let found = fates.remove(&row.url);
        result.pages_true += u64::from(expected == "fetched");
        result.pages_fetched += u64::from(expected == "fetched" && found.as_deref() == Some("fetched"));
        if found.as_deref() != Some(expected) {
            let found = found.unwrap_or_else(|| "no line".to_owned());
            note(&mut result.wrong, || format!("{} ({}): {found}, expected {expected}", row.url, row.page_type));
        }
    }
    let unknown = fates.into_keys().filter(|url| !may_be_unknown(url));
    for url in unknown {
        note(&mut result.unknown, || url);
    }
    Ok(result)
}

fn note(mistakes: &mut Vec<String>, text: impl FnOnce() -> String) {
    if mistakes.len() < NAMED_MAX {
        mistakes.push(text());
    }
}
