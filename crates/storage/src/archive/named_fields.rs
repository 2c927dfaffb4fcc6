//! Named fields: the `Name: value` lines of record headers and of `application/warc-fields` blocks (WARC 1.1, section
//! 4). Such a block is the metadata record of a page: properties that are not part of the exchange (section 6.6).

use std::fmt::{self, Write as _};
use std::io::Write;

use percent_encoding::{AsciiSet, CONTROLS, utf8_percent_encode};

use super::digest::Digest;
use super::record_id::RecordId;
use harvestman_core::clock::Instant;
use harvestman_core::model::{Exchange, ScheduledUrl, Signal, StatementRecord};

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

/// Maximum number of hops that are written out. More are only counted: `12+LLL…`, as Heritrix writes long paths.
const HOPS_SPELT_OUT: u32 = 50;

/// The results of the parser that are archived.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct PageFacts<'a> {
    /// The page's title.
    pub title: Option<&'a str>,
    /// The number of links; `None` if the page was not parsed.
    pub links: Option<u32>,
    /// The document that a browser showed, as HTML.
    pub rendered: Option<&'a str>,
    /// Why the answer is not taken for what was asked for: `suspect`, `soft_404`, `block_page` or `guest_view`.
    pub substitute: Option<&'static str>,
    /// What the site and the page state about the use of their content.
    pub statements: &'a [StatementRecord],
    /// The signal because of which the answer is not kept.
    pub not_kept: Option<Signal>,
}

/// Appends the block.
pub(super) fn write(exchange: &Exchange, item: &ScheduledUrl, facts: &PageFacts<'_>, out: &mut Vec<u8>) {
    let mut fields = Fields(out);
    if let Some(via) = &item.via {
        fields.uri("via", via);
    }
    let hops = hops_from_seed(item.depth, item.redirects);
    if !hops.is_empty() {
        fields.put("hopsFromSeed", hops);
    }
    let timings = exchange.timings;
    fields.put("fetchTimeMs", timings.ended.since(timings.started).as_millis());
    if let Some(title) = facts.title {
        fields.text("title", title);
    }
    if let Some(links) = facts.links {
        fields.put("outlinkCount", links);
    }
    if let Some(why) = facts.substitute {
        fields.put("substitute", why);
    }
    for StatementRecord { signal, stated_in, says, effect } in facts.statements {
        let effect = effect.as_ref().map(|effect| format!("; effect={effect}")).unwrap_or_default();
        fields.text("statement", &format!("{signal}; in={stated_in}; says={says}{effect}"));
    }
    if let Some(signal) = facts.not_kept {
        fields.put("notKept", signal.label());
    }
}

/// Returns the path from the seed: `L` is a link, `R` a redirect. Only the redirects directly before this URL are known
/// to be redirects.
fn hops_from_seed(depth: u16, redirects: u8) -> String {
    let (links, redirects) = (u32::from(depth), u32::from(redirects));
    let left_out = (links + redirects).saturating_sub(HOPS_SPELT_OUT);
    let mut hops = String::new();
    if left_out > 0 {
        write!(hops, "{left_out}+").expect("a String takes every write");
    }
    let links_spelt = links.saturating_sub(left_out);
    let redirects_spelt = redirects.min(HOPS_SPELT_OUT);
    hops.extend((0..links_spelt).map(|_| 'L').chain((0..redirects_spelt).map(|_| 'R')));
    hops
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

    #[test]
    fn hops_are_written_out_up_to_the_limit_and_counted_beyond() {
        assert_eq!(hops_from_seed(0, 0), "");
        assert_eq!(hops_from_seed(2, 1), "LLR");
        assert_eq!(hops_from_seed(49, 1), format!("{}R", "L".repeat(49)));
        assert_eq!(hops_from_seed(50, 1), format!("1+{}R", "L".repeat(49)));
        assert_eq!(hops_from_seed(3, 255), format!("208+{}", "R".repeat(50)));
    }
}
