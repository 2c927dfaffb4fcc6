//! Media types: how a `Content-Type` is read, and the types that matter to a crawler.
//!
//! Servers state types twice, in lists, without a slash, or not at all. The type that counts is told as browsers do:
//! the last valid one of all (WHATWG Fetch, "extract a MIME type"), else the body's first bytes (WHATWG MIME Sniffing).

use http::HeaderMap;
use http::header::CONTENT_TYPE;

/// Number of bytes of a body by which its type is told, if none is stated (MIME Sniffing, section 5.2).
const SNIFFED: usize = 1_445;

/// A media type as stated, with the parameter that matters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ContentType<'a> {
    /// Type and subtype, in the case in which they are stated.
    pub essence: &'a str,
    /// The label of the charset; never empty.
    pub charset: Option<&'a str>,
}

impl<'a> ContentType<'a> {
    /// Reads the value of a `Content-Type`, which may be a list. The last valid type that says anything counts, with
    /// the charset that was stated for it. `None` if there is none: the type is not known.
    pub fn of(value: &'a str) -> Option<Self> {
        let mut last: Option<Self> = None;
        for stated in split(value, b',').filter_map(Self::of_one) {
            let inherited = last.filter(|last| last.essence.eq_ignore_ascii_case(stated.essence));
            last = Some(Self { charset: stated.charset.or(inherited.and_then(|last| last.charset)), ..stated });
        }
        last
    }

    /// Returns the field among several that states the type of a response; `None` if there is none.
    pub fn field_of(headers: &'a HeaderMap) -> Option<&'a str> {
        let mut values = headers.get_all(CONTENT_TYPE).iter().map(|value| readable(value.as_bytes()));
        let first = values.next()?;
        // Most responses have one, whatever it says.
        let Some(second) = values.next() else { return Some(first) };
        let mut chosen: Option<(&str, Option<Self>)> = None;
        for value in [first, second].into_iter().chain(values) {
            let stated = Self::of(value);
            let is_better = match (chosen, stated) {
                (None, _) | (Some((_, None)), Some(_)) => true,
                (Some((_, Some(before))), Some(stated)) => {
                    stated.charset.is_some() || !before.essence.eq_ignore_ascii_case(stated.essence)
                }
                (Some(_), None) => false,
            };
            if is_better {
                chosen = Some((value, stated));
            }
        }
        chosen.map(|(value, _)| value)
    }

    /// Returns the label of the charset that a `Content-Type` states. Where it states none as it should
    /// (`text/html charset=utf-8`), this is what follows `charset=` anywhere.
    pub fn charset_of(value: &'a str) -> Option<&'a str> {
        Self::of(value).and_then(|stated| stated.charset).or_else(|| {
            let start = value.as_bytes().windows(7).position(|part| part.eq_ignore_ascii_case(b"charset"))?;
            label(value.get(start + 7..)?.trim_start().strip_prefix('=')?.split([';', ',']).next()?)
        })
    }

    /// Returns whether this is the type `essence`.
    pub fn is(&self, essence: &str) -> bool {
        self.essence.eq_ignore_ascii_case(essence)
    }

    /// Parses one type (MIME Sniffing, section 4.4), more tolerant in its parameters.
    fn of_one(value: &'a str) -> Option<Self> {
        let mut parts = split(value, b';');
        let essence = parts.next()?.trim();
        let (kind, subtype) = essence.split_once('/')?;
        if !is_token(kind) || !is_token(subtype) {
            return None;
        }
        let says_nothing = ["*/*", "unknown/unknown", "application/unknown"];
        if says_nothing.iter().any(|unknown| essence.eq_ignore_ascii_case(unknown)) {
            return None;
        }
        let mut parameters = parts.filter_map(|part| part.split_once('='));
        let charset = parameters.find(|(name, _)| name.trim().eq_ignore_ascii_case("charset"));
        Some(Self { essence, charset: charset.and_then(|(_, value)| label(value)) })
    }
}

/// Returns the label of a charset without what encloses it; `None` if it is empty.
fn label(value: &str) -> Option<&str> {
    let value = value.trim();
    let label = match value.strip_prefix(['"', '\'']) {
        Some(quoted) => quoted.split(['"', '\'']).next().unwrap_or_default().trim(),
        None => value.split_ascii_whitespace().next().unwrap_or_default(),
    };
    (!label.is_empty()).then_some(label)
}

/// Returns the beginning of a header value that is text.
fn readable(value: &[u8]) -> &str {
    let end = match std::str::from_utf8(value) {
        Ok(text) => return text,
        Err(error) => error.valid_up_to(),
    };
    std::str::from_utf8(&value[..end]).unwrap_or_default()
}

/// Splits a value at each `separator` outside quotation marks.
fn split(value: &str, separator: u8) -> impl Iterator<Item = &str> {
    let mut rest = Some(value);
    std::iter::from_fn(move || {
        let text = rest?;
        let (mut is_quoted, mut is_escaped) = (false, false);
        let end = text.bytes().position(|byte| {
            let ends = byte == separator && !is_quoted;
            is_quoted ^= byte == b'"' && !is_escaped;
            is_escaped = is_quoted && byte == b'\\' && !is_escaped;
            ends
        });
        rest = end.map(|end| &text[end + 1..]);
        Some(&text[..end.unwrap_or(text.len())])
    })
}

/// Returns whether a text is a token (RFC 9110, section 5.6.2).
fn is_token(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte))
}

/// The type of a body.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum MediaType {
    /// HTML or XHTML: parsed for links.
    Html,
    /// A feed or sitemap (XML): its entries are links.
    Xml,
    /// JSON: it may be a feed.
    Json,
    /// Anything else: archived, not parsed.
    Other,
}

impl MediaType {
    /// Classifies a `Content-Type` value. One that is missing or states no type counts as HTML; where the body is
    /// known, [`Self::of_body`] looks at it.
    pub fn of(content_type: Option<&str>) -> Self {
        let Some(stated) = content_type.and_then(ContentType::of) else { return Self::Html };
        let ends_with = |end: &str| {
            let start = stated.essence.len().checked_sub(end.len());
            start.and_then(|at| stated.essence.get(at..)).is_some_and(|last| last.eq_ignore_ascii_case(end))
        };
        let is_image = || stated.essence.get(..6).is_some_and(|kind| kind.eq_ignore_ascii_case("image/"));
        match stated {
            _ if stated.is("text/html") || stated.is("application/xhtml+xml") => Self::Html,
            _ if stated.is("text/xml") || stated.is("application/xml") => Self::Xml,
            _ if stated.is("application/json") || stated.is("application/feed+json") => Self::Json,
            _ if ends_with("+xml") && !is_image() => Self::Xml,
            _ => Self::Other,
        }
    }

    /// Classifies a body without its content coding: by its `Content-Type`, or by its first bytes if that states no
    /// type.
    pub fn of_body(content_type: Option<&str>, body: &[u8]) -> Self {
        match content_type.and_then(ContentType::of) {
            Some(_) => Self::of(content_type),
            None => Self::sniffed(body),
        }
    }

    /// Tells the type by the first bytes. Text counts as HTML: what is not has no links.
    fn sniffed(body: &[u8]) -> Self {
        const MARKS_OF_TEXT: [&[u8]; 3] = [b"\xef\xbb\xbf", b"\xfe\xff", b"\xff\xfe"];
        const MARKS_OF_OTHERS: [&[u8]; 2] = [b"%PDF-", b"%!PS-Adobe-"];
        let begins_with = |mark: &&[u8]| body.starts_with(mark);
        let is_binary = |byte: &u8| matches!(byte, 0..=8 | 11 | 14..=26 | 28..=31);
        let without_mark = body.strip_prefix(MARKS_OF_TEXT[0]).unwrap_or(body);
        if without_mark.trim_ascii_start().starts_with(b"<?xml") {
            Self::Xml
        } else if MARKS_OF_TEXT.iter().any(begins_with) {
            Self::Html
        } else if MARKS_OF_OTHERS.iter().any(begins_with) || body.iter().take(SNIFFED).any(is_binary) {
            Self::Other
        } else {
            Self::Html
        }
    }
}

#[cfg(test)]
mod tests {
    use http::HeaderValue;
    use proptest::prelude::*;

    use super::*;

    fn read(value: &str) -> Option<(String, Option<&str>)> {
        ContentType::of(value).map(|stated| (stated.essence.to_ascii_lowercase(), stated.charset))
    }

    #[test]
    fn the_last_valid_type_of_a_list_counts_with_the_charset_stated_for_it() {
        for (value, essence, charset) in [
            ("text/html", "text/html", None),
            (" Text/HTML ; Charset = \"UTF-8\"", "text/html", Some("UTF-8")),
            ("text/html;;charset=utf-8;", "text/html", Some("utf-8")),
            ("text/html;charset='utf-8'", "text/html", Some("utf-8")),
            ("text/html; a=\"x;charset=no, text/css\"; charset=yes", "text/html", Some("yes")),
            ("text/html; a=\"\\\"\"; charset=b; charset=c", "text/html", Some("b")),
            ("text/html,text/html", "text/html", None),
            ("text/html; charset=gbk, text/html", "text/html", Some("gbk")),
            ("text/html; charset=gbk, text/css", "text/css", None),
            ("image/png, text/html; charset=x", "text/html", Some("x")),
            ("text/html, */*", "text/html", None),
            ("text/html, nothing", "text/html", None),
            ("text/html; charset=", "text/html", None),
        ] {
            assert_eq!(read(value), Some((essence.to_owned(), charset)), "{value}");
        }
        for unknown in
            ["", ";", "html", "text/", "/html", "text/html charset=utf-8", "*/*", "Unknown/Unknown", "a b/c", ","]
        {
            assert_eq!(read(unknown), None, "{unknown}");
            assert_eq!(MediaType::of(Some(unknown)), MediaType::Html, "{unknown}");
        }
    }

    #[test]
    fn of_several_fields_the_one_counts_that_a_list_of_them_would_name() {
        let of = |fields: &[&'static [u8]]| {
            let mut headers = HeaderMap::new();
            fields.iter().for_each(|field| {
                headers.append(CONTENT_TYPE, HeaderValue::from_bytes(field).unwrap());
            });
            ContentType::field_of(&headers).map(str::to_owned)
        };
        assert_eq!(of(&[]), None);
        assert_eq!(of(&[b"image/png", b"text/html"]).as_deref(), Some("text/html"));
        assert_eq!(of(&[b"text/html; charset=a", b"text/html"]).as_deref(), Some("text/html; charset=a"));
        assert_eq!(of(&[b"text/html; charset=a", b"html"]).as_deref(), Some("text/html; charset=a"));
        assert_eq!(of(&[b"html", b"text/html"]).as_deref(), Some("text/html"));
        assert_eq!(of(&[b"image/png; name=\"\xe9\""]).as_deref(), Some("image/png; name=\""));
    }

    #[test]
    fn a_charset_is_found_also_where_the_type_is_malformed() {
        for value in
            ["text/html charset=koi8-r", "text/html, charset=koi8-r", "charset = \"koi8-r\";", "x;CHARSET=koi8-r"]
        {
            assert_eq!(ContentType::charset_of(value), Some("koi8-r"), "{value}");
        }
        assert_eq!(ContentType::charset_of("text/html; charset=a, text/html"), Some("a"));
        assert_eq!(ContentType::charset_of("text/html; charset"), None);
    }

    #[test]
    fn a_body_without_a_stated_type_is_told_by_its_first_bytes() {
        for html in ["<p>", "plain", "", "\u{feff}<p>", "{}"] {
            assert_eq!(MediaType::of_body(Some("*/*"), html.as_bytes()), MediaType::Html, "{html}");
        }
        assert_eq!(MediaType::of_body(None, b"\xff\xfe<\0p\0>\0"), MediaType::Html);
        assert_eq!(MediaType::of_body(None, b" <?xml version='1.0'?><rss/>"), MediaType::Xml);
        for other in [b"%PDF-1.7".as_slice(), b"\x89PNG\r\n\x1a\n", b"GIF89a\x01\x00"] {
            assert_eq!(MediaType::of_body(Some("unknown/unknown"), other), MediaType::Other);
            assert_eq!(MediaType::of_body(Some("text/html"), other), MediaType::Html, "a stated type counts");
        }
        for stated in ["text/plain", "application/octet-stream", "image/svg+xml"] {
            assert_eq!(MediaType::of_body(Some(stated), b"<html>"), MediaType::Other, "{stated}");
        }
        assert_eq!(MediaType::of(Some("APPLICATION/RSS+XML")), MediaType::Xml);
    }

    proptest! {
        #[test]
        fn no_value_panics_and_what_is_read_is_part_of_it(value in "[a-z/;,=\"'\\\\ é*]{0,40}") {
            if let Some(stated) = ContentType::of(&value) {
                prop_assert!(value.contains(stated.essence) && stated.charset.is_none_or(|label| value.contains(label)));
            }
            prop_assert!(ContentType::charset_of(&value).is_none_or(|label| value.contains(label)));
        }
    }
}
