//! A directory with a Markdown file per page, whose name is made of its URL.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::{fs, io};

use jiff::Timestamp;
use serde::{Serialize, Serializer};
use serde_json::Value;

use crate::cli::exit::{Exit, Failure};
use crate::cli::export::output::temporary;
use crate::cli::export::pages::RecordedPage;
use crate::cli::output::is_stdout;
use harvestman_core::url::Fingerprint;
use harvestman_text::PageText;

/// A directory that is being written.
pub struct MarkdownDirectory {
    path: PathBuf,
    /// The pages that have a file, with the times of the visits in them.
    written: HashMap<Fingerprint, Option<Timestamp>>,
}

impl MarkdownDirectory {
    /// Creates a directory. Refuses one that is not empty without `force`.
    ///
    /// # Errors
    /// The directory is not empty, or cannot be created.
    pub fn create(path: &Path, force: bool) -> Result<Self, Failure> {
        if is_stdout(path) {
            return Err(Failure::usage("--format markdown writes one file per page: name a directory with --out DIR"));
        }
        let shown = path.display();
        if path.exists() && !path.is_dir() {
            return Err(Failure::usage(format!("{shown} is not a directory: name one with --out DIR")));
        }
        let failed =
            |error: io::Error| Failure::new(Exit::Output, format!("cannot create the directory {shown}: {error}"));
        fs::create_dir_all(path).map_err(failed)?;
        let is_empty = fs::read_dir(path).map_err(failed)?.next().is_none();
        if !is_empty && !force {
            let what = "replace pages in it with --force, or write elsewhere with --out DIR";
            return Err(Failure::usage(format!("{shown} is not empty: {what}")));
        }
        Ok(Self { path: path.to_owned(), written: HashMap::new() })
    }

    /// Writes the file of a page, unless there is one of a later visit.
    pub fn add(&mut self, record: &TextRecord<'_>) -> io::Result<()> {
        match self.written.entry(Fingerprint::of(record.url)) {
            Entry::Occupied(before) if *before.get() > record.crawl_time => return Ok(()),
            Entry::Occupied(mut before) => {
                before.insert(record.crawl_time);
            }
            Entry::Vacant(free) => {
                free.insert(record.crawl_time);
            }
        }
        let path = self.path.join(file_name(record.url));
        // A file is complete or not there, and a link is replaced instead of followed.
        let mut file = temporary(&path)?;
        file.write_all(content(record).as_bytes())?;
        file.persist(&path)?;
        Ok(())
    }
}

/// Returns the content of a file: the fields as YAML between lines of `---`, then the Markdown.
fn content(record: &TextRecord<'_>) -> String {
    let crawl_time = record.crawl_time.map(|time| time.to_string());
    let fields = [
        ("title", record.title),
        ("author", record.author),
        ("time", record.time),
        ("url", Some(record.url)),
        ("warc_file", Some(record.warc_file)),
        ("crawl_time", crawl_time.as_deref()),
    ];
    // A string of JSON is one of YAML.
    let fields = fields.iter().filter_map(|(name, value)| Some(format!("{name}: {}\n", Value::from((*value)?))));
    let offset = record.warc_offset;
    format!("---\n{}warc_offset: {offset}\n---\n\n{}\n", fields.collect::<String>(), record.markdown)
}

/// Maximum length of the readable part of a name, in bytes.
const READABLE_BYTES_MAX: usize = 80;

/// Returns a name that no other URL has: words of the URL for people, and a hash. It consists of lower-case letters,
/// digits and `-`, so that it is a file name on any system.
pub fn file_name(url: &str) -> String {
    let Fingerprint(hash) = Fingerprint::of(url);
    let hash = hash as u64;
    let readable = readable(url);
    if readable.is_empty() { format!("{hash:016x}.md") } else { format!("{readable}-{hash:016x}.md") }
}

/// Returns the letters and digits of a URL without its scheme, with one `-` in place of everything between them.
fn readable(url: &str) -> String {
    let text = url.split_once("://").map_or(url, |(_, rest)| rest);
    let words = text.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    let mut name = words.collect::<Vec<_>>().join("-").to_ascii_lowercase();
    // All of it is ASCII.
    name.truncate(READABLE_BYTES_MAX);
    name.trim_end_matches('-').to_owned()
}

/// The fields of a page, in the order in which they are written.
#[derive(Debug, Clone, Copy, Serialize)]
pub struct TextRecord<'a> {
    /// The URL of the page.
    pub url: &'a str,
    /// Its title.
    pub title: Option<&'a str>,
    /// Its author.
    pub author: Option<&'a str>,
    /// When it was published.
    pub time: Option<&'a str>,
    /// Its main text.
    pub text: &'a str,
    /// The same as Markdown.
    pub markdown: &'a str,
    /// The name of the WARC file.
    pub warc_file: &'a str,
    /// The byte offset of the response in it.
    pub warc_offset: u64,
    /// When the page was fetched.
    #[serde(serialize_with = "as_text")]
    pub crawl_time: Option<Timestamp>,
}

impl<'a> TextRecord<'a> {
    /// Joins a page and its text.
    pub fn new(page: &'a RecordedPage, warc_file: &'a str, text: &'a PageText) -> Self {
        Self {
            url: page.url.as_str(),
            title: text.title.as_deref(),
            author: text.author.as_deref(),
            time: text.time.as_deref(),
            text: &text.text,
            markdown: &text.markdown,
            warc_file,
            warc_offset: page.offset,
            crawl_time: page.time,
        }
    }
}

/// Writes a time as ISO 8601, as in the page log.
fn as_text<S: Serializer>(time: &Option<Timestamp>, to: S) -> Result<S::Ok, S::Error> {
    match time {
        Some(time) => to.collect_str(time),
        None => to.serialize_none(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record<'a>(url: &'a str, markdown: &'a str, second: i64) -> TextRecord<'a> {
        TextRecord {
            url,
            title: Some("On \"light\": ---"),
            author: None,
            time: Some("2024-05-06"),
            text: "",
            markdown,
            warc_file: "warc/a.warc.gz",
            warc_offset: 7,
            crawl_time: Timestamp::from_second(second).ok(),
        }
    }

    #[test]
    fn a_file_has_a_head_and_the_markdown() {
        let text = content(&record("http://h/a", "# A", 0));
        let expected = [
            "---",
            "title: \"On \\\"light\\\": ---\"",
            "time: \"2024-05-06\"",
            "url: \"http://h/a\"",
            "warc_file: \"warc/a.warc.gz\"",
            "crawl_time: \"1970-01-01T00:00:00Z\"",
            "warc_offset: 7",
            "---",
            "",
            "# A",
            "",
        ];
        assert_eq!(text, expected.join("\n"));
    }

    #[test]
    fn the_newest_visit_of_a_page_is_kept() {
        let root = tempfile::tempdir().unwrap();
        let mut directory = MarkdownDirectory::create(root.path(), false).unwrap();
        for (url, text, second) in [("http://h/a", "old", 1), ("http://h/a", "new", 3), ("http://h/a", "mid", 2)] {
            directory.add(&record(url, text, second)).unwrap();
        }
        directory.add(&record("http://h/b", "other", 1)).unwrap();
        assert_eq!(fs::read_dir(root.path()).unwrap().count(), 2);
        let text = fs::read_to_string(root.path().join(file_name("http://h/a"))).unwrap();
        assert!(text.ends_with("\n\nnew\n"), "{text}");
        let refused = MarkdownDirectory::create(root.path(), false).err().unwrap();
        assert!(refused.text.contains("--force"), "{}", refused.text);
        assert!(MarkdownDirectory::create(root.path(), true).is_ok());
    }

    #[test]
    fn names_are_safe_bounded_and_different() {
        let name = file_name("https://h.example/2024/A_b/?p=1#x");
        assert!(name.starts_with("h-example-2024-a-b-p-1-x-") && name.ends_with(".md"), "{name}");
        let long = "a/".repeat(5_000);
        let urls = [
            "http://h/../../etc/passwd",
            "http://h/con",
            "http://h/%00%2F",
            "http://h/ä",
            "-",
            "http://",
            &long,
            "http://h/A",
        ];
        let names: std::collections::BTreeSet<String> = urls.iter().map(|url| file_name(url)).collect();
        assert_eq!(names.len(), urls.len());
        for name in names {
            let stem = name.strip_suffix(".md").unwrap();
            assert!(
                stem.bytes().all(|byte| byte.is_ascii_digit() || byte.is_ascii_lowercase() || byte == b'-'),
                "{name}"
            );
            assert!(name.len() <= READABLE_BYTES_MAX + 20 && !name.starts_with('-'), "{name}");
        }
    }

    #[test]
    fn letter_case_parts_urls_only_by_the_hash() {
        let (upper, lower) = (file_name("http://h/A"), file_name("http://h/a"));
        assert!(upper != lower && upper[..4] == lower[..4]);
    }
}
