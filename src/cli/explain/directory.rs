//! Access to the files of a crawl directory, and to the texts of its archive.

use std::fs::File;
use std::io;
use std::io::{BufReader, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use bytes::Bytes;
use serde::Serialize;

use crate::cli::lines::Lines;
use harvestman_core::config;
use harvestman_core::config::Config;
use harvestman_core::model::{ContentType, PageRecord, ParsedPage};
use harvestman_policy::learned::{TextKey, excerpt};
use harvestman_report::{Report, read_object};
use harvestman_stages::fetch::recorded_response;
use harvestman_storage::archive::OPEN_SUFFIX;
use harvestman_storage::archive::reader::{Limits, WarcReader};
use harvestman_structure::parse::{Parser, Spelling};

/// A directory written by a crawl.
#[derive(Debug)]
pub(super) struct CrawlDirectory {
    path: PathBuf,
    /// The configuration of the crawl.
    pub config: Config,
}

impl CrawlDirectory {
    /// Opens a directory, or returns why it is not a crawl directory.
    pub fn open(path: &Path) -> Result<Self, String> {
        let shown = path.display();
        let file = path.join("config.toml");
        let text = std::fs::read_to_string(&file).map_err(|error| match error.kind() {
            io::ErrorKind::NotFound if path.is_dir() => {
                format!("{shown} is not a crawl directory: it has no config.toml; name the directory given as --out")
            }
            io::ErrorKind::NotFound => format!("directory {shown} does not exist; name the directory given as --out"),
            _ => format!("cannot read {}: {error}", file.display()),
        })?;
        let config = config::load_recorded(&file, &text).map_err(|mistakes| mistakes.to_string())?;
        Ok(Self { path: path.to_owned(), config })
    }

    /// Returns the path of the directory.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Opens a log and decompresses it. Returns `None` if the crawl did not write it.
    pub fn lines(&self, name: &str) -> anyhow::Result<Option<Lines>> {
        Lines::open(&self.path, name)
    }

    /// Returns the line of a URL in the page log.
    pub fn page(&self, url: &str) -> anyhow::Result<Option<PageRecord>> {
        let start = format!("{{\"url\":{},", serde_json::to_string(url)?);
        let Some(mut lines) = self.lines("pages.jsonl")? else { return Ok(None) };
        while let Some(line) = lines.next_line()? {
            if line.starts_with(start.as_bytes()) {
                return Ok(Some(serde_json::from_slice(line).context("cannot parse a line of pages.jsonl")?));
            }
        }
        Ok(None)
    }

    /// Returns the report, or `None` if the crawl has not ended.
    ///
    /// # Errors
    /// The report is malformed; the error names the field.
    pub fn report(&self) -> anyhow::Result<Option<Report>> {
        match std::fs::read(self.path.join("report.json")) {
            Ok(bytes) => Ok(Some(read_object("report.json", &bytes)?)),
            Err(_) => Ok(None),
        }
    }
}

/// Maximum number of words that are quoted.
const WORDS_MAX: usize = 25;
/// Maximum number of bytes of a response that is read: more than `fetch.body_max` is in any crawl.
const BYTES_MAX: u64 = 256 << 20;

/// Words of a page.
#[derive(Debug, Serialize)]
pub(super) struct Quote {
    /// The page.
    pub url: String,
    /// The words.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub words: Option<String>,
    /// The reason why there are none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub missing: Option<String>,
}

impl Quote {
    /// Quotes the words with which the page at `url` says some of `shingles`.
    pub fn of(directory: &CrawlDirectory, url: &str, shingles: &[TextKey]) -> Self {
        let (words, missing) = match words(directory, url, shingles) {
            Ok(words) => (Some(words), None),
            Err(why) => (None, Some(why)),
        };
        Self { url: url.to_owned(), words, missing }
    }
}

fn words(directory: &CrawlDirectory, url: &str, shingles: &[TextKey]) -> Result<String, String> {
    let page = parsed(directory, url)?;
    let place = excerpt(&page.text, shingles, WORDS_MAX);
    let words = place.and_then(|place| page.words.get(place));
    let words = words.ok_or("the archived page does not say it: it has changed since, or was read in part")?;
    let end = if words.len() == WORDS_MAX { " …" } else { "" };
    Ok(words.join(" ") + end)
}

/// Reads and parses the page at `url`.
fn parsed(directory: &CrawlDirectory, url: &str) -> Result<ParsedPage, String> {
    let of = |url: &str| directory.page(url).map_err(|error| error.to_string());
    let no_record = || if directory.config.archive.enabled { "it is not in the page log" } else { NO_ARCHIVE };
    let mut record = read(directory, &of(url)?.ok_or_else(no_record)?)?;
    if let Record::SameAs(other) = record {
        record = read(directory, &of(&other)?.ok_or_else(no_record)?)?;
    }
    let Record::Response(message) = record else { return Err("its body is not in the archive".to_owned()) };
    let (headers, body) = recorded_response(&message).ok_or("its record is no HTTP response")?;
    let content_type = ContentType::field_of(&headers);
    let mut parser = Parser::with_spelling(&directory.config.parse, Spelling::On).with_words();
    Ok(parser.parse(&body, content_type))
}

const NO_ARCHIVE: &str = "the crawl wrote no archive (archive.enabled = false)";

/// A record of the archive.
enum Record {
    /// A response as it was received.
    Response(Bytes),
    /// The body is that of the response to this URL.
    SameAs(String),
}

/// Reads the record that a line of the page log names.
fn read(directory: &CrawlDirectory, page: &PageRecord) -> Result<Record, String> {
    let Some((name, offset)) = page.warc_file.as_deref().zip(page.warc_offset) else {
        let why = if directory.config.archive.enabled { "its response is not in the archive" } else { NO_ARCHIVE };
        return Err(why.to_owned());
    };
    let wrong = |error: &dyn std::fmt::Display| format!("{name} cannot be read: {error}");
    let path = directory.path().join(name);
    // A killed crawl leaves its last file open.
    let open = File::open(&path).or_else(|error| File::open(with_suffix(&path)).map_err(|_| error));
    let mut file = open.map_err(|error| wrong(&error))?;
    file.seek(SeekFrom::Start(offset)).map_err(|error| wrong(&error))?;
    let mut reader = WarcReader::new(BufReader::new(file), Limits::default());
    let record = reader.next_record().map_err(|error| wrong(&error))?;
    let mut record = record.ok_or_else(|| format!("{name} ends before its record"))?;
    if record.record_type() == "revisit" {
        let same = record.header().get("WARC-Refers-To-Target-URI").filter(|url| *url != page.url);
        return same
            .map(|url| Record::SameAs(url.to_owned()))
            .ok_or_else(|| "its body is in the record of an earlier visit".to_owned());
    }
    let mut block = Vec::new();
    record.read_block(&mut block, BYTES_MAX).map_err(|error| wrong(&error))?;
    Ok(Record::Response(block.into()))
}

fn with_suffix(path: &std::path::Path) -> PathBuf {
    let mut open = path.as_os_str().to_owned();
    open.push(OPEN_SUFFIX);
    open.into()
}
