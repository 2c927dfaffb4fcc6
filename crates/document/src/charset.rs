//! The text of a page.

use std::borrow::Cow;

use encoding_rs::{Encoding, UTF_8, WINDOWS_1252};
use harvestman_core::model::ContentType;
use harvestman_structure::parse::html_of;

/// Number of bytes at the beginning of a page that may declare its charset (HTML standard, 13.2.3.2).
const DECLARED_WITHIN: usize = 1_024;

/// Decodes a page or feed by its byte order mark, its media type, its validity as UTF-8, or its own declaration, in
/// this order. What remains is windows-1252. Malformed sequences become U+FFFD. A page is returned as the HTML that all
/// readers of pages read ([`html_of`]).
pub fn decode<'a>(body: &'a [u8], content_type: Option<&str>) -> Cow<'a, str> {
    html_of(body, content_type, |body| decoded(body, content_type))
}

fn decoded<'a>(body: &'a [u8], content_type: Option<&str>) -> Cow<'a, str> {
    match valid_utf8(body, content_type) {
        Some(text) => text.strip_prefix('\u{feff}').unwrap_or(text).into(),
        None => declared(body, content_type).decode(body).0,
    }
}

/// Returns the encoding by which [`decode`] reads a page.
pub fn encoding(body: &[u8], content_type: Option<&str>) -> &'static Encoding {
    if valid_utf8(body, content_type).is_some() { UTF_8 } else { declared(body, content_type) }
}

/// Returns the body if it is UTF-8 and its media type does not say otherwise.
fn valid_utf8<'a>(body: &'a [u8], content_type: Option<&str>) -> Option<&'a str> {
    let declared = of_header(content_type);
    std::str::from_utf8(body).ok().filter(|_| declared.is_none())
}

fn declared(body: &[u8], content_type: Option<&str>) -> &'static Encoding {
    let declared = of_header(content_type);
    let encoding = declared.or_else(|| {
        // A page in UTF-16 cannot be searched for its declaration: one that declares it is not in UTF-16.
        let start = &body[..body.len().min(DECLARED_WITHIN)];
        let own = if start.starts_with(b"<?xml") { label_after(b"encoding=", start) } else { None };
        let own = own.or_else(|| label_in(start));
        own.map(|encoding| if encoding.is_ascii_compatible() { encoding } else { UTF_8 })
    });
    encoding.unwrap_or(WINDOWS_1252)
}

fn of_header(content_type: Option<&str>) -> Option<&'static Encoding> {
    Encoding::for_label(ContentType::charset_of(content_type?)?.as_bytes())
}

/// Returns the encoding after the first `charset=` that names one.
fn label_in(bytes: &[u8]) -> Option<&'static Encoding> {
    label_after(b"charset=", bytes)
}

/// Returns the encoding after the first occurrence of `name` that has one.
fn label_after(name: &[u8], bytes: &[u8]) -> Option<&'static Encoding> {
    let after = bytes.windows(name.len()).enumerate().filter(|(_, part)| part.eq_ignore_ascii_case(name));
    after.map(|(at, _)| &bytes[at + name.len()..]).find_map(|rest| {
        let quotes = rest.iter().take_while(|byte| matches!(byte, b'"' | b'\'' | b' ')).count();
        let is_label = |byte: &&u8| byte.is_ascii_alphanumeric() || b"-_:.".contains(byte);
        let length = rest[quotes..].iter().take_while(is_label).count();
        Encoding::for_label(&rest[quotes..quotes + length])
    })
}

#[cfg(test)]
mod tests {
    use harvestman_core::config::ParseOptions;
    use harvestman_structure::parse::Parser;

    use super::*;

    #[test]
    fn a_page_is_read_as_the_parser_reads_it() {
        let xhtml = "<html xmlns='http://www.w3.org/1999/xhtml'><head><title/></head><body><p>x</p></body></html>";
        let html = decode(xhtml.as_bytes(), Some("application/xhtml+xml"));
        let document = crate::parse(&html).unwrap();
        let of_paragraph = scraper::Selector::parse("body > p").unwrap();
        assert_eq!(document.select(&of_paragraph).count(), 1);
        assert_eq!(decode(b"<iframe src='a'/><p>x", None), "<iframe src='a'/></iframe><p>x");
        assert_eq!(decode(b"<rss><title/></rss>", Some("text/xml")), "<rss><title/></rss>");
    }

    /// Pages with elements that are written as empty ones, or never end.
    const PAGES: [&str; 14] = [
        "<html><head><title/></head><body><p><a href='1'>x</a></p></body></html>",
        "<html><body><script src='s'/><a href='1'/><div><a href='2'>y</a></div></body></html>",
        "<html><body><iframe src='s'/><p><a href='1'>x</a></p><textarea/><a href='2'>y</a></body></html>",
        "<html><body><p><![CDATA[<a href='1'>]]></p><style><![CDATA[</style><a href='1'>]]></style><a href='2'>y</a></body></html>",
        "<html><body><svg><title/><a href='1'/></svg><a href='2'>y</a></body></html>",
        "<html><body><p>broken <a href='1'>x</a><script src='s'/><a href='2'>y</a></body></html>",
        "<p><a href=1>x</a><iframe src=s /><a href=2>y</a>",
        "<title>t<body><a href=1>x</a>",
        "<p><textarea>a<a href=1>x</a><xmp><a href=2>y</a>",
        "<p><noembed><a href=1>x</a></p><noframes><a href=2>y</a>",
        "<p><!-- a <a href=1>x</a><b>",
        "<script>a\n<a href=1>x</a></body>",
        "<script><!-- '<script>' </script><a href=1>x</a>",
        "<style>a{}\n<p><a href=1>x</a></html>",
    ];

    #[test]
    fn the_parser_and_the_tree_find_the_same_links() {
        let mut parser = Parser::new(&ParseOptions::default());
        let of_anchor = scraper::Selector::parse("a[href]").unwrap();
        for page in PAGES {
            for content_type in ["text/html", "application/xhtml+xml", "text/xml"] {
                let parsed = parser.parse(page.as_bytes(), Some(content_type));
                let by_parser: Vec<&str> =
                    parsed.links().map(|link| parsed.href(link)).filter(|link| *link != "s").collect();
                let document = crate::parse(&decode(page.as_bytes(), Some(content_type))).unwrap();
                let mut by_tree: Vec<&str> = document.select(&of_anchor).filter_map(|link| link.attr("href")).collect();
                // A link that is not closed is repeated where the tree opens it again.
                by_tree.dedup();
                assert_eq!(by_parser, by_tree, "{content_type} {page}");
                assert!(!by_tree.is_empty() || content_type == "text/xml", "{content_type} {page}");
            }
        }
    }

    #[test]
    fn the_charset_comes_from_the_header_or_the_page() {
        assert_eq!(decode("Größe".as_bytes(), None), "Größe");
        assert_eq!(decode(b"\xef\xbb\xbfa", Some("text/html")), "a");
        assert_eq!(decode(b"Gr\xf6\xdfe", None), "Größe");
        assert_eq!(decode(b"\xd1\xe0\xe9\xf2", Some("text/html; Charset=\"windows-1251\"")), "Сайт");
        assert_eq!(decode(b"<meta charset='koi8-r'>\xe4\xc1", None), "<meta charset='koi8-r'>Да");
        assert_eq!(decode(b"<meta charset=utf-16>\xff", None), "<meta charset=utf-16>\u{fffd}");
        assert_eq!(decode(b"a", Some("text/html; charset=unknown")), "a");
        let xml = b"<?xml version='1.0' encoding='koi8-r'?>\xe4\xc1";
        assert_eq!(decode(xml, Some("text/xml")), "<?xml version='1.0' encoding='koi8-r'?>Да");
    }
}
