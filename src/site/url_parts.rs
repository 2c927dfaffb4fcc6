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
    fn of(text: &'u str) -> Self {
        let (stem, extension) = split_extension(text);
        let bytes = stem.as_bytes();
        if bytes.is_empty() {
            return Self::Name(text);
        }
        if bytes.iter().all(u8::is_ascii_digit) {
            return Self::Number(extension);
        }
        if bytes.len() >= HEX_MIN && bytes.iter().all(u8::is_ascii_hexdigit) {
            return Self::Hex(extension);
        }
        if let Some(colon) = text.find(':').filter(|at| (1..text.len() - 1).contains(at)) {
            return Self::Prefix(&text[..=colon]);
        }
        let titled = bytes.contains(&b'-') && bytes.len() > HYPHENATED_MAX;
        let odd = bytes.iter().any(|b| b.is_ascii_digit() || *b == b'%' || !b.is_ascii());
        if titled || odd || bytes.len() > NAME_MAX { Self::Slug(extension) } else { Self::Name(text) }
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

fn split_extension(text: &str) -> (&str, &str) {
    let letters = |extension: &str| extension.bytes().all(|b| b.is_ascii_alphabetic());
    match text.rfind('.').map(|dot| text.split_at(dot)) {
        Some((stem, extension)) if (3..=EXTENSION_MAX + 1).contains(&extension.len()) && letters(&extension[1..]) => {
            (stem, extension)
        }
        _ => (text, ""),
    }
}

/// Path and query of an absolute URL.
pub(super) fn after_authority(url: &str) -> (&str, &str) {
    let rest = url.find("://").map_or(url, |at| &url[at + 3..]);
    let rest = rest.find(['/', '?']).map_or("", |at| &rest[at..]);
    rest.split_once('?').unwrap_or((rest, ""))
}

/// The segments of a path; a last empty one says that it ends in a slash.
pub(super) fn segments(path: &str) -> impl Iterator<Item = Segment<'_>> {
    path.strip_prefix('/').unwrap_or(path).split('/').map(Segment::of)
}

/// Names and values of a query.
pub(super) fn parameters(query: &str) -> impl Iterator<Item = (&str, &str)> {
    query.split('&').filter(|pair| !pair.is_empty()).map(|pair| pair.split_once('=').unwrap_or((pair, "")))
}

/// What of a value others may share: itself if it is short, its prefix if it has a colon. None: it is no choice.
pub(super) fn value_token(value: &str) -> Option<&str> {
    if let Some(colon) = value.find(':').or_else(|| value.find("%3A")) {
        return Some(&value[..colon]);
    }
    (value.len() <= VALUE_MAX && !value.contains(['/', '%'])).then_some(value)
}
