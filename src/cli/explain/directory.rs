//! What a crawl directory holds.

use std::io;
use std::path::{Path, PathBuf};

use anyhow::Context as _;

use crate::cli::lines::Lines;
use harvestman_core::config::{self, Config, Layers};
use harvestman_core::model::PageRecord;

/// A directory that a crawl wrote.
#[derive(Debug)]
pub(super) struct CrawlDirectory {
    path: PathBuf,
    /// What the crawl was told.
    pub config: Config,
}

impl CrawlDirectory {
    /// Opens a directory, or says why it is none of a crawl.
    pub fn open(path: &Path) -> Result<Self, String> {
        let shown = path.display();
        let file = path.join("config.toml");
        let text = std::fs::read_to_string(&file).map_err(|error| match error.kind() {
            io::ErrorKind::NotFound if path.is_dir() => {
                format!("{shown} is no crawl directory: it has no config.toml; name the one that was given as --out")
            }
            io::ErrorKind::NotFound => format!("there is no directory {shown}; name the one that was given as --out"),
            _ => format!("cannot read {}: {error}", file.display()),
        })?;
        let layers = Layers { file: Some((&file, &text)), ..Layers::default() };
        let config = config::load(&layers).map_err(|mistakes| mistakes.to_string())?;
        Ok(Self { path: path.to_owned(), config })
    }

    /// The lines of a log, decompressed; none where it was not kept.
    pub fn lines(&self, name: &str) -> anyhow::Result<Option<Lines>> {
        Lines::open(&self.path, name)
    }

    /// The line of a URL in the page log.
    pub fn page(&self, url: &str) -> anyhow::Result<Option<PageRecord>> {
        let start = format!("{{\"url\":{},", serde_json::to_string(url)?);
        let Some(mut lines) = self.lines("pages.jsonl")? else { return Ok(None) };
        while let Some(line) = lines.next_line()? {
            if line.starts_with(start.as_bytes()) {
                return Ok(Some(serde_json::from_slice(line).context("a line of pages.jsonl cannot be read")?));
            }
        }
        Ok(None)
    }

    /// The closing report; none where the crawl has not ended.
    pub fn report(&self) -> Option<serde_json::Value> {
        serde_json::from_slice(&std::fs::read(self.path.join("report.json")).ok()?).ok()
    }
}
