//! A directory with a Markdown file per page.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use jiff::Timestamp;
use serde_json::Value;

use super::file_name::file_name;
use super::record::TextRecord;
use crate::cli::exit::{Exit, Failure};
use crate::cli::export::output::temporary;
use crate::cli::output::is_stdout;
use harvestman_core::url::Fingerprint;

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
}
