//! The path of a key.

use super::{escaped, session, unescaped};

/// Returns a path in lower case, without empty segments, session ids and the trailing slash. Below a host (`of_host`),
/// `.` and `..` are resolved; otherwise the path is an opaque text.
pub(super) fn canonical(path: &str, of_host: bool) -> String {
    let bytes = unescaped(path.as_bytes());
    let resolved = if of_host { resolved(&bytes) } else { bytes };
    let mut path = escaped(&resolved);
    path.make_ascii_lowercase();
    session::strip_from_path(&mut path);
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
