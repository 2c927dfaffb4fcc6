//! Access to the files of a crawl directory.

use std::io;
use std::path::{Path, PathBuf};

use anyhow::Context as _;

use crate::cli::lines::Lines;
use harvestman_core::config::{self, Config};
use harvestman_core::model::PageRecord;
use harvestman_report::{Report, read_object};

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
