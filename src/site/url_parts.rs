//! What a URL is made of, as its pattern sees it: segments of the path and their form, parameters of the query.

use std::borrow::Cow;

use xxhash_rust::xxh3::xxh3_64;

/// A run of hexadecimal digits at least this long is an identifier.
const HEX_MIN: usize = 12;
/// A segment longer than this, or one with a hyphen that is longer than the second, is a slug.
const NAME_MAX: usize = 24;
const HYPHENATED_MAX: usize = 12;
/// A file name's extension has at most this many letters.
const EXTENSION_MAX: usize = 5;
/// Longer values are texts, not choices.
const VALUE_MAX: usize = 24;

/// One segment of a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Segment<'u> {
    /// Digits, with an extension behind them (`.html`) or none.
    Number(&'u str),
    /// Hexadecimal digits.
    Hex(&'u str),
    /// Words, a title, an escape: something that names one thing.
    Slug(&'u str),
    /// What stands before a colon (`Talk:Crawling` has the name `Talk:`).
    Prefix(&'u str),
    /// Anything else: a name that may be the site's (`topic`) or an instance's (`alice`).
    Name(&'u str),
}

impl<'u> Segment<'u> {
    /// The segment that `path` starts with, and what is behind its `/`; none where it is the last. One pass over its bytes.
    fn first(path: &'u str) -> (Self, Option<&'u str>) {
        let bytes = path.as_bytes();
        // What was told before the last dot, and what behind it.
        let (mut before, mut told, mut dot, mut colon, mut end) = (0, 0, None, None, bytes.len());
        for (at, byte) in bytes.iter().enumerate() {
            let tells = TOLD[usize::from(*byte)];
            if tells & ENDS != 0 {
                match byte {
                    b'/' => {
                        end = at;
                        break;
                    }
                    b'.' => {
                        before = if dot.is_some() { before | told | TOLD[usize::from(b'.')] } else { told };
                        (dot, told) = (Some(at), 0);
                        continue;
                    }
                    _ => colon = colon.or(Some(at)),
                }
            }
            told |= tells;
        }
        let behind = (end < bytes.len()).then(|| &path[end + 1..]);
        let text = &path[..end];
        let extended = dot.filter(|dot| (2..=EXTENSION_MAX).contains(&(end - dot - 1)) && told & NO_LETTER == 0);
        let all = if dot.is_some() { before | told | TOLD[usize::from(b'.')] } else { told };
        let (stem, tells) = extended.map_or((end, all), |dot| (dot, before));
        let colon = colon.filter(|at| (1..end - 1).contains(at));
        (Self::told(text, stem, tells, colon), behind)
    }

    /// The segment `text`, with an extension from `stem` on; `tells` is what the bytes before that tell.
    fn told(text: &'u str, stem: usize, tells: u8, colon: Option<usize>) -> Self {
        let extension = &text[stem..];
        if stem == 0 {
            return Self::Name(text);
        }
        if tells & NO_DIGIT == 0 {
            return Self::Number(extension);
        }
        if stem >= HEX_MIN && tells & NO_HEX == 0 {
            return Self::Hex(extension);
        }
        if let Some(colon) = colon {
            return Self::Prefix(&text[..=colon]);
        }
        let titled = tells & HYPHEN != 0 && stem > HYPHENATED_MAX;
        if titled || tells & ODD != 0 || stem > NAME_MAX { Self::Slug(extension) } else { Self::Name(text) }
    }

    /// Whether counting must tell what it is.
    pub fn is_name(self) -> bool {
        matches!(self, Self::Prefix(_)) || matches!(self, Self::Name(name) if !name.is_empty())
    }

    /// What the pattern hashes of it.
    pub fn word(self) -> u64 {
        let (kind, text) = match self {
            Self::Number(extension) => (1, extension),
            Self::Hex(extension) => (2, extension),
            Self::Slug(extension) => (3, extension),
            Self::Prefix(prefix) => (4, prefix),
            Self::Name(name) => (5, name),
        };
        xxh3_64(text.as_bytes()).wrapping_add(kind)
    }

    /// How it stands in a pattern that is shown.
    pub fn spell(self) -> Cow<'u, str> {
        match self {
            Self::Number(extension) => format!("N{extension}").into(),
            Self::Hex(extension) => format!("H{extension}").into(),
            Self::Slug(extension) => format!("S{extension}").into(),
            Self::Prefix(prefix) => format!("{prefix}*").into(),
            Self::Name(name) => name.into(),
        }
    }
}

/// What a byte of a segment tells of it.
const NO_DIGIT: u8 = 1;
const NO_HEX: u8 = 2;
const NO_LETTER: u8 = 4;
const HYPHEN: u8 = 8;
/// Digits among other things, escapes, letters beyond ASCII.
const ODD: u8 = 16;
/// Something may end here: the segment, its stem, its prefix.
const ENDS: u8 = 32;

/// What each byte tells, so that a byte costs one look.
const TOLD: [u8; 256] = {
    let mut told = [0; 256];
    let mut at = 0;
    while at < told.len() {
        let byte = at as u8;
        told[at] |= if byte.is_ascii_digit() { ODD } else { NO_DIGIT };
        told[at] |= if byte.is_ascii_hexdigit() { 0 } else { NO_HEX };
        told[at] |= if byte.is_ascii_alphabetic() { 0 } else { NO_LETTER };
        told[at] |= if byte == b'-' { HYPHEN } else { 0 };
        told[at] |= if byte == b'%' || !byte.is_ascii() { ODD } else { 0 };
        told[at] |= if matches!(byte, b'/' | b'.' | b':') { ENDS } else { 0 };
        at += 1;
    }
    told
};

/// The first place of an ASCII character.
fn position(text: &str, wanted: u8) -> Option<usize> {
    memchr::memchr(wanted, text.as_bytes())
}

/// The text before and behind the first `at`; all of it and nothing where there is none.
fn split_at_first(text: &str, at: u8) -> (&str, Option<&str>) {
    match position(text, at) {
        Some(place) => (&text[..place], Some(&text[place + 1..])),
        None => (text, None),
    }
}

/// The texts between the `at`s.
fn split(text: &str, at: u8) -> impl Iterator<Item = &str> {
    let mut rest = Some(text);
    std::iter::from_fn(move || {
        let (first, behind) = split_at_first(rest?, at);
        rest = behind;
        Some(first)
    })
}

/// Path and query of an absolute URL.
pub(super) fn after_authority(url: &str) -> (&str, &str) {
    let rest = url.strip_prefix("http://").or_else(|| url.strip_prefix("https://"));
    let rest = rest.unwrap_or_else(|| url.find("://").map_or(url, |at| &url[at + 3..]));
    let rest = memchr::memchr2(b'/', b'?', rest.as_bytes()).map_or("", |at| &rest[at..]);
    let (path, query) = split_at_first(rest, b'?');
    (path, query.unwrap_or(""))
}

/// The segments of a path; a last empty one says that it ends in a slash.
pub(super) fn segments(path: &str) -> impl Iterator<Item = Segment<'_>> {
    let mut rest = Some(path.strip_prefix('/').unwrap_or(path));
    std::iter::from_fn(move || {
        let (segment, behind) = Segment::first(rest?);
        rest = behind;
        Some(segment)
    })
}

/// Names and values of a query.
pub(super) fn parameters(query: &str) -> impl Iterator<Item = (&str, &str)> {
    split(query, b'&').filter(|pair| !pair.is_empty()).map(|pair| {
        let (name, value) = split_at_first(pair, b'=');
        (name, value.unwrap_or(""))
    })
}

/// What of a value others may share: itself if it is short, its prefix if it has a colon. None: it is no choice.
pub(super) fn value_token(value: &str) -> Option<&str> {
    let bytes = value.as_bytes();
    let colon = |at: &usize| bytes[*at] == b':' || bytes[*at..].starts_with(b"%3A");
    if let Some(at) = memchr::memchr2_iter(b':', b'%', bytes).find(colon) {
        return Some(&value[..at]);
    }
    let plain = || memchr::memchr2(b'/', b'%', bytes).is_none();
    (value.len() <= VALUE_MAX && plain()).then_some(value)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The same by the methods of `str`.
    mod twin {
        use super::super::{EXTENSION_MAX, HEX_MIN, HYPHENATED_MAX, NAME_MAX, Segment, VALUE_MAX};

        fn split_extension(text: &str) -> (&str, &str) {
            let Some(dot) = text.rfind('.') else { return (text, "") };
            let extension = &text[dot + 1..];
            let usual =
                (2..=EXTENSION_MAX).contains(&extension.len()) && extension.chars().all(|c| c.is_ascii_alphabetic());
            if usual { text.split_at(dot) } else { (text, "") }
        }

        fn segment(text: &str) -> Segment<'_> {
            let (stem, extension) = split_extension(text);
            let colon = text.find(':').filter(|at| *at > 0 && at + 1 < text.len());
            if stem.is_empty() {
                Segment::Name(text)
            } else if stem.chars().all(|c| c.is_ascii_digit()) {
                Segment::Number(extension)
            } else if stem.len() >= HEX_MIN && stem.chars().all(|c| c.is_ascii_hexdigit()) {
                Segment::Hex(extension)
            } else if let Some(colon) = colon {
                Segment::Prefix(&text[..=colon])
            } else if stem.contains(|c: char| c.is_ascii_digit() || c == '%' || !c.is_ascii())
                || stem.contains('-') && stem.len() > HYPHENATED_MAX
                || stem.len() > NAME_MAX
            {
                Segment::Slug(extension)
            } else {
                Segment::Name(text)
            }
        }

        pub fn after_authority(url: &str) -> (&str, &str) {
            let rest = url.find("://").map_or(url, |at| &url[at + 3..]);
            let rest = rest.find(['/', '?']).map_or("", |at| &rest[at..]);
            rest.split_once('?').unwrap_or((rest, ""))
        }

        pub fn segments(path: &str) -> Vec<Segment<'_>> {
            path.strip_prefix('/').unwrap_or(path).split('/').map(segment).collect()
        }

        pub fn parameters(query: &str) -> Vec<(&str, &str)> {
            let pairs = query.split('&').filter(|pair| !pair.is_empty());
            pairs.map(|pair| pair.split_once('=').unwrap_or((pair, ""))).collect()
        }

        pub fn value_token(value: &str) -> Option<&str> {
            if let Some(colon) = value.find(':').or_else(|| value.find("%3A")) {
                return Some(&value[..colon]);
            }
            (value.len() <= VALUE_MAX && !value.contains(['/', '%'])).then_some(value)
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn urls_are_taken_apart_as_by_the_methods_of_texts(
            url in "(https?://|ftp://|)[a-z.]{0,6}(:[0-9]{1,2})?(/([a-f0-9]{0,14}|[0-9]{1,3}|[a-z-]{0,30}|[a-z0-9.:]{0,6})([.][a-z0-9]{0,7})?){0,3}[/?a-z0-9.=&%:é-]{0,40}",
            value in "[a-z:%3A/é]{0,30}",
        ) {
            let (path, query) = after_authority(&url);
            prop_assert_eq!((path, query), twin::after_authority(&url));
            prop_assert_eq!(segments(path).collect::<Vec<_>>(), twin::segments(path));
            prop_assert_eq!(parameters(query).collect::<Vec<_>>(), twin::parameters(query));
            prop_assert_eq!(value_token(&value), twin::value_token(&value));
        }
    }
}
