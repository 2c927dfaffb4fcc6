//! A line of the page log as the report reads it.
//!
//! It is a [`PageRecord`](harvestman_core::model::PageRecord) that borrows its texts from the line and has only the
//! fields that a report needs, as logs have many millions of lines. Fields that an older log lacks are absent.

use std::borrow::Cow;

use serde::Deserialize;

use harvestman_core::clock::Instant;
use harvestman_core::model::StatementRecord;

/// A line of the page log. Only the URL and its fate are required.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
pub struct LogLine<'a> {
    /// The URL, canonical.
    #[serde(borrow)]
    pub url: Cow<'a, str>,
    /// Its fate.
    #[serde(borrow)]
    pub fate: Cow<'a, str>,
    /// The reason of the fate.
    #[serde(borrow, default)]
    pub reason: Option<Cow<'a, str>>,
    /// When the last request started (RFC 3339).
    #[serde(borrow, default)]
    pub time: Option<Cow<'a, str>>,
    /// The HTTP status of the last response.
    #[serde(default)]
    pub status: Option<u16>,
    /// The media type as the server declared it.
    #[serde(borrow, default)]
    pub content_type: Option<Cow<'a, str>>,
    /// Bytes of the body.
    #[serde(default)]
    pub bytes: u64,
    /// The depth: links between a seed and the URL.
    #[serde(default)]
    pub depth: u16,
    /// Requests spent on it.
    #[serde(default)]
    pub attempts: Option<u8>,
    /// Time to first byte: milliseconds from the start of the last request to the head of its response.
    #[serde(default)]
    pub first_byte_ms: Option<u64>,
    /// The page's title.
    #[serde(borrow, default)]
    pub title: Option<Cow<'a, str>>,
    /// The number of the visit, from the second on.
    #[serde(default)]
    pub visit: Option<u32>,
    /// Whether the page has changed since the previous visit.
    #[serde(default)]
    pub changed: Option<bool>,
    /// The cluster of the page.
    #[serde(default)]
    pub cluster: Option<u32>,
    /// The score of its link class when it was scheduled.
    #[serde(default)]
    pub score: Option<f64>,
    /// The WARC file that holds the response.
    #[serde(borrow, default)]
    pub warc_file: Option<Cow<'a, str>>,
    /// What the site and the page state about the use of their content.
    #[serde(default)]
    pub signals: Vec<StatementRecord>,
}

impl<'a> LogLine<'a> {
    /// Reads a line; `None` if it is damaged.
    pub fn read(line: &'a [u8]) -> Option<Self> {
        let line: Self = serde_json::from_slice(line).ok()?;
        (!line.url.is_empty() && !line.fate.is_empty()).then_some(line)
    }

    /// Returns when its last request started; `None` if none was sent, or if the time cannot be read.
    pub fn started(&self) -> Option<Instant> {
        instant(self.time.as_deref()?)
    }

    /// Returns the requests spent on it. Where an older log does not say, it is one for a line with a time.
    pub fn requests(&self) -> u64 {
        self.attempts.map_or(u64::from(self.time.is_some()), u64::from)
    }

    /// Returns whether a page was fetched.
    pub fn is_fetched(&self) -> bool {
        self.fate == "fetched"
    }

    /// Returns scheme and authority.
    pub fn origin(&self) -> &str {
        origin(&self.url)
    }
}

/// Returns scheme and authority of a URL; the whole text if it is no URL.
pub fn origin(url: &str) -> &str {
    let Some(start) = url.find("://").map(|at| at + 3) else { return url };
    let end = url[start..].find(['/', '?', '#']).map_or(url.len(), |at| start + at);
    &url[..end]
}

/// Parses a time in RFC 3339.
pub fn instant(text: &str) -> Option<Instant> {
    let time: jiff::Timestamp = text.parse().ok()?;
    u64::try_from(time.as_microsecond()).ok().map(Instant::from_micros)
}

#[cfg(test)]
mod tests {
    use super::*;
    use harvestman_core::model::PageRecord;

    #[test]
    fn a_line_of_an_older_version_is_read_with_what_it_has() {
        let line = LogLine::read(br#"{"url":"http://h.test/a?b","fate":"fetched","more":[1]}"#).unwrap();
        assert_eq!((line.origin(), line.requests(), line.bytes, line.started()), ("http://h.test", 0, 0, None));
        let line = LogLine::read(br#"{"url":"x","fate":"f","time":"1970-01-01T00:00:02.5Z"}"#).unwrap();
        assert_eq!((line.requests(), line.started()), (1, Some(Instant::from_micros(2_500_000))));
    }

    #[test]
    fn other_text_is_damaged() {
        for damaged in
            ["", "{", "[]", "null", "{}", r#"{"url":"u"}"#, r#"{"url":"","fate":"f"}"#, "\0\0\0", "\u{feff}{}"]
        {
            assert_eq!(LogLine::read(damaged.as_bytes()), None, "{damaged:?}");
        }
        assert_eq!(LogLine::read(b"{\"url\":\"\xff\",\"fate\":\"f\"}"), None, "no UTF-8");
    }

    #[test]
    fn a_line_is_read_as_the_record_that_was_written() {
        let record = PageRecord {
            url: "http://h.test/a".to_owned(),
            fate: "failed".to_owned(),
            reason: Some("http_404".to_owned()),
            time: Some("1970-01-01T00:00:02Z".to_owned()),
            status: Some(404),
            content_type: Some("text/html".to_owned()),
            bytes: 5,
            depth: 3,
            attempts: 2,
            first_byte_ms: Some(40),
            title: Some("T".to_owned()),
            visit: Some(2),
            changed: Some(true),
            cluster: Some(7),
            score: Some(0.5),
            warc_file: Some("warc/a".to_owned()),
            signals: vec![StatementRecord { signal: "noai".to_owned(), ..StatementRecord::default() }],
            ..PageRecord::default()
        };
        let text = serde_json::to_vec(&record).unwrap();
        let line = LogLine::read(&text).unwrap();
        let expected = LogLine {
            url: record.url.into(),
            fate: record.fate.into(),
            reason: record.reason.map(Cow::Owned),
            time: record.time.map(Cow::Owned),
            status: record.status,
            content_type: record.content_type.map(Cow::Owned),
            bytes: record.bytes,
            depth: record.depth,
            attempts: Some(record.attempts),
            first_byte_ms: record.first_byte_ms,
            title: record.title.map(Cow::Owned),
            visit: record.visit,
            changed: record.changed,
            cluster: record.cluster,
            score: record.score,
            warc_file: record.warc_file.map(Cow::Owned),
            signals: record.signals,
        };
        assert_eq!(line, expected);
    }

    #[test]
    fn an_origin_ends_where_the_path_or_the_query_begins() {
        for (url, expected) in [
            ("https://h.test:81/a/b", "https://h.test:81"),
            ("https://h.test?q=/", "https://h.test"),
            ("https://h.test", "https://h.test"),
            ("nonsense", "nonsense"),
        ] {
            assert_eq!(origin(url), expected);
        }
    }
}
