//! A recorded page, and which pages of a host are learned from.

use std::collections::HashMap;

use bytes::Bytes;
use http::HeaderMap;
use jiff::Timestamp;
use jiff::civil::DateTime;
use jiff::tz::TimeZone;
use url::Url;

use harvestman_core::model::{ContentType, MediaType};
use harvestman_document::decode;
use harvestman_posts::site::{PageNeighbours, PageOrigin};
use harvestman_posts::{Page, PageRecords, read_feed};

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

/// What a response is.
pub(crate) enum ResponseContent {
    /// A page.
    Html(Box<Page>),
    /// The entries of a feed.
    Feed(PageRecords),
}

impl RecordedPage {
    /// Returns the page, if it is HTML within the bounds on pages and was answered with status 200.
    pub fn parse(&self, decode_message: DecodeMessage) -> Option<Page> {
        let (headers, body) = self.body(decode_message)?;
        let content_type = ContentType::field_of(&headers);
        if MediaType::of_body(content_type, &body) == MediaType::Html { self.page(content_type, &body) } else { None }
    }

    /// Returns the page or the entries of the feed, if it was answered with status 200.
    pub(crate) fn read(&self, decode_message: DecodeMessage) -> Option<ResponseContent> {
        let (headers, body) = self.body(decode_message)?;
        let content_type = ContentType::field_of(&headers);
        let media = MediaType::of_body(content_type, &body);
        if media == MediaType::Html {
            return self.page(content_type, &body).map(|page| ResponseContent::Html(Box::new(page)));
        }
        let text = may_be_feed(media).then(|| decode(&body, content_type))?;
        read_feed(&self.url, &text, self.fetched()).map(ResponseContent::Feed)
    }

    /// Returns where it comes from. `head` is what it says of itself.
    pub fn origin(&self, head: PageNeighbours) -> PageOrigin {
        PageOrigin {
            url: self.url.to_string(),
            warc_file: Some(self.file.clone()),
            warc_offset: Some(self.offset),
            crawl_time: self.time,
            visit: None,
            cluster: None,
            head,
        }
    }

    fn body(&self, decode_message: DecodeMessage) -> Option<(HeaderMap, Bytes)> {
        decode_message(self.message.as_ref().filter(|message| is_ok(message))?)
    }

    fn page(&self, content_type: Option<&str>, body: &[u8]) -> Option<Page> {
        Page::parse(&self.url, &decode(body, content_type), self.fetched())
    }

    fn fetched(&self) -> DateTime {
        self.time.to_zoned(TimeZone::UTC).datetime()
    }
}

/// Returns whether a media type is one that feeds are served with. Its content tells whether it is a feed.
const fn may_be_feed(media: MediaType) -> bool {
    matches!(media, MediaType::Json | MediaType::Xml)
}

/// Returns whether a response has status 200.
pub(crate) fn is_ok(message: &[u8]) -> bool {
    let line = message.split(|byte| *byte == b'\n').next().unwrap_or_default();
    let mut words = line.split(|byte| *byte == b' ').filter(|word| !word.is_empty());
    words.next().is_some_and(|word| word.starts_with(b"HTTP/")) && words.next().map(<[u8]>::trim_ascii) == Some(b"200")
}

/// Number of first pages of a host that are all learned from.
const FIRST: u64 = 200;
/// Of later pages one of this many is learned from.
const EACH: u64 = 50;
/// Maximum number of pages of a host that are learned from.
const PAGES_MAX: u64 = 1_000;
/// Maximum number of hosts that are learned from.
const HOSTS_MAX: usize = 10_000;

/// Chooses pages: the first ones of each host, and some of the others.
#[derive(Debug, Default)]
pub struct Sample {
    hosts: HashMap<String, HostPages>,
}

#[derive(Debug, Default)]
struct HostPages {
    seen: u64,
    chosen: u64,
}

impl Sample {
    /// Returns whether the next page of a host is to be learned from.
    pub fn chooses(&mut self, host: &str) -> bool {
        if self.hosts.len() >= HOSTS_MAX && !self.hosts.contains_key(host) {
            return false;
        }
        let pages = self.hosts.entry(host.to_owned()).or_default();
        pages.seen += 1;
        let is_chosen = pages.chosen < PAGES_MAX && (pages.seen <= FIRST || pages.seen.is_multiple_of(EACH));
        pages.chosen += u64::from(is_chosen);
        is_chosen
    }

    /// Returns whether the number of the pages chosen from a host has doubled: kinds of pages that came up since count
    /// then.
    pub fn has_doubled(&self, host: &str) -> bool {
        self.hosts.get(host).is_some_and(|pages| pages.chosen > FIRST && pages.chosen.is_power_of_two())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn feeds_are_known_by_their_media_types() {
        for feed in ["application/rss+xml", "text/xml; charset=utf-8", "Application/Feed+JSON", "application/json"] {
            assert!(may_be_feed(MediaType::of(Some(feed))), "{feed}");
        }
        for other in [None, Some("text/html"), Some("image/svg+xml")] {
            assert!(!may_be_feed(MediaType::of(other)), "{other:?}");
        }
    }

    #[test]
    fn only_status_200_is_ok() {
        assert!(is_ok(b"HTTP/1.1 200 OK\r\n\r\n") && is_ok(b"HTTP/1.0  200\r\n"));
        assert!(!is_ok(b"HTTP/1.1 2000 OK\r\n") && !is_ok(b"HTTP/1.1 404 200\r\n") && !is_ok(b"200") && !is_ok(b""));
    }

    #[test]
    fn the_first_pages_and_some_of_the_others_are_chosen() {
        let mut sample = Sample::default();
        let chosen = |sample: &mut Sample, count| (0..count).filter(|_| sample.chooses("h")).count();
        assert_eq!((chosen(&mut sample, 200), chosen(&mut sample, 500)), (200, 10));
        assert!(sample.chooses("other"));
        assert_eq!(chosen(&mut sample, 1_000_000), 790);
    }
}
