//! The list of pages in a WACZ file.

use std::fs::File;
use std::io;
use std::path::Path;

use super::archives::unreadable;
use crate::cli::export::output::WriteError;
use crate::cli::export::pages::{RecordedPage, read_pages};
use crate::cli::export::progress::ExportProgress;
use harvestman_core::config::ParseOptions;
use harvestman_storage::archive::reader::WarcError;
use harvestman_storage::archive::wacz::{PageList, WaczPage};
use harvestman_structure::parse::{Parser, Spelling};

/// What a page is once it is decoded.
const CONTENT_TYPE: &str = "text/html; charset=utf-8";

/// Reads titles and texts of pages, and adds them to a list.
pub(super) struct PageLister {
    parser: Parser,
    has_text: bool,
    progress: ExportProgress,
    /// Number of pages in the list.
    pub pages: u64,
}

impl PageLister {
    /// Creates one that takes the texts too if `has_text`.
    pub fn new(has_text: bool, quiet: bool) -> Self {
        let options = ParseOptions::default();
        let parser = if has_text {
            Parser::with_spelling(&options, Spelling::On).with_words()
        } else {
            Parser::with_spelling(&options, Spelling::Off)
        };
        Self { parser, has_text, progress: ExportProgress::new("pages", quiet), pages: 0 }
    }

    /// Adds the pages of a WARC file, up to a damage. Pages without a time are not in the index either.
    pub fn add_file(&mut self, path: &Path, list: &mut PageList<'_>) -> Result<(), WriteError> {
        let file = File::open(path).map_err(|error| unreadable(path, &error))?;
        let end = read_pages(file, &mut |page| self.add(&page, list))?;
        match end {
            Some(WarcError::Io(error)) => Err(unreadable(path, &error)),
            Some(WarcError::Torn { .. } | WarcError::Broken { .. }) | None => Ok(()),
        }
    }

    fn add(&mut self, page: &RecordedPage, list: &mut PageList<'_>) -> io::Result<()> {
        let Some(time) = page.time else { return Ok(()) };
        let parsed = self.parser.parse(page.html.as_bytes(), Some(CONTENT_TYPE));
        let text = self.has_text.then(|| parsed.words.join(" "));
        let title = parsed.title.as_deref().filter(|title| !title.is_empty());
        list.add(&WaczPage { url: page.url.as_str(), time, title, text: text.as_deref() })?;
        self.pages += 1;
        self.progress.show(self.pages);
        Ok(())
    }

    /// Removes the line that shows the progress, and returns the number of pages.
    pub fn finish(self) -> u64 {
        self.progress.finish();
        self.pages
    }
}
