//! The charset of a page: byte order mark, HTTP header, `meta`, valid UTF-8, and last a guess.
//!
//! The order is that of the HTML standard (section 13.2.3.2), except that a page of valid UTF-8 without a declaration
//! counts as UTF-8.

use std::borrow::Cow;

use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
use encoding_rs::{Encoding, ISO_2022_JP, REPLACEMENT, UTF_8, UTF_16BE, UTF_16LE, WINDOWS_1252, X_USER_DEFINED};

use harvestman_core::model::ContentType;

use super::attributes::Attributes;
use super::bytes::is_space;
use super::element::Tag;
use super::limits::CHARSET_SNIFF_MAX;
use super::tokens::{Token, Tokens};

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
