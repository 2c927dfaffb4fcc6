//! Named fields: the `Name: value` lines of record headers and of `application/warc-fields` blocks (WARC 1.1, section
//! 4).

use std::fmt;
use std::io::Write;

use percent_encoding::{AsciiSet, CONTROLS, utf8_percent_encode};

use super::digest::Digest;
use super::record_id::RecordId;
use harvestman_core::clock::Instant;

/// Characters that are invalid in a URI (RFC 3986), or would end the field or its value. Non-ASCII characters are
/// encoded too.
const NOT_IN_URI: &AsciiSet =
    &CONTROLS.add(b' ').add(b'"').add(b'<').add(b'>').add(b'\\').add(b'^').add(b'`').add(b'{').add(b'|').add(b'}');

/// A writer that appends the fields of one header to a buffer.
pub(super) struct Fields<'a>(pub &'a mut Vec<u8>);

impl Fields<'_> {
    /// Appends a field whose value cannot contain a line break.
    pub fn put(&mut self, name: &str, value: impl fmt::Display) -> &mut Self {
        write!(self.0, "{name}: {value}\r\n").expect("a Vec takes every write");
        self
    }

    /// Appends a field with arbitrary text. Control characters are replaced by a space.
    pub fn text(&mut self, name: &str, value: &str) -> &mut Self {
        self.put(name, OneLine(value))
    }

    /// Appends a field with a URI. Invalid characters are percent-encoded.
    pub fn uri(&mut self, name: &str, url: &str) -> &mut Self {
        self.put(name, safe_uri(url))
    }

    /// Appends a field with a record id.
    pub fn id(&mut self, name: &str, id: RecordId) -> &mut Self {
        self.put(name, id)
    }

    /// Appends a field with a date.
    pub fn date(&mut self, name: &str, at: Instant) -> &mut Self {
        self.put(name, WarcDate(at))
    }

    /// Appends a field with a digest.
    pub fn digest(&mut self, name: &str, digest: &Digest) -> &mut Self {
        self.put(name, digest)
    }
}

/// Returns `url` with all characters percent-encoded that are invalid in a URI.
pub(super) fn safe_uri(url: &str) -> percent_encoding::PercentEncode<'_> {
    utf8_percent_encode(url, NOT_IN_URI)
}

/// A date in the format of WARC 1.1: UTC, with microseconds.
struct WarcDate(Instant);

impl fmt::Display for WarcDate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:.6}", self.0.timestamp())
    }
}

/// A text whose control characters are replaced by a space.
struct OneLine<'a>(&'a str);

impl fmt::Display for OneLine<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut rest = self.0;
        while let Some(at) = rest.find(char::is_control) {
            f.write_str(&rest[..at])?;
            f.write_str(" ")?;
            rest = rest[at..].trim_start_matches(char::is_control);
        }
        f.write_str(rest)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(put: impl for<'a, 'b> FnOnce(&'a mut Fields<'b>) -> &'a mut Fields<'b>) -> String {
        let mut buffer = Vec::new();
        put(&mut Fields(&mut buffer));
        String::from_utf8(buffer).unwrap()
    }

    #[test]
    fn dates_are_utc_with_six_digits() {
        let date = written(|f| f.date("WARC-Date", Instant::from_micros(1_700_000_000_000_100)));
        assert_eq!(date, "WARC-Date: 2023-11-14T22:13:20.000100Z\r\n");
    }

    #[test]
    fn a_field_never_contains_a_line_break() {
        assert_eq!(written(|f| f.text("title", "a\r\n\r\nWARC/1.1\u{85}b")), "title: a WARC/1.1 b\r\n");
        assert_eq!(
            written(|f| f.uri("WARC-Target-URI", "http://h/a\r\nb c>é")),
            "WARC-Target-URI: http://h/a%0D%0Ab%20c%3E%C3%A9\r\n"
        );
    }
}
