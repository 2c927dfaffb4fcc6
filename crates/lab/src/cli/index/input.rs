//! Reads the pages to index: HTML pages from WARC files, URLs from a list.

use std::fs::File;
use std::io::{BufRead, BufReader, Read as _};
use std::path::Path;

use anyhow::{Context as _, bail};
use bytes::Bytes;
use http::HeaderMap;

use crate::corpus::canonicaliser;
use crate::index::IndexBuilder;
use harvestman::cli::progress::ExportProgress;
use harvestman_core::config::ParseOptions;
use harvestman_core::model::{ContentType, MediaType};
use harvestman_core::url::{CanonicalUrl, Canonicaliser};
use harvestman_stages::fetch::RecordedResponse;
use harvestman_storage::archive::reader::{Limits, Record, WarcError, WarcReader};
use harvestman_structure::parse::{Parser, Spelling};

/// Longer responses, in bytes as recorded, are skipped.
const RESPONSE_BYTES_MAX: u64 = 64 << 20;
/// Maximum length of a line of a list of URLs in bytes.
const LINE_BYTES_MAX: u64 = 1 << 20;

/// Adds pages to an index.
pub(super) struct Input {
    pub builder: IndexBuilder,
    canonicaliser: Canonicaliser,
    parser: Parser,
    progress: ExportProgress,
}

impl Input {
    /// Adds to `builder`, and shows the number of pages on standard error unless `quiet`.
    pub fn new(builder: IndexBuilder, quiet: bool) -> Self {
        Self {
            builder,
            canonicaliser: canonicaliser(),
            parser: Parser::with_spelling(&ParseOptions::default(), Spelling::On).with_words(),
            progress: ExportProgress::new("pages", quiet),
        }
    }

    /// Adds the pages of a WARC file. Returns a note if the file ends within a record: what is before it was added.
    ///
    /// # Errors
    /// The file cannot be read, is no WARC file, or the index is full.
    pub fn add_warc(&mut self, path: &Path) -> anyhow::Result<Option<String>> {
        let file = File::open(path).with_context(|| format!("cannot open {}", path.display()))?;
        let mut reader = WarcReader::new(file, Limits::default());
        loop {
            let record = match reader.next_record() {
                Ok(Some(record)) => self.read(record),
                Ok(None) => return Ok(None),
                Err(error) => Err(error),
            };
            match record {
                Ok(Some((url, message))) => self.add_page(&url, &message)?,
                Ok(None) => {}
                Err(error @ WarcError::Torn { .. }) => return Ok(Some(format!("{}: {error}", path.display()))),
                Err(error) => return Err(error).with_context(|| path.display().to_string()),
            }
        }
    }

    /// Returns the URL and the block of a response.
    fn read<R: std::io::Read>(&self, mut record: Record<'_, R>) -> Result<Option<(CanonicalUrl, Bytes)>, WarcError> {
        let is_response = record.record_type() == "response" && record.remaining() <= RESPONSE_BYTES_MAX;
        let url = record.target_uri().filter(|_| is_response).and_then(|uri| self.canonicaliser.parse(uri).ok());
        let mut block = Vec::new();
        if url.is_some() {
            record.read_block(&mut block, RESPONSE_BYTES_MAX)?;
        }
        // A compressed record is verified only at its end.
        record.end()?;
        Ok(url.map(|url| (url, Bytes::from(block))))
    }

    fn add_page(&mut self, url: &CanonicalUrl, message: &Bytes) -> anyhow::Result<()> {
        let is_html = |headers: &HeaderMap| MediaType::of(ContentType::field_of(headers)) == MediaType::Html;
        let is_page = |status, headers: &HeaderMap| status == 200 && is_html(headers);
        let Some(response) = RecordedResponse::read_if(message, is_page) else { return Ok(()) };
        let page = self.parser.parse(&response.body, ContentType::field_of(&response.headers));
        self.add(url, page.title.as_deref(), &page.words.join(" "))
    }

    fn add(&mut self, url: &CanonicalUrl, title: Option<&str>, text: &str) -> anyhow::Result<()> {
        self.builder.add(url.as_str(), title, text)?;
        self.progress.show(self.builder.len() as u64);
        Ok(())
    }

    /// Adds the URLs of a list.
    ///
    /// # Errors
    /// The list cannot be read, a line does not begin with a URL, or the index is full.
    pub fn add_urls(&mut self, path: &Path) -> anyhow::Result<()> {
        let file = File::open(path).with_context(|| format!("cannot open {}", path.display()))?;
        let mut lines = BufReader::new(file);
        let mut line = Vec::new();
        for number in 1_u64.. {
            line.clear();
            let read = lines.by_ref().take(LINE_BYTES_MAX).read_until(b'\n', &mut line);
            let read = read.with_context(|| format!("cannot read {}", path.display()))?;
            if read as u64 == LINE_BYTES_MAX {
                bail!("{}, line {number}: longer than {LINE_BYTES_MAX} bytes", path.display());
            }
            if read == 0 {
                break;
            }
            let line = String::from_utf8_lossy(&line);
            if !line.trim().is_empty() {
                self.add_line(&line).with_context(|| format!("{}, line {number}", path.display()))?;
            }
        }
        Ok(())
    }

    fn add_line(&mut self, line: &str) -> anyhow::Result<()> {
        let (url, title) =
            line.trim_end().split_once('\t').map_or((line.trim(), None), |(url, text)| (url, Some(text)));
        let Ok(url) = self.canonicaliser.parse(url) else { bail!("`{url}` is not a URL") };
        let words = if title.is_none() { words_of(&url) } else { String::new() };
        self.add(&url, title, &words)
    }

    /// Returns the index under construction, and removes the line that shows the progress.
    pub fn finish(self) -> IndexBuilder {
        self.progress.finish();
        self.builder
    }
}

/// Returns the words of a URL without its scheme.
fn words_of(url: &CanonicalUrl) -> String {
    let text = url.as_str();
    let text = text.split_once("://").map_or(text, |(_, rest)| rest);
    // Decodes percent-encoded characters as those of a form are.
    let decoded = url::form_urlencoded::parse(text.as_bytes());
    let parts: Vec<String> = decoded.flat_map(|(name, value)| [name.into_owned(), value.into_owned()]).collect();
    parts.join(" ").replace('_', " ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hits(input: Input, query: &str) -> u64 {
        input.finish().finish().unwrap().search(query, 0, 1).unwrap().hits
    }

    fn input() -> Input {
        Input::new(IndexBuilder::new().unwrap(), true)
    }

    #[test]
    fn pages_with_status_200_are_read_from_responses() {
        let url = canonicaliser().parse("https://a.example/").unwrap();
        let message = |status: &str, kind: &str| {
            let text =
                format!("HTTP/1.1 {status}\r\nContent-Type: {kind}\r\n\r\n<title>Zoom</title><p>a <b>hot-shoe</b>");
            Bytes::from(text)
        };
        let found = |status, kind, query| {
            let mut input = input();
            input.add_page(&url, &message(status, kind)).unwrap();
            hits(input, query)
        };
        assert_eq!(found("200 OK", "text/html", "zoom hot-shoe"), 1);
        assert_eq!(found("404 Not Found", "text/html", "zoom"), 0);
        assert_eq!(found("200 OK", "text/plain", "zoom"), 0);
    }

    #[test]
    fn lines_have_a_text_or_the_words_of_their_url() {
        let mut input = input();
        input.add_line("https://a.example/hot-shoe/caf%C3%A9_noir?q=zoom+lens\r\n").unwrap();
        input.add_line("https://a.example/2\tA small tripod\n").unwrap();
        assert!(input.add_line("a.example").unwrap_err().to_string().contains("`a.example` is not a URL"));
        let index = input.finish().finish().unwrap();
        let hits = |query: &str| index.search(query, 0, 9).unwrap().hits;
        assert_eq!(["hot-shoe café noir zoom lens", "small tripod", "example"].map(hits), [1, 1, 1]);
    }
}
