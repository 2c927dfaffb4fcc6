//! Reads the HTML pages of a WARC file in their order.

use std::io::Read;

use bytes::Bytes;
use http::HeaderMap;
use url::Url;

use harvestman_core::model::{ContentType, MediaType};
use harvestman_document::decode;
use harvestman_stages::fetch::RecordedResponse;
use harvestman_storage::archive::reader::{Limits, Record, WarcError, WarcReader};
use jiff::Timestamp;

/// Longer records, in bytes as recorded, are skipped.
const RECORD_BYTES_MAX: u64 = 64 << 20;
/// The beginning of the URI under which the archive keeps what a browser showed.
const RENDERED_PREFIX: &str = "urn:dom:";

/// A page of a recording.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecordedPage {
    /// Its URL.
    pub url: Url,
    /// Its content: what a browser showed, if that is recorded.
    pub html: String,
    /// The byte offset of the response.
    pub offset: u64,
    /// When it was fetched, if the record tells.
    pub time: Option<Timestamp>,
}

/// What a record holds.
enum Holds {
    Page(RecordedPage),
    /// What a browser showed of a page.
    Rendered(Url, String),
    Other,
}

/// Calls `each` with the HTML pages with status 200 of a WARC file. A damaged file is read up to the damage, which is
/// returned.
///
/// # Errors
/// Those of `each`.
pub fn read_pages<E>(
    file: impl Read,
    each: &mut dyn FnMut(RecordedPage) -> Result<(), E>,
) -> Result<Option<WarcError>, E> {
    let mut reader = WarcReader::new(file, Limits::default());
    // A page waits for what a browser showed of it, which is one of the records before the next response.
    let mut waiting: Option<RecordedPage> = None;
    let end = loop {
        let holds = match reader.next_record() {
            Ok(Some(record)) => read(record),
            Ok(None) => break None,
            Err(error) => Err(error),
        };
        match holds {
            Ok(Holds::Page(page)) => {
                if let Some(before) = waiting.replace(page) {
                    each(before)?;
                }
            }
            Ok(Holds::Rendered(url, html)) => {
                if let Some(page) = waiting.as_mut().filter(|page| page.url == url) {
                    page.html = html;
                }
            }
            Ok(Holds::Other) => {}
            Err(error) => break Some(error),
        }
    };
    waiting.map_or(Ok(()), each)?;
    Ok(end)
}

fn read<R: Read>(mut record: Record<'_, R>) -> Result<Holds, WarcError> {
    let offset = record.offset();
    let uri = record.target_uri().filter(|_| record.remaining() <= RECORD_BYTES_MAX).unwrap_or_default();
    let (is_response, url) = match record.record_type() {
        "response" => (true, Url::parse(uri).ok()),
        "resource" => (false, uri.strip_prefix(RENDERED_PREFIX).and_then(|uri| Url::parse(uri).ok())),
        _ => (false, None),
    };
    let time = record.header().get("WARC-Date").and_then(|date| date.parse().ok());
    let mut block = Vec::new();
    if url.is_some() {
        record.read_block(&mut block, RECORD_BYTES_MAX)?;
    }
    // A compressed record is verified only at its end.
    record.end()?;
    let Some(url) = url else { return Ok(Holds::Other) };
    if !is_response {
        return Ok(Holds::Rendered(url, String::from_utf8_lossy(&block).into_owned()));
    }
    let html = html_of(&Bytes::from(block));
    Ok(html.map_or(Holds::Other, |html| Holds::Page(RecordedPage { url, html, offset, time })))
}

/// Returns the content of a recorded response, if it is HTML with status 200.
pub fn html_of(message: &Bytes) -> Option<String> {
    let is_html = |headers: &HeaderMap| MediaType::of(ContentType::field_of(headers)) == MediaType::Html;
    let response = RecordedResponse::read_if(message, |status, headers| status == 200 && is_html(headers))?;
    let (content_type, body) = (ContentType::field_of(&response.headers), response.body);
    let is_html = MediaType::of_body(content_type, &body) == MediaType::Html;
    is_html.then(|| decode(&body, content_type).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    const HTML: &str = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n";

    fn record(kind: &str, url: &str, block: &str) -> String {
        let length = block.len();
        format!(
            "WARC/1.1\r\nWARC-Type: {kind}\r\nWARC-Target-URI: {url}\r\nWARC-Date: 2026-01-02T03:04:05Z\r\n\
             Content-Length: {length}\r\n\r\n{block}\r\n\r\n"
        )
    }

    fn pages(file: &str) -> (Vec<RecordedPage>, Option<WarcError>) {
        let mut pages = Vec::new();
        let end = read_pages(file.as_bytes(), &mut |page| {
            pages.push(page);
            Ok::<_, ()>(())
        });
        (pages, end.unwrap())
    }

    #[test]
    fn html_pages_are_read_as_a_browser_showed_them() {
        let first = record("response", "http://h/a", &format!("{HTML}plain"));
        let file = [
            first.clone(),
            record("request", "http://h/a", "GET /a HTTP/1.1\r\n\r\n"),
            record("resource", "urn:dom:http://h/a", "rendered"),
            record("response", "http://h/c", "HTTP/1.1 404 Not Found\r\nContent-Type: text/html\r\n\r\nx"),
            record("response", "http://h/d", "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\nx"),
            record("response", "no address", &format!("{HTML}x")),
            record("resource", "urn:dom:http://h/other", "other"),
            record("response", "http://h/b", &format!("{HTML}b")),
        ];
        let (pages, end) = pages(&file.concat());
        let shown: Vec<_> = pages.iter().map(|page| (page.url.as_str(), page.html.as_str())).collect();
        assert_eq!(shown, [("http://h/a", "rendered"), ("http://h/b", "b")]);
        assert!(end.is_none() && pages[0].offset == 0);
        assert_eq!(pages[1].offset as usize, file[..7].concat().len());
        assert_eq!(pages[1].time.unwrap().to_string(), "2026-01-02T03:04:05Z");
    }

    #[test]
    fn a_damaged_file_is_read_up_to_the_damage() {
        let page = record("response", "http://h/a", &format!("{HTML}a"));
        let (found, end) = pages(&format!("{page}{}", &page[..page.len() - 20]));
        assert!(found.len() == 1 && end.is_some());
        let (none, end) = pages("no WARC file");
        assert!(none.is_empty() && end.is_some());
    }
}
