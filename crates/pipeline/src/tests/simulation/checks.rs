//! The invariants of a crawl directory, whatever has happened to it.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::fs::{self, File};
use std::io::{BufRead as _, BufReader, Read};
use std::path::Path;
use std::time::Duration;

use super::network::Met;
use super::web::{Page, Web, is_of_a_page};
use harvestman_core::model::{Fate, PageRecord};
use harvestman_core::url::{CanonicalUrl, Fingerprint};
use harvestman_storage::archive::reader::{Limits, WarcReader};
use harvestman_storage::store::Store;

/// What is wrong, if anything.
pub(super) type Checked = Result<(), String>;

fn ensure(holds: bool, what: impl FnOnce() -> String) -> Checked {
    if holds { Ok(()) } else { Err(what()) }
}

/// The contents of a crawl directory.
pub(super) struct Found {
    pub(super) waiting: usize,
    ended: HashSet<Fingerprint>,
    lines: Vec<PageRecord>,
    /// (file, offset) → URL, of responses and revisits.
    records: BTreeMap<(String, u64), String>,
}

fn fingerprint(url: &str) -> Fingerprint {
    CanonicalUrl::from_canonical(url).fingerprint()
}

/// Reads a crawl directory that no crawl is in, and checks what holds at any time: that the account is right (ACC-1,
/// STA-1), and that what the state records as done is in the archive (STA-2).
pub(super) fn at_rest(directory: &Path, in_recrawl: bool) -> Result<Found, String> {
    let store = Store::open(&directory.join("state")).map_err(|error| error.to_string())?;
    let ledger = store.restore().map_err(|error| error.to_string())?.account.ledger;
    let (mut waiting, mut ended) = (HashSet::new(), HashSet::new());
    let unreadable = store.urls(
        |_, item| {
            waiting.insert(item.url.fingerprint());
        },
        |url| {
            ended.insert(url);
        },
    );
    let unreadable = unreadable.map_err(|error| error.to_string())?;
    ensure(unreadable == 0, || format!("{unreadable} records are unreadable"))?;
    // A page that is visited again has ended before.
    ensure(in_recrawl || waiting.is_disjoint(&ended), || "a URL waits and has ended".to_owned())?;
    ensure(ledger.balances(waiting.len() as u64), || {
        format!("ACC-1: {} discovered, {} open, {} wait", ledger.discovered(), ledger.open(), waiting.len())
    })?;
    let in_fates: u64 = ledger.fates(0).iter().filter(|(fate, _)| is_of_a_lease(*fate)).map(|(_, count)| count).sum();
    // The account of a recrawl is of its own visits alone.
    ensure(in_recrawl || in_fates == ended.len() as u64, || {
        format!("{in_fates} in the account have ended, {} in the state", ended.len())
    })?;
    let found = Found { waiting: waiting.len(), ended, lines: lines(directory)?, records: records(directory)? };
    found.check_archive()?;
    Ok(found)
}

/// Whether a fate is one that ends a lease.
const fn is_of_a_lease(fate: Fate) -> bool {
    matches!(fate, Fate::Fetched | Fate::Redirected | Fate::Failed(_) | Fate::Robots(_) | Fate::UnwantedType)
}

impl Found {
    fn check_archive(&self) -> Checked {
        let logged: HashSet<Fingerprint> = self.lines.iter().map(|line| fingerprint(&line.url)).collect();
        ensure(self.ended.is_subset(&logged), || "a URL has ended and is not in the page log".to_owned())?;
        for line in &self.lines {
            let (Some(file), Some(offset)) = (&line.warc_file, line.warc_offset) else { continue };
            let record = self.records.get(&(file.clone(), offset));
            ensure(record == Some(&line.url), || {
                format!("{} is said to be in {file} at {offset}: {record:?}", line.url)
            })?;
        }
        Ok(())
    }

    /// Checks what holds at the end: every reachable page was fetched, and its fate is the right one.
    pub(super) fn check_complete(&self, web: &Web) -> Checked {
        ensure(self.waiting == 0, || format!("{} URLs wait at the end", self.waiting))?;
        let last: BTreeMap<&str, &PageRecord> = self.lines.iter().map(|line| (line.url.as_str(), line)).collect();
        for url in web.within_reach() {
            let fate = last.get(url).map(|line| line.fate.as_str());
            let expected = match &web.pages[url] {
                Page::Html { .. } | Page::Text => "fetched",
                Page::Redirect(_) => "redirected",
                Page::Missing => "failed",
            };
            ensure(fate == Some(expected), || format!("{url} should be {expected} and is {fate:?}"))?;
            ensure(self.ended.contains(&fingerprint(url)), || format!("{url} has not ended"))?;
            let archived = last.get(url).is_some_and(|line| line.warc_file.is_some());
            ensure(archived, || format!("{url} is not archived"))?;
        }
        Ok(())
    }

    /// Checks what holds at the end of a crawl whose policy may reject links: that nothing waits.
    pub(super) fn check_over(&self) -> Checked {
        ensure(self.waiting == 0, || format!("{} URLs wait at the end", self.waiting))
    }
}

/// Checks that no host got a request sooner than its delay after the previous answer, over all runs (POL-2).
pub(super) fn polite(log: &[Met], delay: Duration) -> Checked {
    let mut before: BTreeMap<&str, &Met> = BTreeMap::new();
    for met in log {
        if let Some(earlier) = before.insert(harvestman_core::url::origin_of(&met.url), met) {
            let since = earlier.first_byte.unwrap_or(earlier.started);
            let waited = met.started.since(since);
            ensure(waited >= delay, || format!("{} was asked {waited:?} after {}", met.url, earlier.url))?;
        }
    }
    Ok(())
}

/// Returns how often pages were answered again.
pub(super) fn again(log: &[Met]) -> u64 {
    let (mut seen, mut again) = (BTreeSet::new(), 0);
    let is_page = |url: &str| !url.ends_with("/robots.txt") && !url.ends_with("/sitemap.xml") && !is_of_a_page(url);
    let pages = log.iter().filter(|met| is_page(&met.url));
    for met in pages.filter(|met| met.answered) {
        again += u64::from(!seen.insert(&met.url));
    }
    again
}

fn lines(directory: &Path) -> Result<Vec<PageRecord>, String> {
    let (plain, gzip) = (directory.join("pages.jsonl"), directory.join("pages.jsonl.gz"));
    let input: Box<dyn Read> = match (File::open(plain), File::open(gzip)) {
        (Ok(file), _) => Box::new(file),
        (_, Ok(file)) => Box::new(flate2::read::MultiGzDecoder::new(file)),
        (Err(error), _) => return Err(error.to_string()),
    };
    let (mut lines, mut text) = (Vec::new(), String::new());
    let mut input = BufReader::new(input);
    // The end may be torn: only complete lines count.
    while matches!(input.read_line(&mut text), Ok(1..)) && text.ends_with('\n') {
        lines.push(serde_json::from_str(&text).map_err(|error| format!("{error}: {text}"))?);
        text.clear();
    }
    Ok(lines)
}

fn records(directory: &Path) -> Result<BTreeMap<(String, u64), String>, String> {
    let mut records = BTreeMap::new();
    for entry in fs::read_dir(directory.join("warc")).map_err(|error| error.to_string())?.flatten() {
        let name = format!("warc/{}", entry.file_name().to_string_lossy());
        if name.ends_with(".cut") {
            continue;
        }
        let mut reader =
            WarcReader::new(File::open(entry.path()).map_err(|error| error.to_string())?, Limits::default());
        while let Some(record) = reader.next_record().map_err(|error| format!("{name}: {error}"))? {
            if let ("response" | "revisit", Some(url)) = (record.record_type(), record.target_uri()) {
                records.insert((name.clone(), record.offset()), url.to_owned());
            }
        }
    }
    Ok(records)
}
