//! One line of a page log as the report reads it: whatever an older or a damaged log does not say is absent.

use std::borrow::Cow;

use serde::Deserialize;

use harvestman_core::clock::Instant;

/// What a line says. Only the URL and its fate must be there.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
pub struct LogLine<'a> {
    /// The URL, canonical.
    #[serde(borrow)]
    pub url: Cow<'a, str>,
    /// What became of it.
    #[serde(borrow)]
    pub fate: Cow<'a, str>,
    /// Why.
    #[serde(borrow, default)]
    pub reason: Option<Cow<'a, str>>,
    /// When the last request started (RFC 3339).
    #[serde(borrow, default)]
    pub time: Option<Cow<'a, str>>,
    /// The HTTP status of the last answer.
    #[serde(default)]
    pub status: Option<u16>,
    /// The media type as the server declared it.
    #[serde(borrow, default)]
    pub content_type: Option<Cow<'a, str>>,
    /// Bytes of the body.
    #[serde(default)]
    pub bytes: u64,
    /// Links between a seed and the URL.
    #[serde(default)]
    pub depth: u16,
    /// Requests spent on it.
    #[serde(default)]
    pub attempts: Option<u8>,
    /// Milliseconds from the start of the last request to the response's head.
    #[serde(default)]
    pub first_byte_ms: Option<u64>,
    /// The page's title.
    #[serde(borrow, default)]
    pub title: Option<Cow<'a, str>>,
    /// Which visit to the page it was, from the second on.
    #[serde(default)]
    pub visit: Option<u32>,
    /// Whether the page has changed since the visit before.
    #[serde(default)]
    pub changed: Option<bool>,
    /// The cluster of the page.
    #[serde(default)]
    pub cluster: Option<u32>,
    /// The score of its link class when it was its turn.
    #[serde(default)]
    pub score: Option<f64>,
    /// The WARC file that holds the response.
    #[serde(borrow, default)]
    pub warc_file: Option<Cow<'a, str>>,
}

impl<'a> LogLine<'a> {
    /// Reads a line; none where it is damaged.
    pub fn read(line: &'a [u8]) -> Option<Self> {
        let line: Self = serde_json::from_slice(line).ok()?;
        (!line.url.is_empty() && !line.fate.is_empty()).then_some(line)
    }

    /// When its last request started; none where none was sent, or the time cannot be read.
    pub fn started(&self) -> Option<Instant> {
        instant(self.time.as_deref()?)
    }

    /// Requests spent on it. An older log does not say; then it is one where there is a time.
    pub fn requests(&self) -> u64 {
        self.attempts.map_or(u64::from(self.time.is_some()), u64::from)
    }

    /// Whether a page was fetched.
    pub fn is_fetched(&self) -> bool {
        self.fate == "fetched"
    }

    /// Scheme and authority.
    pub fn origin(&self) -> &str {
        origin(&self.url)
    }
}

/// Scheme and authority of a URL; all of what is no URL.
pub fn origin(url: &str) -> &str {
    let Some(start) = url.find("://").map(|at| at + 3) else { return url };
    let end = url[start..].find(['/', '?', '#']).map_or(url.len(), |at| start + at);
    &url[..end]
}

/// A time in RFC 3339.
pub fn instant(text: &str) -> Option<Instant> {
    let time: jiff::Timestamp = text.parse().ok()?;
    u64::try_from(time.as_microsecond()).ok().map(Instant::from_micros)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_of_an_older_version_is_read_with_what_it_has() {
        let line = LogLine::read(br#"{"url":"http://h.test/a?b","fate":"fetched","more":[1]}"#).unwrap();
        assert_eq!((line.origin(), line.requests(), line.bytes, line.started()), ("http://h.test", 0, 0, None));
        let line = LogLine::read(br#"{"url":"x","fate":"f","time":"1970-01-01T00:00:02.5Z"}"#).unwrap();
        assert_eq!((line.requests(), line.started()), (1, Some(Instant::from_micros(2_500_000))));
    }

    #[test]
    fn what_is_no_line_of_a_log_is_damaged() {
        for damaged in
            ["", "{", "[]", "null", "{}", r#"{"url":"u"}"#, r#"{"url":"","fate":"f"}"#, "\0\0\0", "\u{feff}{}"]
        {
            assert_eq!(LogLine::read(damaged.as_bytes()), None, "{damaged:?}");
        }
        assert_eq!(LogLine::read(b"{\"url\":\"\xff\",\"fate\":\"f\"}"), None, "no UTF-8");
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
