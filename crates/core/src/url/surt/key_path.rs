//! The path of a key, without session ids.

use super::{escaped, unescaped};

/// Returns a path in lower case, without empty segments, session ids and the trailing slash. Below a host (`of_host`),
/// `.` and `..` are resolved; otherwise the path is an opaque text.
pub(super) fn canonical(path: &str, of_host: bool) -> String {
    let bytes = unescaped(path.as_bytes());
    let resolved = if of_host { resolved(&bytes) } else { bytes };
    let mut path = escaped(&resolved);
    path.make_ascii_lowercase();
    strip_from_path(&mut path);
    if path.len() > 1 && path.ends_with('/') {
        path.pop();
    }
    path
}

/// Returns the path without `.`, `..` and empty segments, except for an empty one at its end. A `..` that leads out of
/// the path stays.
fn resolved(path: &[u8]) -> Vec<u8> {
    let mut kept: Vec<&[u8]> = Vec::new();
    // The text before the first slash is not a segment.
    for segment in path.split(|byte| *byte == b'/').skip(1) {
        match segment {
            b"." => {}
            b".." if !kept.is_empty() => drop(kept.pop()),
            segment => kept.push(segment),
        }
    }
    let mut out = vec![b'/'];
    if let Some((last, before)) = kept.split_last() {
        for segment in before.iter().filter(|segment| !segment.is_empty()) {
            out.extend_from_slice(segment);
            out.push(b'/');
        }
        out.extend_from_slice(last);
    }
    out
}

/// Number of characters of an id in a path.
const PATH_ID: usize = 24;

/// A parameter with an id, by its notation.
struct Parameter {
    /// Its name, in lower case.
    name: &'static str,
    /// Number of letters that follow the name before the `=`.
    name_letters: usize,
    /// Number of characters of the id.
    id: usize,
    /// Whether the id consists of letters only.
    letters: bool,
}

const PARAMETERS: [Parameter; 4] = [
    Parameter { name: "jsessionid", name_letters: 0, id: 32, letters: false },
    Parameter { name: "phpsessid", name_letters: 0, id: 32, letters: false },
    Parameter { name: "sid", name_letters: 0, id: 32, letters: false },
    Parameter { name: "aspsessionid", name_letters: 8, id: 24, letters: true },
];

impl Parameter {
    /// Returns the length of this parameter at the start of `text`, if it ends the text or an `&` follows.
    fn length_at(&self, text: &[u8]) -> Option<usize> {
        let rest = strip_name(text, self.name)?;
        let (letters, rest) = rest.split_at_checked(self.name_letters)?;
        let id = rest.strip_prefix(b"=")?.get(..self.id)?;
        let of_id = |byte: &u8| if self.letters { byte.is_ascii_alphabetic() } else { byte.is_ascii_alphanumeric() };
        let length = self.name.len() + self.name_letters + 1 + self.id;
        let ends = matches!(text.get(length), None | Some(b'&'));
        (ends && letters.iter().all(u8::is_ascii_alphabetic) && id.iter().all(of_id)).then_some(length)
    }
}

fn strip_name<'a>(text: &'a [u8], name: &str) -> Option<&'a [u8]> {
    let (start, rest) = text.split_at_checked(name.len())?;
    start.eq_ignore_ascii_case(name.as_bytes()).then_some(rest)
}

/// Removes the last id of each type from a query, with the `&` behind it. A name may be the end of another one, as in
/// `mysid=`, as other tools have it.
pub(super) fn strip_from_query(query: &mut String) {
    for parameter in &PARAMETERS {
        strip_last(query, |text| parameter.length_at(text));
    }
    strip_cold_fusion(query);
}

/// Removes the last `cfid=…&cftoken=…`: one id in two parameters.
fn strip_cold_fusion(query: &mut String) {
    const FIRST: usize = "cfid=".len();
    // The end of the second parameter; then that of the one before it.
    let mut end = query.len();
    while let Some(between) = query[..end].rfind('&') {
        let first = &query.as_bytes()[..between];
        let start = first.iter().rposition(|byte| *byte == b'&').map_or(0, |at| at + 1);
        let token = strip_name(&query.as_bytes()[between + 1..end], "cftoken=");
        let is_id = |at: &usize| first.len() > at + FIRST && strip_name(&first[*at..], "cfid=").is_some();
        if token.is_some_and(|token| !token.is_empty())
            && let Some(at) = (start..between).rev().find(is_id)
        {
            let behind = end + usize::from(end < query.len());
            query.replace_range(at..behind, "");
            return;
        }
        end = between;
    }
}

fn strip_last(query: &mut String, length_at: impl Fn(&[u8]) -> Option<usize>) {
    let bytes = query.as_bytes();
    let found = (0..bytes.len()).rev().find_map(|at| Some((at, length_at(&bytes[at..])?)));
    if let Some((at, length)) = found {
        let behind = at + length;
        let behind = behind + usize::from(bytes.get(behind) == Some(&b'&'));
        query.replace_range(at..behind, "");
    }
}

/// Removes ids from the path (in lower case) of an `.aspx` page, `/(id)/page.aspx`: those with letters before each id
/// first, then plain ones.
fn strip_from_path(path: &mut String) {
    strip_last_segment(path, is_lettered);
    strip_last_segment(path, is_plain);
}

fn strip_last_segment(path: &mut String, is_id: fn(&str) -> bool) {
    // From the end: the last segment that is an id followed by a page.
    let mut end = path.len();
    while let Some(slash) = path[..end].rfind('/') {
        let segment = &path[slash + 1..end];
        if end < path.len() && is_id(segment) && is_aspx(&path[end + 1..]) {
            path.replace_range(slash + 1..=end, "");
            return;
        }
        end = slash;
    }
}

/// Returns whether this is an `.aspx` page, with no `?` before the extension.
fn is_aspx(rest: &str) -> bool {
    let name = rest.split('?').next().unwrap_or_default();
    name.get(1..).is_some_and(|name| name.contains(".aspx"))
}

fn is_plain(segment: &str) -> bool {
    let inner = segment.strip_prefix('(').and_then(|rest| rest.strip_suffix(')'));
    inner.is_some_and(is_id)
}

/// Returns whether a segment has the form `(a(id)b(id))`.
fn is_lettered(segment: &str) -> bool {
    let Some(inner) = segment.strip_prefix('(').and_then(|rest| rest.strip_suffix(')')) else { return false };
    let each = PATH_ID + 3;
    let of_id = |piece: &[u8]| matches!(piece, [letter, b'(', id @ .., b')'] if letter.is_ascii_alphabetic() && id.iter().all(u8::is_ascii_alphanumeric));
    !inner.is_empty() && inner.len().is_multiple_of(each) && inner.as_bytes().chunks(each).all(of_id)
}

fn is_id(text: &str) -> bool {
    text.len() == PATH_ID && text.bytes().all(|byte| byte.is_ascii_alphanumeric())
}
