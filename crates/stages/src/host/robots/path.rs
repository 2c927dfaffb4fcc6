//! Rewrites paths and patterns to a form that `robotxt` compares correctly.
//!
//! * Both get a leading [`SENTINEL`]. The crate prepends a `/` to a pattern that has none, so that `*/print/` would no
//!   longer match `/print/`; with the sentinel in front of both, that `/` is the sentinel.
//! * `*` and `$` are literal in a path and special in a pattern, where only `%2A` and `%24` are literal (RFC 9309,
//!   section 2.2.3). Therefore they are encoded in paths, as is a `$` in a pattern anywhere but at its end.
//! * In a query `:`, `/`, `?` and `@` are not delimiters, and are equivalent to their encoded forms (RFC 9309, section
//!   2.2.2, has `?baz=https://foo.bar` as an example), so they are decoded there. In the path `%2F` is not a `/`.
//!
//! All other percent-encoding is normalised by the crate.

/// The character that is prepended to every path and pattern.
pub const SENTINEL: char = '/';

/// The characters that are decoded in queries, each after its encoded form.
const QUERY_ESCAPES: [(&[u8; 3], u8); 4] = [(b"%3A", b':'), (b"%2F", b'/'), (b"%3F", b'?'), (b"%40", b'@')];

/// Rewrites a URL's path and query. A fragment is removed.
pub fn rewrite(path_and_query: &str) -> String {
    let path = path_and_query.split('#').next().unwrap_or_default();
    let mut text = String::with_capacity(path.len() + 2);
    text.push(SENTINEL);
    if !path.starts_with('/') {
        text.push('/');
    }
    let (path, query) = path.split_at(path.find('?').unwrap_or(path.len()));
    for part in [path, &decode_query(query)] {
        for c in part.chars() {
            match c {
                '*' => text.push_str("%2A"),
                '$' => text.push_str("%24"),
                c => text.push(c),
            }
        }
    }
    text
}

/// Returns whether a rewritten path is that of robots.txt.
pub fn is_robots_txt(path: &str) -> bool {
    path.strip_prefix(SENTINEL) == Some("/robots.txt")
}

/// Rewrites a rule's pattern. Returns a second pattern if the rule stands for two, because a `*` may or may not match
/// the `?` that begins the query. An empty pattern matches nothing and stays empty.
pub fn rewrite_pattern(pattern: &[u8]) -> (Vec<u8>, Option<Vec<u8>>) {
    if pattern.is_empty() {
        return (Vec::new(), None);
    }
    let query = pattern.iter().position(|&byte| byte == b'?').unwrap_or(pattern.len());
    let (path, rest) = pattern.split_at(query);
    let second = if rest.is_empty() { in_query(path) } else { None };
    (with_sentinel(&[path, &decode_query_bytes(rest)].concat()), second.map(|second| with_sentinel(&second)))
}

/// Returns the pattern for URLs in which the last `*` before the first escape matches the `?`, or `None` if that is the
/// same pattern.
fn in_query(pattern: &[u8]) -> Option<Vec<u8>> {
    let decoded = decode_query_bytes(pattern);
    let same = pattern.iter().zip(&decoded).take_while(|(before, after)| before == after).count();
    if same == pattern.len() {
        return None;
    }
    let star = pattern[..same].iter().rposition(|&byte| byte == b'*')?;
    Some([&decoded[..star], b"*?*", &decoded[star + 1..]].concat())
}

fn with_sentinel(pattern: &[u8]) -> Vec<u8> {
    let mut text = Vec::with_capacity(pattern.len() + 2);
    text.push(SENTINEL as u8);
    if !pattern.starts_with(b"/") && !pattern.starts_with(b"*") {
        text.push(b'/');
    }
    for (at, &byte) in pattern.iter().enumerate() {
        if byte == b'$' && at + 1 < pattern.len() {
            text.extend_from_slice(b"%24");
        } else {
            text.push(byte);
        }
    }
    text
}

fn decode_query(query: &str) -> String {
    // ASCII is replaced by ASCII only, so that the text remains valid UTF-8.
    String::from_utf8(decode_query_bytes(query.as_bytes())).expect("replacing ASCII by ASCII keeps UTF-8 valid")
}

fn decode_query_bytes(query: &[u8]) -> Vec<u8> {
    let mut decoded = Vec::with_capacity(query.len());
    let mut rest = query;
    while let Some((&byte, tail)) = rest.split_first() {
        let escape = QUERY_ESCAPES.iter().find(|(escape, _)| byte == b'%' && starts_with_ignoring_case(rest, *escape));
        match escape {
            Some((_, plain)) => {
                decoded.push(*plain);
                rest = &rest[3..];
            }
            None => {
                decoded.push(byte);
                rest = tail;
            }
        }
    }
    decoded
}

fn starts_with_ignoring_case(text: &[u8], prefix: &[u8]) -> bool {
    text.get(..prefix.len()).is_some_and(|start| start.eq_ignore_ascii_case(prefix))
}
