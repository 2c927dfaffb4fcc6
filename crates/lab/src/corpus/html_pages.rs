//! Reads the HTML pages of a recording, with the times at which they were fetched.

use std::collections::HashMap;
use std::fs::File;
use std::path::PathBuf;

use bytes::Bytes;
use jiff::Timestamp;
use jiff::civil::DateTime;
use jiff::tz::TimeZone;
use url::Url;

use super::{CorpusError, Limits, name_of};
use harvestman::cli::export::pages::html_of;
use harvestman_storage::archive::reader::{self, Record, RecordHeader, WarcError, WarcReader};

/// The beginning of the URI under which the archive keeps what a browser showed.
const RENDERED_PREFIX: &str = "urn:dom:";

/// A page of a recording.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HtmlPage {
    /// Its URL.
    pub url: Url,
    /// When it was fetched, in UTC.
    pub fetched: DateTime,
    /// Its content: what a browser showed, if the page was rendered.
    pub html: String,
}

/// Reads the HTML pages with status 200 of WARC files, in their order; of several with one URL, the first. A revisit
/// has the content of the response that it names. The files are read up to a record that is cut off.
///
/// # Errors
/// A file cannot be read, or the pages exceed the limits.
pub fn html_pages(files: &[PathBuf], limits: Limits) -> Result<Vec<HtmlPage>, CorpusError> {
    let mut pages = Pages { limits, bytes: 0, found: Vec::new(), places: HashMap::new() };
    for path in files {
        let file = File::open(path).map_err(|source| CorpusError::Open { path: path.clone(), source })?;
        let mut reader = WarcReader::new(file, reader::Limits::default());
        loop {
            match pages.read_record(&mut reader) {
                Ok(true) => {}
                Ok(false) | Err(WarcError::Torn { .. }) => break,
                Err(source) => return Err(CorpusError::Warc { path: path.clone(), source }),
            }
            if pages.bytes > limits.bytes_max {
                return Err(CorpusError::TooLarge { name: name_of(path), limit: limits.bytes_max });
            }
        }
    }
    Ok(pages.found)
}

struct Pages {
    limits: Limits,
    bytes: u64,
    found: Vec<HtmlPage>,
    places: HashMap<Url, usize>,
}

/// What a record holds of a page.
enum Holds {
    Response,
    /// The content is that of the response to this URL.
    SameAs(Url),
    /// What a browser showed.
    Rendered,
}

impl Pages {
    /// Reads the next record. Returns false at the end of the file.
    fn read_record<R: std::io::Read>(&mut self, reader: &mut WarcReader<R>) -> Result<bool, WarcError> {
        let Some(mut record) = reader.next_record()? else { return Ok(false) };
        let wanted = self.wanted(&record);
        let fetched = fetched(record.header());
        let mut block = Vec::new();
        if wanted.is_some() {
            record.read_block(&mut block, self.limits.response_bytes_max)?;
        }
        record.end()?;
        if let (Some((url, holds)), Some(fetched)) = (wanted, fetched) {
            self.take(HtmlPage { url, fetched, html: String::new() }, &holds, Bytes::from(block));
        }
        Ok(true)
    }

    fn wanted<R: std::io::Read>(&self, record: &Record<'_, R>) -> Option<(Url, Holds)> {
        if record.remaining() > self.limits.response_bytes_max {
            return None;
        }
        let uri = record.target_uri()?;
        match record.record_type() {
            "response" => {
                let url = Url::parse(uri).ok()?;
                (!self.places.contains_key(&url)).then_some((url, Holds::Response))
            }
            "revisit" => {
                let url = Url::parse(uri).ok()?;
                let same = record.header().get("WARC-Refers-To-Target-URI")?;
                let same = Url::parse(same.trim_start_matches('<').trim_end_matches('>')).ok()?;
                (!self.places.contains_key(&url)).then_some((url, Holds::SameAs(same)))
            }
            "resource" => Some((Url::parse(uri.strip_prefix(RENDERED_PREFIX)?).ok()?, Holds::Rendered)),
            _ => None,
        }
    }

    fn take(&mut self, page: HtmlPage, holds: &Holds, block: Bytes) {
        let html = match holds {
            Holds::Rendered => {
                let html = String::from_utf8_lossy(&block).into_owned();
                if let Some(page) = self.places.get(&page.url).and_then(|at| self.found.get_mut(*at)) {
                    self.bytes += html.len() as u64;
                    page.html = html;
                }
                return;
            }
            Holds::Response => html_of(&block),
            Holds::SameAs(url) => self.places.get(url).map(|at| self.found[*at].html.clone()),
        };
        let Some(html) = html else { return };
        self.bytes += html.len() as u64;
        self.places.insert(page.url.clone(), self.found.len());
        self.found.push(HtmlPage { html, ..page });
    }
}

fn fetched(header: &RecordHeader) -> Option<DateTime> {
    let time: Timestamp = header.get("WARC-Date")?.parse().ok()?;
    Some(time.to_zoned(TimeZone::UTC).datetime())
}

#[cfg(test)]
#[path = "html_pages_tests.rs"]
mod tests;
