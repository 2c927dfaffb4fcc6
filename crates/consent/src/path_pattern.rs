//! Patterns of paths as in robots.txt (RFC 9309, section 2.2.2 and 2.2.3), which `Content-Usage` rules and tdmrep.json
//! use too.
//!
//! A pattern matches the beginning of a path; `*` stands for any characters, `$` at the end for the end of the path.
//! Both sides are compared with the same percent-encoding.

use memchr::memmem;

/// Maximum length of a pattern in bytes: that of a line of robots.txt.
const PATTERN_MAX: usize = 16_663;

/// The escapes that are equivalent to their character in a query.
const QUERY_ESCAPES: [(&[u8; 2], u8); 4] = [(b"3A", b':'), (b"2F", b'/'), (b"3F", b'?'), (b"40", b'@')];

/// The path and query of a URL with its percent-encoding normalised.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UrlPath(Vec<u8>);

impl UrlPath {
    /// Normalises a path and query. A fragment is removed.
    pub fn new(path_and_query: &str) -> Self {
        let path = path_and_query.split('#').next().unwrap_or_default().as_bytes();
        Self(normalised(path, false))
    }
}

/// A pattern of paths.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PathPattern {
    /// The parts between its `*`.
    parts: Vec<Box<[u8]>>,
    /// Whether it ends with `$`.
    is_anchored: bool,
    /// Number of bytes, the measure of how specific it is.
    length: usize,
}

impl PathPattern {
    /// Reads a pattern; `None` if it is empty or too long.
    pub fn new(pattern: &[u8]) -> Option<Self> {
        let pattern = pattern.trim_ascii();
        if pattern.is_empty() || pattern.len() > PATTERN_MAX {
            return None;
        }
        let (body, is_anchored) = pattern.strip_suffix(b"$").map_or((pattern, false), |body| (body, true));
        let body = normalised(body, true);
        let length = body.len() + usize::from(is_anchored);
        let parts = body.split(|byte| *byte == b'*').map(Box::from).collect();
        Some(Self { parts, is_anchored, length })
    }

    /// Returns the number of its bytes: of two that match a path, the longer is the more specific.
    pub const fn length(&self) -> usize {
        self.length
    }

    /// Returns whether it matches. The time is linear in the lengths of path and pattern.
    pub fn matches(&self, UrlPath(path): &UrlPath) -> bool {
        let Some((first, rest)) = self.parts.split_first() else { return false };
        let Some(mut left) = path.strip_prefix(&**first) else { return false };
        let Some((last, middle)) = rest.split_last() else { return !self.is_anchored || left.is_empty() };
        for part in middle {
            let Some(at) = memmem::find(left, part) else { return false };
            left = &left[at + part.len()..];
        }
        if self.is_anchored { left.ends_with(last) } else { memmem::find(left, last).is_some() }
    }
}

/// Returns a path or a pattern in the form in which both are compared: with a leading `/` (a pattern may begin with
/// `*`), unreserved characters decoded, all others that are no part of a URL encoded. `*` and `$` stand for themselves
/// in a path.
fn normalised(text: &[u8], is_pattern: bool) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len() + 1);
    if !(text.starts_with(b"/") || is_pattern && text.starts_with(b"*")) {
        out.push(b'/');
    }
    let mut is_query = false;
    let mut rest = text;
    while let [byte, after @ ..] = rest {
        rest = after;
        match (byte, escaped(after)) {
            (b'%', Some((digits, byte))) => {
                rest = &after[2..];
                let in_query = QUERY_ESCAPES.iter().find(|(escape, _)| is_query && **escape == digits);
                match in_query {
                    Some((_, plain)) => out.push(*plain),
                    None if is_unreserved(byte) => out.push(byte),
                    None => out.extend([b'%', digits[0], digits[1]]),
                }
            }
            (b'*' | b'$', _) if !is_pattern => encode(*byte, &mut out),
            (b'$', _) => encode(*byte, &mut out),
            (byte, _) if byte.is_ascii_graphic() => {
                is_query |= *byte == b'?';
                out.push(*byte);
            }
            (byte, _) => encode(*byte, &mut out),
        }
    }
    out
}

/// Returns the two digits that follow a `%`, in upper case, and their byte.
fn escaped(after: &[u8]) -> Option<([u8; 2], u8)> {
    let [high, low, ..] = after else { return None };
    let digit = |byte: u8| char::from(byte).to_digit(16);
    let byte = u8::try_from(digit(*high)? * 16 + digit(*low)?).ok()?;
    Some(([high.to_ascii_uppercase(), low.to_ascii_uppercase()], byte))
}

const fn is_unreserved(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_' | b'~')
}

fn encode(byte: u8, out: &mut Vec<u8>) {
    const DIGITS: &[u8; 16] = b"0123456789ABCDEF";
    out.extend([b'%', DIGITS[usize::from(byte >> 4)], DIGITS[usize::from(byte & 15)]]);
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn is_match(pattern: &str, path: &str) -> bool {
        PathPattern::new(pattern.as_bytes()).is_some_and(|pattern| pattern.matches(&UrlPath::new(path)))
    }

    #[test]
    fn patterns_match_as_in_robots_txt() {
        for (pattern, path) in [
            ("/", "/anything"),
            ("/fish", "/fish.html"),
            ("/fish*", "/fish"),
            ("/*.php", "/folder/filename.php?parameters"),
            ("/*.php$", "/filename.php"),
            ("/fish*.php", "/fishheads/catfish.php?parameters"),
            ("*/print", "/a/print/"),
            ("/a%3cd.html", "/a%3Cd.html"),
            ("/%7ejoe/", "/~joe/index.html"),
            ("/foo?q=https%3A%2F%2Fx", "/foo?q=https://x"),
            ("/ツ", "/%E3%83%84"),
            ("/path/foo-%24", "/path/foo-$"),
            ("/a*b*c$", "/abcbc"),
            ("images/", "/images/x"),
            ("/x$", "/x"),
            ("/*", "/"),
        ] {
            assert!(is_match(pattern, path), "{pattern} matches {path}");
        }
        for (pattern, path) in [
            ("", "/"),
            ("/fish", "/Fish.asp"),
            ("/fish/", "/fish"),
            ("/*.php$", "/filename.php?x"),
            ("/a%2Fb", "/a/b"),
            ("/x$", "/xy"),
            ("/a*b*c$", "/ab"),
            ("/path/foo-%24", "/path/foo-"),
            ("/ab*ba$", "/aba"),
        ] {
            assert!(!is_match(pattern, path), "{pattern} does not match {path}");
        }
        assert_eq!(PathPattern::new(&[b'/'; PATTERN_MAX + 1]), None);
    }

    #[test]
    fn the_longer_pattern_is_the_more_specific() {
        let length = |pattern: &str| PathPattern::new(pattern.as_bytes()).unwrap().length();
        assert!(length("/ai-ok/") > length("/") && length("/x$") > length("/x"));
        assert_eq!(length("/é"), 7, "the bytes of the encoded path count");
    }

    /// The same by backtracking.
    fn naive(pattern: &[u8], path: &[u8], is_anchored: bool) -> bool {
        match pattern {
            [] => !is_anchored || path.is_empty(),
            [b'*', rest @ ..] => (0..=path.len()).any(|at| naive(rest, &path[at..], is_anchored)),
            [byte, rest @ ..] => path.first() == Some(byte) && naive(rest, &path[1..], is_anchored),
        }
    }

    proptest! {
        #[test]
        fn matching_agrees_with_backtracking(pattern in "/[ab*]{0,8}", anchored in any::<bool>(), path in "/[ab]{0,12}") {
            let written = format!("{pattern}{}", if anchored { "$" } else { "" });
            prop_assert_eq!(is_match(&written, &path), naive(pattern.as_bytes(), path.as_bytes(), anchored));
        }

        #[test]
        fn any_bytes_are_read(pattern in prop::collection::vec(any::<u8>(), 0..80), path in "\\PC{0,40}") {
            let _ = PathPattern::new(&pattern).map(|pattern| pattern.matches(&UrlPath::new(&path)));
        }

        #[test]
        fn a_path_without_special_characters_matches_itself(path in "/[a-z0-9/._~%é?=&-]{0,40}") {
            prop_assert!(is_match(&path, &path));
        }
    }
}
