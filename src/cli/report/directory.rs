//! Reads the inputs of a report, with the posts that the crawl wrote. The directory is not changed. Missing or damaged
//! files are noted; only a directory that is not of a crawl is an error.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::time::Duration;
use std::{fs, io};

use serde::Deserialize;
use serde::de::{DeserializeOwned, IgnoredAny};

use crate::cli::control;
use crate::cli::lines::{Lines, Next};
use harvestman_core::clock::Instant;
use harvestman_extraction::POSTS_FILE;
use harvestman_policy::learned::SiteModel;
use harvestman_posts::site::unix_seconds;
use harvestman_report::document::{Configuration, ControlLog, PostFigures, PostReading, Sources};
use harvestman_report::sections::page_types::{examples, worths};
use harvestman_report::{Report, read_object};
use harvestman_storage::archive::WARC_DIRECTORY;

/// Maximum number of earlier reports that are read.
const ROUNDS_MAX: u32 = 1_000;
/// The maximum size of a JSON file.
const JSON_MAX: u64 = 64 << 20;
const MODEL_FILE: &str = "site-model.json.gz";

/// Returns why a path is not a crawl directory.
pub(super) fn check(path: &Path) -> Result<(), String> {
    let shown = path.display();
    let named = "name the directory given as --out";
    match fs::read_dir(path) {
        Ok(_) => {}
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            return Err(format!("directory {shown} does not exist; {named}"));
        }
        Err(error) if error.kind() == io::ErrorKind::NotADirectory => {
            return Err(format!("{shown} is not a directory; {named}"));
        }
        Err(error) => return Err(format!("cannot read the directory {shown}: {error}")),
    }
    let has = |name: &str| path.join(name).exists();
    let logs = ["pages.jsonl", "pages.jsonl.gz", "pages.jsonl.zst", "report.json"];
    let began = has("config.toml") && (has("lock") || has("state") || has(WARC_DIRECTORY));
    if logs.iter().any(|name| has(name)) || began {
        return Ok(());
    }
    Err(format!("{shown} is not a crawl directory: it has neither report.json nor pages.jsonl; {named}"))
}

/// Reads everything except the page log.
pub(super) fn read_but_log(path: &Path, now: Instant) -> Sources {
    let mut sources = Sources { directory: path.display().to_string(), now, ..Sources::default() };
    match control::status_of(path) {
        Ok(status) => sources.status = status,
        Err(error) => {
            sources.notes.push(format!("A crawl is running in this directory but does not answer: {error:#}."))
        }
    }
    sources.configuration = configuration(path);
    sources.report = json(path, "report.json", &mut sources.notes);
    sources.in_force = json(path, "in-force.json", &mut sources.notes);
    sources.earlier = earlier(path, &mut sources.notes);
    sources.control = control_log(path, &mut sources.notes);
    sources.facts = model(path);
    if !matches!(sources.facts, Some(Ok(_))) {
        sources.has_logged_clusters = has_logged_clusters(path, &mut sources.notes);
    }
    sources.warcs = warcs(path);
    sources.has.state = path.join("state").is_dir();
    sources.has.model = path.join(MODEL_FILE).is_file();
    sources
}

fn configuration(path: &Path) -> Option<Result<Configuration, String>> {
    match fs::read_to_string(path.join("config.toml")) {
        Ok(text) => Some(Configuration::read(&text)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => None,
        Err(error) => Some(Err(error.to_string())),
    }
}

/// Reads a JSON file. Returns `None` if it is missing or, after noting file and field, malformed.
fn json<T: DeserializeOwned>(path: &Path, name: &str, notes: &mut Vec<String>) -> Option<T> {
    let file = path.join(name);
    let length = fs::metadata(&file).ok()?.len();
    let read = if length > JSON_MAX {
        Err(format!("{name}: it is too large"))
    } else {
        let bytes = fs::read(&file).map_err(|error| format!("{name}: {error}"));
        bytes.and_then(|bytes| read_object(name, &bytes).map_err(|error| error.to_string()))
    };
    read.inspect_err(|why| notes.push(format!("A file is skipped. {why}."))).ok()
}

fn earlier(path: &Path, notes: &mut Vec<String>) -> Vec<(String, Report)> {
    let names = (0..ROUNDS_MAX).map(|round| format!("report-{round}.json"));
    names
        .filter(|name| path.join(name).is_file())
        .filter_map(|name| Some((name.clone(), json(path, &name, notes)?)))
        .collect()
}

fn control_log(path: &Path, notes: &mut Vec<String>) -> ControlLog {
    let mut log = ControlLog::default();
    let read = Lines::open(path, "control.jsonl").and_then(|lines| {
        let Some(mut lines) = lines else { return Ok(()) };
        while let Some(line) = lines.next_line()? {
            log.add(line);
        }
        Ok(())
    });
    notes.extend(read.err().map(|error| format!("control.jsonl cannot be read: {error:#}.")));
    log
}

fn model(path: &Path) -> Option<Result<harvestman_policy::learned::Facts, String>> {
    let bytes = match fs::read(path.join(MODEL_FILE)) {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return None,
        Err(error) => return Some(Err(error.to_string())),
    };
    Some(SiteModel::from_bytes(&bytes).map(|model| model.facts).map_err(|error| error.to_string()))
}

/// A line of the policy log; only whether it describes the site matters here.
#[derive(Deserialize)]
struct PolicyLine {
    #[serde(default)]
    lesson: Option<SiteDescription>,
}

#[derive(Deserialize)]
struct SiteDescription {
    #[serde(default)]
    site: Option<IgnoredAny>,
}

/// Returns whether the policy log describes the clusters of the site.
fn has_logged_clusters(path: &Path, notes: &mut Vec<String>) -> bool {
    let read = Lines::open(path, "policy.jsonl").and_then(|lines| {
        let Some(mut lines) = lines else { return Ok(false) };
        while let Some(line) = lines.next_line()? {
            let line: Option<PolicyLine> = serde_json::from_slice(line).ok();
            if line.and_then(|line| line.lesson?.site).is_some() {
                return Ok(true);
            }
        }
        Ok(false)
    });
    read.unwrap_or_else(|error| {
        notes.push(format!("policy.jsonl cannot be read: {error:#}."));
        false
    })
}

fn warcs(path: &Path) -> Vec<(String, u64)> {
    let Ok(entries) = fs::read_dir(path.join(WARC_DIRECTORY)) else { return Vec::new() };
    let entries = entries.filter_map(Result::ok).filter_map(|entry| {
        let length = entry.metadata().ok().filter(fs::Metadata::is_file)?.len();
        Some((format!("{WARC_DIRECTORY}/{}", entry.file_name().to_string_lossy()), length))
    });
    entries.collect()
}

/// Returns the worth of the pages of each cluster according to the site model, and the pages whose titles the report
/// shows.
pub(super) fn model_values(sources: &Sources) -> (BTreeMap<u32, f64>, BTreeSet<String>) {
    match &sources.facts {
        Some(Ok(facts)) => (worths(facts), examples(facts)),
        _ => Default::default(),
    }
}

/// Returns the shortest configured delay; zero if unknown.
pub(super) fn least_delay(sources: &Sources) -> Duration {
    let configured = sources.configuration.as_ref().and_then(|configuration| configuration.as_ref().ok()?.delay_ms);
    Duration::from_millis(sources.control.least_delay_ms.into_iter().chain(configured).min().unwrap_or(0))
}

/// Opens the page log. Returns `None` if it is missing or, after noting it, unreadable.
pub(super) fn open_log(path: &Path, sources: &mut Sources) -> Option<Lines> {
    let lines = Lines::open(path, "pages.jsonl").unwrap_or_else(|error| {
        sources.notes.push(format!("The page log is skipped: {error:#}."));
        None
    });
    sources.has.log = lines.is_some();
    lines
}

/// Note about a log that ends within a line.
pub(super) const TORN: &str =
    "The page log ends within a line, which is skipped: its crawl is running or was killed while writing.";

/// Note about a log that cannot be read to its end.
pub(super) fn breaks_off(error: &io::Error) -> String {
    format!("The page log cannot be read to its end, and the part that follows is missing here: {error}.")
}

/// Returns the figures of the posts of all directories; `None` if none has any. Notes what cannot be read.
pub(super) fn read(paths: &[PathBuf], all: &mut [Sources]) -> Option<PostFigures> {
    let mut reading = PostReading::new(unix_seconds);
    let mut is_any = false;
    for (path, sources) in paths.iter().zip(all) {
        match Lines::open(path, POSTS_FILE) {
            Ok(None) => {}
            Ok(Some(lines)) => {
                is_any = true;
                sources.notes.extend(read_all(lines, &mut reading));
            }
            Err(error) => sources.notes.push(format!("The posts are skipped: {error:#}.")),
        }
    }
    is_any.then(|| reading.finish())
}

/// Reads all lines. Returns a note if they cannot be read to their end. A line that is being written is left out.
fn read_all(mut lines: Lines, reading: &mut PostReading) -> Option<String> {
    loop {
        match lines.step() {
            Ok(Next::Line(line)) => reading.add(line),
            Ok(Next::TooLong) => reading.damaged(),
            Ok(Next::Torn | Next::End) => return None,
            Err(error) => return Some(format!("{POSTS_FILE} cannot be read to its end: {error}.")),
        }
    }
}
