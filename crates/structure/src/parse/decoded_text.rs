//! Texts: decoding of charset and entities, collapsing of white space, and which link texts are no links.

use std::borrow::Cow;

use encoding_rs::{Encoding, UTF_8};
use memchr::memchr3;

use super::bytes::{find, is_space};

/// A page's bytes in an encoding whose markup is ASCII. Only what is stored gets decoded.
#[derive(Debug, Clone, Copy)]
pub(super) struct Source<'b> {
    pub bytes: &'b [u8],
    pub encoding: &'static Encoding,
}

impl<'b> Source<'b> {
    /// Returns the characters of `raw`. Malformed bytes and NUL become U+FFFD, line ends become `\n`.
    fn characters(self, raw: &'b [u8]) -> Cow<'b, str> {
        let text = self.encoding.decode_without_bom_handling(raw).0;
        if memchr::memchr2(0, b'\r', raw).is_none() {
            return text;
        }
        Cow::Owned(text.replace("\r\n", "\n").replace('\r', "\n").replace('\0', "\u{fffd}"))
    }

    /// Appends an attribute's value to `to`.
    #[inline]
    pub fn append_attribute(self, raw: &'b [u8], to: &mut Vec<u8>) {
        if !raw.is_ascii() || memchr::memchr2(0, b'\r', raw).is_some() {
            to.extend_from_slice(self.attribute(raw).as_bytes());
            return;
        }
        let mut rest = raw;
        while let Some(at) = find(b'&', rest) {
            // By far the most frequent entity in links; all others are looked up.
            let Some(behind) = rest[at..].strip_prefix(b"&amp;") else {
                to.extend_from_slice(self.attribute(rest).as_bytes());
                return;
            };
            to.extend_from_slice(&rest[..=at]);
            rest = behind;
        }
        to.extend_from_slice(rest);
    }

    /// Returns an attribute's value.
    pub fn attribute(self, raw: &'b [u8]) -> Cow<'b, str> {
        if let Some(plain) = self.plain(raw) {
            return Cow::Borrowed(plain);
        }
        htmlize::unescape_attribute(self.characters(raw))
    }

    /// Returns the content of an element in which entities are read.
    pub fn escapable(self, raw: &'b [u8]) -> Cow<'b, str> {
        htmlize::unescape(self.characters(raw))
    }

    /// Returns the text `raw` as it is shown. `entities` says whether entities are decoded.
    pub fn shown(self, raw: &'b [u8], entities: bool) -> Cow<'b, str> {
        let text = self.encoding.decode_without_bom_handling(raw).0;
        let text = if entities { htmlize::unescape(text) } else { text };
        if memchr::memchr(0, raw).is_none() { text } else { Cow::Owned(text.replace('\0', "")) }
    }

    /// Returns the position of `part`, a part of the page.
    #[inline]
    pub fn offset(self, part: &[u8]) -> usize {
        part.as_ptr().addr() - self.bytes.as_ptr().addr()
    }

    /// Returns `raw` itself if nothing in it needs decoding.
    #[inline]
    fn plain(self, raw: &'b [u8]) -> Option<&'b str> {
        if memchr3(b'&', 0, b'\r', raw).is_some() || !(self.encoding == UTF_8 || raw.is_ascii()) {
            return None;
        }
        std::str::from_utf8(raw).ok()
    }

    /// Returns whether the text `raw` shows nothing: it is white space of any kind, literally or, if `entities`, as an
    /// entity.
    #[inline]
    pub fn is_blank(self, raw: &'b [u8], entities: bool) -> bool {
        match raw.iter().find(|b| !is_space(**b)) {
            Some(first) if *first == 0 || *first >= 0x80 || (*first == b'&' && entities) => {
                self.is_blank_decoded(raw, entities)
            }
            Some(first) => *first == 0x0b && raw.iter().all(|b| matches!(b, 0 | 0x0b) || is_space(*b)),
            None => true,
        }
    }

    #[cold]
    fn is_blank_decoded(self, mut raw: &'b [u8], entities: bool) -> bool {
        // In most texts that come here the first character already shows something, so little is decoded at a time.
        while !raw.is_empty() {
            let (piece, rest) = raw.split_at(blank_piece(raw));
            let text = self.encoding.decode_without_bom_handling(piece).0;
            let text = if entities { htmlize::unescape(text) } else { text };
            if !text.chars().all(|c| c.is_whitespace() || c == '\0') {
                return false;
            }
            raw = rest;
        }
        true
    }
}

/// Returns the number of bytes to decode next: white space and one entity or one run of non-ASCII bytes.
fn blank_piece(raw: &[u8]) -> usize {
    const PIECE_MAX: usize = 64;
    let solid = raw.iter().position(|b| !is_space(*b) && *b != 0).unwrap_or(raw.len());
    let rest = &raw[solid..];
    let length = match rest.first() {
        Some(b'&') => {
            rest.iter().take(PIECE_MAX).position(|b| *b == b';').map_or(rest.len().min(PIECE_MAX), |end| end + 1)
        }
        // No byte below 0x40 is the second byte of a character, in any encoding that comes here.
        _ => rest.iter().position(|b| *b < 0x40).unwrap_or(rest.len()),
    };
    // A piece without progress would never end.
    (solid + length).max(1).min(raw.len())
}

/// Returns `text` with collapsed white space, truncated to `max` characters.
pub(super) fn squeeze(text: &str, max: usize) -> String {
    let mut squeezed = String::new();
    let mut left = max;
    for word in text.split_whitespace() {
        let gap = usize::from(!squeezed.is_empty());
        if left <= gap {
            break;
        }
        left -= gap;
        if gap == 1 {
            squeezed.push(' ');
        }
        let end = word.char_indices().nth(left).map_or(word.len(), |(end, _)| end);
        left -= word[..end].chars().count();
        squeezed.push_str(&word[..end]);
    }
    squeezed
}

/// Returns whether a link text leads to something that can be fetched: not into the page itself, and not to a script, a
/// mail address or similar.
pub(super) fn is_link(href: &[u8]) -> bool {
    const NO_LINKS: [&str; 4] = ["javascript:", "mailto:", "tel:", "data:"];
    // As the URL standard reads it: leading control characters and blanks are ignored, as are line ends and tabs
    // anywhere.
    let letters = href.iter().copied().skip_while(|b| *b <= b' ').filter(|b| !matches!(b, b'\t' | b'\n' | b'\r'));
    let Some(first) = letters.clone().next() else { return true };
    match first {
        b'#' => false,
        b'j' | b'J' | b'm' | b'M' | b't' | b'T' | b'd' | b'D' => !NO_LINKS.iter().any(|scheme| {
            let mut letters = letters.clone();
            scheme.bytes().all(|wanted| letters.next().is_some_and(|b| b.eq_ignore_ascii_case(&wanted)))
        }),
        _ => true,
    }
}

#[cfg(test)]
mod tests {
    use encoding_rs::WINDOWS_1252;
    use proptest::prelude::*;

    use super::*;

    const UTF8: Source<'static> = Source { bytes: &[], encoding: UTF_8 };
    const LATIN: Source<'static> = Source { bytes: &[], encoding: WINDOWS_1252 };

    #[test]
    fn entities_in_attributes_need_a_semicolon_where_something_follows() {
        let value = |raw: &'static str| UTF8.attribute(raw.as_bytes()).into_owned();
        assert_eq!(value("?a=1&amp;b=2"), "?a=1&b=2");
        assert_eq!(value("?a=1&copy=2&reg"), "?a=1&copy=2®");
        assert_eq!(value("?a&#38;b&#x26;c&#xD;"), "?a&b&c\r");
        assert_eq!(value("?a=1&nosuch;&"), "?a=1&nosuch;&");
        assert_eq!(value("a\r\nb\rc\0"), "a\nb\nc\u{fffd}");
    }

    proptest! {
        #[test]
        fn appending_a_value_gives_the_value(raw in "(&amp;|&|amp;|&lt;|[a-c=;é\r\0])*") {
            let mut appended = Vec::new();
            UTF8.append_attribute(raw.as_bytes(), &mut appended);
            prop_assert_eq!(String::from_utf8(appended).unwrap(), UTF8.attribute(raw.as_bytes()).into_owned());
        }
    }

    #[test]
    fn values_are_decoded_from_the_pages_charset() {
        assert_eq!(LATIN.attribute(b"caf\xe9"), "café");
        assert_eq!(UTF8.attribute(b"caf\xe9"), "caf\u{fffd}");
        assert_eq!(UTF8.attribute("café".as_bytes()), "café");
    }

    #[test]
    fn white_space_is_blank_however_it_is_written() {
        for blank in
            ["", " \n\t", "&nbsp;", " &#160; &nbsp &#x20;", "\u{a0}\u{3000}", "&emsp;\u{2003}", "\0", "\u{b}", "&Tab;"]
        {
            assert!(UTF8.is_blank(blank.as_bytes(), true), "{blank:?}");
        }
        for shown in
            ["a", " .", "&", "&amp;", "&nbsp;a", "&nbspa", "\u{a0}b", "\u{200b}", "&zwnj;", "é", "&#65;", "\0x"]
        {
            assert!(!UTF8.is_blank(shown.as_bytes(), true), "{shown:?}");
        }
        assert!(LATIN.is_blank(b"\xa0 ", true));
        assert!(!LATIN.is_blank(b"\xe9", true));
        assert!(!UTF8.is_blank(b"\xa0", true));
        assert!(!UTF8.is_blank(b"&nbsp;", false));
    }

    #[test]
    fn a_long_blank_text_is_decoded_in_pieces() {
        let mut text = "&nbsp;".repeat(10_000);
        assert!(UTF8.is_blank(text.as_bytes(), true));
        text.push('x');
        assert!(!UTF8.is_blank(text.as_bytes(), true));
    }

    #[test]
    fn squeezing_keeps_words_apart_and_cuts_between_characters() {
        assert_eq!(squeeze("  a \n b\u{a0}\tc ", 100), "a b c");
        assert_eq!(squeeze("éé éé", 4), "éé é");
        assert_eq!(squeeze("éé éé", 3), "éé");
        assert_eq!(squeeze("éé éé", 0), "");
    }

    #[test]
    fn what_cannot_be_fetched_is_no_link() {
        for none in [
            "#",
            "#top",
            " \t#a",
            "javascript:void(0)",
            " JavaScript:x",
            "java\nscript:",
            "mailto:a@b",
            "tel:1",
            "DATA:,x",
        ] {
            assert!(!is_link(none.as_bytes()), "{none:?}");
        }
        for link in ["", "a#b", "?q", "javascript", "/mailto:", "ftp://x/", "teletext:", "http:", "da"] {
            assert!(is_link(link.as_bytes()), "{link:?}");
        }
    }
}
