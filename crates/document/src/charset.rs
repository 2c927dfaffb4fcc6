//! The text of a page.

use std::borrow::Cow;

use encoding_rs::{Encoding, UTF_8, WINDOWS_1252};

/// Number of bytes at the beginning of a page that may declare its charset (HTML standard, 13.2.3.2).
const DECLARED_WITHIN: usize = 1_024;

/// Decodes a page or feed by its byte order mark, its media type, its validity as UTF-8, or its own declaration, in this order.
/// What remains is windows-1252. Malformed sequences become U+FFFD.
pub fn decode<'a>(body: &'a [u8], content_type: Option<&str>) -> Cow<'a, str> {
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
    let declared = content_type.and_then(|value| label_in(value.as_bytes()));
    std::str::from_utf8(body).ok().filter(|_| declared.is_none())
}

fn declared(body: &[u8], content_type: Option<&str>) -> &'static Encoding {
    let declared = content_type.and_then(|value| label_in(value.as_bytes()));
    let encoding = declared.or_else(|| {
        // A page in UTF-16 cannot be searched for its declaration: one that declares it is not in UTF-16.
        let start = &body[..body.len().min(DECLARED_WITHIN)];
        let own = if start.starts_with(b"<?xml") { label_after(b"encoding=", start) } else { None };
        let own = own.or_else(|| label_in(start));
        own.map(|encoding| if encoding.is_ascii_compatible() { encoding } else { UTF_8 })
    });
    encoding.unwrap_or(WINDOWS_1252)
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
    use super::*;

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
