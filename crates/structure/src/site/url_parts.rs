//! The parts of a URL as its pattern sees them: segments of the path with their form, parameters of the query.

use std::borrow::Cow;

use harvestman_core::model::path_hash::fold_run;

/// Minimum length of a run of hexadecimal digits that is an identifier.
const HEX_MIN: usize = 12;
/// Maximum length of a name; a longer segment is a slug, as is one with a hyphen that is longer than
/// [`HYPHENATED_MAX`].
const NAME_MAX: usize = 24;
const HYPHENATED_MAX: usize = 12;
/// Maximum number of letters in a file name's extension.
const EXTENSION_MAX: usize = 5;
/// Longer values are texts, not choices.
const VALUE_MAX: usize = 24;

/// One segment of a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Segment<'u> {
    /// Digits, with an extension (`.html`) or without.
    Number(&'u str),
    /// Hexadecimal digits.
    Hex(&'u str),
    /// Words, a title, an escape: the name of one item.
    Slug(&'u str),
    /// The text up to a colon (`Talk:Crawling` has the name `Talk:`), or the marks before a name (`@alice`, `~bob`).
    Prefix(&'u str),
    /// Anything else: a name that may be the site's (`topic`) or an instance's (`alice`).
    Name(&'u str),
}

impl<'u> Segment<'u> {
    /// Creates a whole segment; `colon` is the position of its first colon.
    fn of(text: &'u str, colon: Option<usize>) -> Self {
        let (stem, extension) = split_extension(text);
        if stem.is_empty() {
            return Self::Name(text);
        }
        let char_flags = char_flags(stem.as_bytes(), stem.len() > HYPHENATED_MAX);
        if char_flags & NO_DIGIT == 0 {
            return Self::Number(extension);
        }
        if stem.len() >= HEX_MIN && char_flags & NO_HEX == 0 {
            return Self::Hex(extension);
        }
        if let Some(colon) = colon.filter(|at| (1..text.len() - 1).contains(at)) {
            return Self::Prefix(&text[..=colon]);
        }
        let marks = marks(text.as_bytes());
        if (1..text.len()).contains(&marks) {
            return Self::Prefix(&text[..marks]);
        }
        if char_flags & ODD != 0 || stem.len() > NAME_MAX { Self::Slug(extension) } else { Self::Name(text) }
    }

    /// Parses a whole segment, or the value of a parameter.
    pub fn parse(text: &'u str) -> Self {
        Self::of(text, position(text, b':'))
    }

    /// Returns a number for its form.
    pub const fn form(self) -> u64 {
        match self {
            Self::Number(_) => 1,
            Self::Hex(_) => 2,
            Self::Slug(_) => 3,
            Self::Prefix(_) => 4,
            Self::Name(_) => 5,
        }
    }

    /// Returns whether counting must decide what it is.
    pub fn is_name(self) -> bool {
        matches!(self, Self::Prefix(_)) || matches!(self, Self::Name(name) if !name.is_empty())
    }

    /// Returns whether it is an instance of something by its form alone.
    pub const fn is_instance(self) -> bool {
        matches!(self, Self::Hex(_) | Self::Slug(_))
    }

    /// Returns the code of the segment that the pattern hashes.
    pub fn word(self) -> u64 {
        let text = match self {
            Self::Number(extension) | Self::Hex(extension) | Self::Slug(extension) => extension,
            Self::Prefix(text) | Self::Name(text) => text,
        };
        fold_run(text.as_bytes()).wrapping_add(self.form())
    }

    /// Returns its spelling in patterns.
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

/// Returns the number of marks before a name. An escape is no mark.
fn marks(text: &[u8]) -> usize {
    let is_mark = |byte: &&u8| byte.is_ascii_punctuation() && **byte != b'%';
    if text.first().is_some_and(|byte| is_mark(&byte)) { text.iter().take_while(is_mark).count() } else { 0 }
}

/// Properties of the bytes of a segment: that it is no number, that it is no hexadecimal number, and that it is no
/// name.
const NO_DIGIT: u8 = 1;
const NO_HEX: u8 = 2;
/// Digits among other characters, escapes, letters beyond ASCII, and the hyphens of a title.
const ODD: u8 = 4;
const HYPHEN: u8 = 8;
const ALL: u8 = NO_DIGIT | NO_HEX | ODD;

/// The properties of each byte, in one look-up.
const CHAR_FLAGS: [u8; 256] = {
    let mut char_flags = [0; 256];
    let mut at = 0;
    while at < char_flags.len() {
        let byte = at as u8;
        char_flags[at] |= if byte.is_ascii_digit() { ODD } else { NO_DIGIT };
        char_flags[at] |= if byte.is_ascii_hexdigit() { 0 } else { NO_HEX };
        char_flags[at] |= if byte == b'-' { HYPHEN } else { 0 };
        char_flags[at] |= if byte == b'%' || !byte.is_ascii() { ODD } else { 0 };
        at += 1;
    }
    char_flags
};

/// Returns the properties of a segment's bytes; those of a slug are decided by the first few. In a long segment a
/// hyphen makes a title.
fn char_flags(stem: &[u8], long: bool) -> u8 {
    let mut all = 0;
    for byte in stem {
        let char_flags = CHAR_FLAGS[usize::from(*byte)];
        all |= if long && char_flags & HYPHEN != 0 { char_flags | ODD } else { char_flags };
        if all & ALL == ALL {
            break;
        }
    }
    all
}

/// Returns the text before an extension, and the extension with its dot.
fn split_extension(text: &str) -> (&str, &str) {
    let bytes = text.as_bytes();
    // Few segments have a dot there, and to look at four bytes needs no loop whose end must be predicted.
    let is_dot = |back: usize| bytes.len().checked_sub(back).is_some_and(|at| bytes[at] == b'.');
    if !(is_dot(3) | is_dot(4) | is_dot(5) | is_dot(6)) {
        return (text, "");
    }
    let dot = memchr::memrchr(b'.', bytes).unwrap_or(bytes.len());
    let extension = &bytes[(dot + 1).min(bytes.len())..];
    let usual = (2..=EXTENSION_MAX).contains(&extension.len()) && extension.iter().all(u8::is_ascii_alphabetic);
    if usual { text.split_at(dot) } else { (text, "") }
}

/// Returns the position of the first occurrence of an ASCII character.
fn position(text: &str, wanted: u8) -> Option<usize> {
    memchr::memchr(wanted, text.as_bytes())
}

/// Returns the texts before and behind the first `at`; the whole text and `None` if there is none.
fn split_at_first(text: &str, at: u8) -> (&str, Option<&str>) {
    match position(text, at) {
        Some(place) => (&text[..place], Some(&text[place + 1..])),
        None => (text, None),
    }
}

/// Returns the texts between the occurrences of `at`.
fn split(text: &str, at: u8) -> impl Iterator<Item = &str> {
    let mut rest = Some(text);
    std::iter::from_fn(move || {
        let (first, behind) = split_at_first(rest?, at);
        rest = behind;
        Some(first)
    })
}

/// Returns path and query of an absolute URL.
pub fn after_authority(url: &str) -> (&str, &str) {
    let rest = url.strip_prefix("http://").or_else(|| url.strip_prefix("https://"));
    let rest = rest.unwrap_or_else(|| url.find("://").map_or(url, |at| &url[at + 3..]));
    let rest = memchr::memchr2(b'/', b'?', rest.as_bytes()).map_or("", |at| &rest[at..]);
    let (path, query) = split_at_first(rest, b'?');
    (path, query.unwrap_or(""))
}

/// Splits a path into segments; a last empty segment means that it ends in a slash.
pub(super) fn each_segment<'u>(path: &'u str, mut see: impl FnMut(Segment<'u>)) {
    let path = path.strip_prefix('/').unwrap_or(path);
    let (mut from, mut colon) = (0, None);
    // One search for the whole path: starting one for each segment would cost as much as the search itself.
    for at in memchr::memchr2_iter(b'/', b':', path.as_bytes()) {
        if path.as_bytes()[at] == b':' {
            colon = colon.or(Some(at - from));
            continue;
        }
        see(Segment::of(&path[from..at], colon.take()));
        from = at + 1;
    }
    see(Segment::of(&path[from..], colon));
}

/// Returns the names and values of a query.
pub fn parameters(query: &str) -> impl Iterator<Item = (&str, &str)> {
    split(query, b'&').filter(|pair| !pair.is_empty()).map(|pair| {
        let (name, value) = split_at_first(pair, b'=');
        (name, value.unwrap_or(""))
    })
}

/// Returns the part of a value that other URLs may share: the value itself if it is short, otherwise the text before
/// its first colon, escaped or not, if it has one. `None` means that it is no choice.
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
            } else if let Some(marks) = text.find(|c: char| c == '%' || !c.is_ascii_punctuation()).filter(|at| *at > 0)
            {
                Segment::Prefix(&text[..marks])
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
            if let Some(colon) = value.find(':').into_iter().chain(value.find("%3A")).min() {
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
            let mut found = Vec::new();
            each_segment(path, |segment| found.push(segment));
            prop_assert_eq!(&found, &twin::segments(path));
            let path = path.strip_prefix('/').unwrap_or(path);
            prop_assert_eq!(path.split('/').map(Segment::parse).collect::<Vec<_>>(), found);
            prop_assert_eq!(parameters(query).collect::<Vec<_>>(), twin::parameters(query));
            prop_assert_eq!(value_token(&value), twin::value_token(&value));
        }
    }
}
