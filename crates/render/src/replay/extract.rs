//! The texts that can be taken from a value, such as a segment of the path of a URL, and how they are encoded in
//! another URL.

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};
use serde::{Deserialize, Serialize};

/// Maximum number of segments of a path, and of parameters of a query, that are tried.
const PARTS_MAX: u8 = 12;
/// Maximum number of runs of digits that are tried.
const NUMBERS_MAX: u8 = 3;

/// A text in a value.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Extract {
    /// The value itself.
    Whole,
    /// Scheme, host and port of a URL.
    Origin,
    /// Path of a URL.
    Path,
    /// Path and query of a URL.
    PathAndQuery,
    /// Segment of the path of a URL, counted from its start.
    Segment(u8),
    /// Segment of the path of a URL, counted from its end; a slash at the end is ignored.
    SegmentFromEnd(u8),
    /// Value of the first parameter of this name in the query of a URL.
    Query(String),
    /// Run of digits, counted from the end.
    Number(u8),
    /// Last segment without its extension.
    Stem,
    /// Text before the first hyphen of the last segment.
    BeforeHyphen,
    /// Text behind the last hyphen of the last segment.
    AfterHyphen,
}

impl Extract {
    /// Returns the text in a value, as it is encoded there; `None` if the value has no such part.
    pub fn apply<'v>(&self, value: &'v str) -> Option<&'v str> {
        let text = match self {
            Self::Whole => Some(value),
            Self::Origin => split_url(value).map(|url| url.origin),
            Self::Path => split_url(value).map(|url| url.path),
            Self::PathAndQuery => split_url(value).map(|url| &value[url.origin.len()..url.end]),
            Self::Segment(index) => split_url(value)?.segments().nth(usize::from(*index)),
            Self::SegmentFromEnd(index) => split_url(value)?.segment_from_end(*index),
            Self::Query(name) => split_url(value)?.parameters().find(|(key, _)| key == name).map(|(_, text)| text),
            Self::Number(index) => number(value, *index),
            Self::Stem => last_segment(value).rsplit_once('.').map(|(stem, _)| stem),
            Self::BeforeHyphen => last_segment(value).split_once('-').map(|(before, _)| before),
            Self::AfterHyphen => last_segment(value).rsplit_once('-').map(|(_, after)| after),
        };
        text.filter(|text| !text.is_empty())
    }
}

/// Returns all texts that can be taken from a value, the most plausible first.
pub fn extracts(value: &str) -> Vec<(Extract, &str)> {
    let mut ways = vec![Extract::Whole];
    if let Some(url) = split_url(value) {
        ways.extend([Extract::Origin, Extract::Path, Extract::PathAndQuery]);
        for (name, _) in url.parameters().take(usize::from(PARTS_MAX)) {
            let way = Extract::Query(name.to_owned());
            // Of several parameters of one name only the first can be extracted.
            if !ways.contains(&way) {
                ways.push(way);
            }
        }
        let segments = url.segments().take(usize::from(PARTS_MAX)).count() as u8;
        ways.extend((0..segments).map(Extract::Segment).chain((0..segments).map(Extract::SegmentFromEnd)));
    }
    ways.extend([Extract::Stem, Extract::AfterHyphen, Extract::BeforeHyphen]);
    ways.extend((0..NUMBERS_MAX).map(Extract::Number));
    ways.into_iter().filter_map(|way| way.apply(value).map(|text| (way, text))).collect()
}

/// The parts of a value that looks like a URL.
struct SplitUrl<'u> {
    origin: &'u str,
    path: &'u str,
    query: &'u str,
    /// Length of the value without its fragment.
    end: usize,
}

impl<'u> SplitUrl<'u> {
    fn segments(&self) -> impl Iterator<Item = &'u str> {
        self.path.strip_prefix('/').unwrap_or(self.path).split('/')
    }

    fn segment_from_end(&self, index: u8) -> Option<&'u str> {
        let path = self.path.strip_suffix('/').unwrap_or(self.path);
        path.strip_prefix('/').unwrap_or(path).rsplit('/').nth(usize::from(index))
    }

    fn parameters(&self) -> impl Iterator<Item = (&'u str, &'u str)> {
        self.query.split('&').filter_map(|pair| pair.split_once('='))
    }
}

/// Splits a value that has a scheme, a slash or a question mark.
fn split_url(value: &str) -> Option<SplitUrl<'_>> {
    let end = value.find('#').unwrap_or(value.len());
    let text = &value[..end];
    let origin = match text.split_once("://") {
        Some((scheme, rest)) if matches!(scheme, "http" | "https") => {
            &text[..rest.find(['/', '?']).map_or(end, |at| scheme.len() + 3 + at)]
        }
        _ => "",
    };
    let rest = &text[origin.len()..];
    let (path, query) = rest.split_once('?').unwrap_or((rest, ""));
    (!origin.is_empty() || text.contains(['/', '?'])).then_some(SplitUrl { origin, path, query, end })
}

/// Returns the last segment of a URL that has a name, or a value that is no URL.
fn last_segment(value: &str) -> &str {
    split_url(value).and_then(|url| url.segment_from_end(0)).unwrap_or(value)
}

/// Returns the run of digits with this index, counted from the end.
fn number(value: &str, index: u8) -> Option<&str> {
    let runs = value.rsplit(|c: char| !c.is_ascii_digit()).filter(|run| !run.is_empty());
    runs.take(usize::from(NUMBERS_MAX)).nth(usize::from(index))
}

/// How a text is written in a URL.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Encoding {
    /// As where it was found.
    AsFound,
    /// As JavaScript's `encodeURIComponent` does.
    Component,
    /// As a form does: like a component, but spaces are `+`.
    Form,
    /// As JavaScript's `encodeURI` does, which leaves `/`, `:` and `@` as they are.
    Uri,
    /// As `URL` normalises a text that was put into it unencoded.
    Decoded,
}

impl Encoding {
    /// All encodings, the most plausible first.
    pub const ALL: [Self; 5] = [Self::AsFound, Self::Component, Self::Form, Self::Uri, Self::Decoded];

    /// Writes a text that was found in a page, an answer or a URL.
    pub fn write(self, text: &str) -> String {
        const COMPONENT: &AsciiSet = &NON_ALPHANUMERIC
            .remove(b'-')
            .remove(b'_')
            .remove(b'.')
            .remove(b'!')
            .remove(b'~')
            .remove(b'*')
            .remove(b'\'')
            .remove(b'(')
            .remove(b')');
        const FORM: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'_').remove(b'.').remove(b'*').remove(b' ');
        const URI: &AsciiSet = &COMPONENT
            .remove(b';')
            .remove(b'/')
            .remove(b':')
            .remove(b'@')
            .remove(b'&')
            .remove(b'=')
            .remove(b'+')
            .remove(b'$')
            .remove(b',');
        // What `URL` encodes in both a path and a query.
        const LEAST: &AsciiSet =
            &percent_encoding::CONTROLS.add(b' ').add(b'"').add(b'<').add(b'>').add(b'#').add(b'?');
        let set = match self {
            Self::AsFound => return text.to_owned(),
            Self::Component => COMPONENT,
            Self::Form => FORM,
            Self::Uri => URI,
            Self::Decoded => LEAST,
        };
        let encoded = utf8_percent_encode(&decode(text), set).to_string();
        if self == Self::Form { encoded.replace(' ', "+") } else { encoded }
    }
}

/// Decodes a text; bytes that are no UTF-8 are replaced.
pub fn decode(text: &str) -> String {
    percent_decode_str(text).decode_utf8_lossy().into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_of_values_are_found() {
        let url = "https://h.example/a/b-17.html?q=x%20y&p=2#f";
        let apply = |way: Extract| way.apply(url).unwrap_or("-").to_owned();
        assert_eq!(apply(Extract::Origin), "https://h.example");
        assert_eq!(apply(Extract::Path), "/a/b-17.html");
        assert_eq!(apply(Extract::PathAndQuery), "/a/b-17.html?q=x%20y&p=2");
        assert_eq!(apply(Extract::Segment(0)), "a");
        assert_eq!(apply(Extract::SegmentFromEnd(0)), "b-17.html");
        assert_eq!(apply(Extract::Query("q".into())), "x%20y");
        assert_eq!(apply(Extract::Number(0)), "2");
        assert_eq!(apply(Extract::Number(2)), "17");
        assert_eq!(apply(Extract::Stem), "b-17");
        assert_eq!(apply(Extract::BeforeHyphen), "b");
        assert_eq!(apply(Extract::AfterHyphen), "17.html");
        assert_eq!(Extract::Segment(0).apply("word"), None);
        for (way, text) in extracts(url) {
            assert_eq!(way.apply(url), Some(text));
        }
    }

    #[test]
    fn odd_values_have_parts_too() {
        for value in ["", "/", "?", "#", "://", "http://", "https://é?é=é&=", "%", "%zz-%", "-", ".", "a?b?c=d"] {
            for (_, text) in extracts(value) {
                let _ = Encoding::ALL.map(|encoding| encoding.write(text));
            }
        }
    }

    #[test]
    fn texts_are_encoded_as_by_scripts() {
        let write = |encoding: Encoding| encoding.write("/a b'é@%2F");
        assert_eq!(write(Encoding::Component), "%2Fa%20b'%C3%A9%40%2F");
        assert_eq!(write(Encoding::Form), "%2Fa+b%27%C3%A9%40%2F");
        assert_eq!(write(Encoding::Uri), "/a%20b'%C3%A9@/");
        assert_eq!(write(Encoding::Decoded), "/a%20b'%C3%A9@/");
        assert_eq!(write(Encoding::AsFound), "/a b'é@%2F");
    }
}
