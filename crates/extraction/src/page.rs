//! A recorded page.

use bytes::Bytes;
use harvestman_core::model::MediaType;
use harvestman_document::decode;
use harvestman_posts::Page;
use harvestman_posts::site::{PageNeighbours, PageOrigin};
use http::HeaderMap;
use http::header::CONTENT_TYPE;
use jiff::Timestamp;
use jiff::tz::TimeZone;
use url::Url;

/// Removes the codings of a recorded response: returns its headers and its body, or `None` if it is not HTTP.
pub type DecodeMessage = fn(&Bytes) -> Option<(HeaderMap, Bytes)>;

/// A response that was recorded, or a visit that found its page unchanged.
#[derive(Debug, Clone)]
pub struct RecordedPage {
    /// The address.
    pub url: Url,
    /// The name of the WARC file.
    pub file: String,
    /// The byte offset of the record in it.
    pub offset: u64,
    /// When it was fetched.
    pub time: Timestamp,
    /// The response with its head; `None` if the page was unchanged.
    pub message: Option<Bytes>,
}

/// What a crawl noted of a visit to a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Visit {
    /// The number of the visit, from 1.
    pub number: Option<u32>,
    /// The cluster of the page.
    pub cluster: Option<u32>,
}

impl RecordedPage {
    /// Returns the page and where it comes from, if it is HTML within the bounds on pages and was answered with status 200.
    pub fn parse(&self, decode_message: DecodeMessage) -> Option<(Page, PageOrigin)> {
        let message = self.message.as_ref().filter(|message| is_ok(message))?;
        let (headers, body) = decode_message(message)?;
        let content_type = headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok());
        if MediaType::of(content_type) != MediaType::Html {
            return None;
        }
        let fetched = self.time.to_zoned(TimeZone::UTC).datetime();
        let page = Page::parse(&self.url, &decode(&body, content_type), fetched)?;
        let origin = PageOrigin {
            url: self.url.to_string(),
            warc_file: Some(self.file.clone()),
            warc_offset: Some(self.offset),
            crawl_time: self.time,
            visit: None,
            cluster: None,
            head: PageNeighbours::of(&page),
        };
        Some((page, origin))
    }
}

/// Returns whether a response has status 200.
pub(crate) fn is_ok(message: &[u8]) -> bool {
    let line = message.split(|byte| *byte == b'\n').next().unwrap_or_default();
    let mut words = line.split(|byte| *byte == b' ').filter(|word| !word.is_empty());
    words.next().is_some_and(|word| word.starts_with(b"HTTP/")) && words.next().map(<[u8]>::trim_ascii) == Some(b"200")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_status_200_is_ok() {
        assert!(is_ok(b"HTTP/1.1 200 OK\r\n\r\n") && is_ok(b"HTTP/1.0  200\r\n"));
        assert!(!is_ok(b"HTTP/1.1 2000 OK\r\n") && !is_ok(b"HTTP/1.1 404 200\r\n") && !is_ok(b"200") && !is_ok(b""));
    }
}
