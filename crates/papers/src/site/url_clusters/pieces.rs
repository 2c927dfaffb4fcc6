//! The parts of a URL: three, each a sequence of pieces between separators.

use serde::{Deserialize, Serialize};

/// Maximum number of pieces of one part that are looked at, empty ones included. A URL with more in any part belongs to
/// no cluster.
pub(super) const PIECES_MAX: usize = 64;

/// A part of a URL, which has items of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum UrlPart {
    /// Host and port, split at `.`.
    Authority,
    /// Split at `/` and `.`.
    Path,
    /// Split at `&` and `=`.
    Query,
}

impl UrlPart {
    pub(super) const ALL: [Self; 3] = [Self::Authority, Self::Path, Self::Query];

    const fn bit(self) -> u8 {
        1 << self as u8
    }

    /// Returns the part that follows after `end` has ended a piece of this one.
    fn after(self, end: u8) -> Self {
        match (self, end) {
            (Self::Authority, b'/') => Self::Path,
            (Self::Authority | Self::Path, b'?') => Self::Query,
            _ => self,
        }
    }
}

/// The bytes that end a piece: one bit for each part.
const ENDS: [u8; 256] = {
    let (authority, path, query) = (UrlPart::Authority.bit(), UrlPart::Path.bit(), UrlPart::Query.bit());
    let mut ends = [0; 256];
    ends[b'.' as usize] = authority | path;
    ends[b'/' as usize] = authority | path;
    ends[b'?' as usize] = authority | path;
    ends[b'&' as usize] = query;
    ends[b'=' as usize] = query;
    ends[b'#' as usize] = authority | path | query;
    ends
};

/// The text between two separators, and its part.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Piece {
    pub start: u32,
    pub length: u32,
    /// The separator behind it; 0 at the end of the URL.
    pub end: u8,
}

impl Piece {
    pub fn of(self, text: &[u8]) -> &[u8] {
        &text[self.start as usize..(self.start + self.length) as usize]
    }
}

/// Iterates over the pieces of a URL, or of a pattern (which is a URL without its scheme), part by part. Looks at each
/// byte once.
pub(super) struct Pieces<'u> {
    text: &'u [u8],
    at: usize,
    /// `None` after the end.
    part: Option<UrlPart>,
}

impl<'u> Pieces<'u> {
    /// Creates an iterator over the pieces of a canonical URL, without its scheme.
    pub fn of_url(url: &'u str) -> Self {
        let at = match url.as_bytes() {
            [b'h', b't', b't', b'p', b's', b':', b'/', b'/', ..] => 8,
            [b'h', b't', b't', b'p', b':', b'/', b'/', ..] => 7,
            _ => 0,
        };
        Self { text: url.as_bytes(), at, part: Some(UrlPart::Authority) }
    }

    /// Creates an iterator over the pieces of a pattern.
    pub fn of_pattern(pattern: &'u str) -> Self {
        Self { text: pattern.as_bytes(), at: 0, part: Some(UrlPart::Authority) }
    }

    /// Returns the next piece, if it is of this part.
    #[inline]
    pub fn next_of(&mut self, part: UrlPart) -> Option<Piece> {
        if self.part != Some(part) {
            return None;
        }
        let rest = &self.text[self.at..];
        let length = rest.iter().position(|byte| ENDS[usize::from(*byte)] & part.bit() != 0).unwrap_or(rest.len());
        // A fragment is not part of what is fetched.
        let end = rest.get(length).copied().filter(|end| *end != b'#').unwrap_or(0);
        let piece = Piece { start: self.at as u32, length: length as u32, end };
        self.part = (end != 0).then(|| part.after(end));
        self.at += length + 1;
        Some(piece)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the pieces of each part with the separators behind them.
    fn split(url: &str) -> [Vec<(&str, char)>; 3] {
        let mut pieces = Pieces::of_url(url);
        UrlPart::ALL.map(|part| {
            let texts = std::iter::from_fn(|| pieces.next_of(part));
            texts.map(|piece| (std::str::from_utf8(piece.of(url.as_bytes())).unwrap(), char::from(piece.end))).collect()
        })
    }

    #[test]
    fn the_papers_url_has_the_papers_items() {
        let [authority, path, query] = split("http://news.example.com/over/there?name=dog#nose");
        assert_eq!(authority, [("news", '.'), ("example", '.'), ("com", '/')]);
        assert_eq!(path, [("over", '/'), ("there", '?')]);
        assert_eq!(query, [("name", '='), ("dog", '\0')]);
    }

    #[test]
    fn a_separator_of_another_part_separates_nothing() {
        let [authority, path, query] = split("https://[::1]:80/a&b=c//d.html?next=/a.b/?x#y&z=1");
        assert_eq!(authority, [("[::1]:80", '/')]);
        assert_eq!(path, [("a&b=c", '/'), ("", '/'), ("d", '.'), ("html", '?')]);
        assert_eq!(query, [("next", '='), ("/a.b/?x", '\0')]);
    }

    #[test]
    fn short_urls_have_empty_pieces_or_none() {
        assert_eq!(split("http://a/"), [vec![("a", '/')], vec![("", '\0')], vec![]]);
        assert_eq!(split("http://a"), [vec![("a", '\0')], vec![], vec![]]);
        assert_eq!(split(""), [vec![("", '\0')], vec![], vec![]]);
        assert_eq!(split("http://a?b"), [vec![("a", '?')], vec![], vec![("b", '\0')]]);
        assert_eq!(split("http://a/?"), [vec![("a", '/')], vec![("", '?')], vec![("", '\0')]]);
    }
}
