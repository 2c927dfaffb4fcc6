//! What a page is written in: decided here once for all readers of pages, the parser and those that build a tree. Its
//! charset is that of a byte order mark, the HTTP header, `meta`, valid UTF-8, and last a guess.
//!
//! The order is that of the HTML standard (section 13.2.3.2), except that a page of valid UTF-8 without a declaration
//! counts as UTF-8.

use std::borrow::Cow;

use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
use encoding_rs::{Encoding, ISO_2022_JP, REPLACEMENT, UTF_8, UTF_16BE, UTF_16LE, WINDOWS_1252, X_USER_DEFINED};

use super::attributes::Attributes;
use super::bytes::is_space;
use super::element::Tag;
use super::parse_limits::CHARSET_SNIFF_MAX;
use super::tokens::{Token, Tokens};
use super::unended::{Repaired, repaired};
use super::xhtml::{NotXhtml, as_html};
use harvestman_core::model::{ContentType, MarkupRules, MediaType};

/// The media type of XHTML.
const XHTML: &str = "application/xhtml+xml";

/// What a page is written in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum MarkupLanguage {
    Html,
    /// XHTML that is declared to be XML, but is not well-formed.
    BrokenXhtml,
    /// XML that is no XHTML.
    OtherXml,
}

impl MarkupLanguage {
    /// Returns the rules by which it is read.
    pub const fn rules(self) -> MarkupRules {
        match self {
            Self::Html | Self::OtherXml => MarkupRules::Html,
            Self::BrokenXhtml => MarkupRules::BrokenXml,
        }
    }
}

/// Returns a page of XHTML that is declared to be XML as HTML, or otherwise what it is written in.
pub(super) fn from_xhtml(bytes: &[u8], content_type: Option<&str>) -> Result<String, MarkupLanguage> {
    let is_xhtml = content_type.and_then(ContentType::of).is_some_and(|stated| stated.is(XHTML));
    if !is_xhtml && MediaType::of(content_type) != MediaType::Xml {
        return Err(MarkupLanguage::Html);
    }
    let (encoding, bytes) = of(bytes, content_type);
    as_html(&encoding.decode_without_bom_handling(bytes).0).map_err(|error| match error {
        NotXhtml::Broken if is_xhtml => MarkupLanguage::BrokenXhtml,
        NotXhtml::OtherRoot if is_xhtml => MarkupLanguage::Html,
        NotXhtml::Broken | NotXhtml::OtherRoot => MarkupLanguage::OtherXml,
    })
}

/// Returns a page as the HTML that all readers of pages read: `decode` decodes one that is not written in XHTML.
///
/// XHTML that is declared to be XML is written anew, and end tags that are missing are added where otherwise the rest
/// of the page would count as the text of an element.
pub fn html_of<'b>(
    bytes: &'b [u8],
    content_type: Option<&str>,
    decode: impl FnOnce(&'b [u8]) -> Cow<'b, str>,
) -> Cow<'b, str> {
    let language = match from_xhtml(bytes, content_type) {
        Ok(html) => return Cow::Owned(html),
        Err(language) => language,
    };
    let text = decode(bytes);
    match with_ends(text.as_bytes(), language) {
        Some(Repaired { bytes, .. }) => Cow::Owned(String::from_utf8_lossy(&bytes).into_owned()),
        None => text,
    }
}

/// Returns a page with the end tags that it lacks; `None` if there are none, or it is no page.
pub(super) fn with_ends(bytes: &[u8], language: MarkupLanguage) -> Option<Repaired> {
    match language {
        MarkupLanguage::Html => repaired(bytes, false),
        MarkupLanguage::BrokenXhtml => repaired(bytes, true),
        MarkupLanguage::OtherXml => None,
    }
}

/// Bytes at the beginning of a page that may hold the declaration (HTML standard, section 13.2.3.2).
const PRESCAN_MAX: usize = 1024;

/// Returns the charset of a page, and the page without its byte order mark.
pub(super) fn of<'b>(bytes: &'b [u8], content_type: Option<&str>) -> (&'static Encoding, &'b [u8]) {
    if let Some((encoding, mark)) = Encoding::for_bom(bytes) {
        return (encoding, &bytes[mark..]);
    }
    let declared =
        content_type.and_then(ContentType::charset_of).and_then(|label| Encoding::for_label(label.as_bytes()));
    let encoding = declared.or_else(|| prescan(&bytes[..bytes.len().min(PRESCAN_MAX)])).unwrap_or_else(|| guess(bytes));
    (encoding, bytes)
}

/// Returns the bytes to scan and their encoding. Most charsets write markup as ASCII does; such pages are scanned as
/// they are and only what is stored of them is decoded. Pages in other charsets are decoded as a whole.
pub(super) fn scannable<'b>(encoding: &'static Encoding, bytes: &'b [u8]) -> (&'static Encoding, Cow<'b, [u8]>) {
    if [UTF_16LE, UTF_16BE, ISO_2022_JP, REPLACEMENT].contains(&encoding) {
        let (text, _) = encoding.decode_without_bom_handling(bytes);
        return (UTF_8, Cow::Owned(text.into_owned().into_bytes()));
    }
    (encoding, Cow::Borrowed(bytes))
}

fn guess(bytes: &[u8]) -> &'static Encoding {
    if std::str::from_utf8(bytes).is_ok() {
        return UTF_8;
    }
    let beginning = &bytes[..bytes.len().min(CHARSET_SNIFF_MAX)];
    let mut detector = EncodingDetector::new(Iso2022JpDetection::Deny);
    detector.feed(beginning, beginning.len() == bytes.len());
    // A page that begins as UTF-8 and has an error only later is still read as UTF-8.
    detector.guess(None, Utf8Detection::Allow)
}

/// Returns the declaration within the page's beginning.
fn prescan(beginning: &[u8]) -> Option<&'static Encoding> {
    let mut tokens = Tokens::new(beginning);
    while let Some(token) = tokens.next(false) {
        if let (Token::Start, Tag::META) = (token, tokens.tag.tag)
            && let Some(encoding) = declared_by(Attributes::new(beginning, tokens.tag.attributes.0))
        {
            return Some(encoding);
        }
    }
    xml_declaration(beginning).and_then(for_declared)
}

/// Returns the encoding that a `meta` tag declares.
fn declared_by(attributes: Attributes<'_>) -> Option<&'static Encoding> {
    let [charset, http_equiv, content] = attributes.pick(["charset", "http-equiv", "content"]);
    let by_content = || {
        http_equiv.filter(|value| value.eq_ignore_ascii_case(b"content-type"))?;
        charset_in(content?)
    };
    charset.or_else(by_content).and_then(for_declared)
}

/// Returns the encoding of a label that was read as ASCII, and so cannot mean an encoding in which ASCII is written
/// otherwise.
fn for_declared(label: &[u8]) -> Option<&'static Encoding> {
    Encoding::for_label(label).map(|encoding| match encoding {
        encoding if encoding == UTF_16LE || encoding == UTF_16BE => UTF_8,
        encoding if encoding == X_USER_DEFINED => WINDOWS_1252,
        encoding => encoding,
    })
}

/// Returns the label behind `charset=` in the content of a `meta` element (HTML standard, section 4.2.5.4).
fn charset_in(content_type: &[u8]) -> Option<&[u8]> {
    let mut rest = content_type;
    loop {
        let at = rest.windows(7).position(|window| window.eq_ignore_ascii_case(b"charset"))?;
        rest = rest[at + 7..].trim_ascii_start();
        if let Some(value) = rest.strip_prefix(b"=") {
            return label(value.trim_ascii_start());
        }
    }
}

fn label(value: &[u8]) -> Option<&[u8]> {
    match value.first()? {
        quote @ (b'"' | b'\'') => value[1..].split(|b| b == quote).next(),
        _ => value.split(|b| is_space(*b) || *b == b';').next(),
    }
}

/// Returns the label in `<?xml version="1.0" encoding="…"?>`.
fn xml_declaration(beginning: &[u8]) -> Option<&[u8]> {
    let declaration = beginning.strip_prefix(b"<?xml")?.split(|b| *b == b'>').next()?;
    let at = declaration.windows(8).position(|window| window == b"encoding")?;
    label(declaration[at + 8..].trim_ascii_start().strip_prefix(b"=")?.trim_ascii_start())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn html(page: &str, content_type: &str) -> String {
        html_of(page.as_bytes(), Some(content_type), String::from_utf8_lossy).into_owned()
    }

    #[test]
    fn xhtml_is_read_as_xml_by_its_media_type() {
        let page = "<html xmlns='http://www.w3.org/1999/xhtml'><title/><p>x</p></html>";
        let as_html = "<!DOCTYPE html><html><title></title><p>x</p></html>";
        for xml in [
            "application/xhtml+xml",
            "Application/XHTML+xml; charset=utf-8",
            "text/html, application/xhtml+xml",
            "text/xml",
            "application/xml",
        ] {
            assert_eq!(html(page, xml), as_html, "{xml}");
        }
        assert_eq!(html(page, "text/html"), page.replace("<title/>", "<title/></title>"));
    }

    #[test]
    fn what_is_not_well_formed_is_read_as_html_in_which_empty_elements_end() {
        let page = "<html><script src='a'/><p>x<script>y</script></html>";
        assert_eq!(html(page, XHTML), page.replace("'a'/>", "'a'/></script>"));
        assert_eq!(html(page, "text/html"), page);
    }

    #[test]
    fn a_feed_stays_as_it_is() {
        let feed = "<rss><title/><item><title/></item></rss>";
        assert_eq!(html(feed, "application/rss+xml"), feed);
        assert_eq!(html("<rss><title/>&x;", "text/xml"), "<rss><title/>&x;");
    }

    #[test]
    fn the_charset_is_that_of_the_declaration() {
        let page = b"<?xml version='1.0' encoding='iso-8859-1'?><html><p>\xe9</p></html>";
        let html = html_of(page, Some(XHTML), String::from_utf8_lossy);
        assert_eq!(html, "<!DOCTYPE html><html><p>\u{e9}</p></html>");
    }
}
