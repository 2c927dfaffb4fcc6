//! The URLs of a site as values, which are written as paths. Paths are parsed leniently: whether a path is spelled as
//! in links is checked by formatting it again.

use std::fmt::{Debug, Write as _};

/// Appends a number.
pub(super) fn push(out: &mut String, number: u64) {
    // Writing to a String cannot fail.
    let _ = write!(out, "{number}");
}

/// Appends `page=N` after `separator`, or nothing for the first page.
pub(super) fn push_page(out: &mut String, separator: char, page: u64) {
    if page > 1 {
        out.push(separator);
        out.push_str("page=");
        push(out, page);
    }
}

/// Appends `page/N/`, or nothing for the first page.
pub(super) fn push_page_folder(out: &mut String, page: u64) {
    if page > 1 {
        out.push_str("page/");
        push(out, page);
        out.push('/');
    }
}

/// Splits a URL into path and query; the query is empty if there is none.
pub(super) fn split(path_and_query: &str) -> (&str, &str) {
    path_and_query.split_once('?').unwrap_or((path_and_query, ""))
}

/// Returns the value of a query parameter.
pub(super) fn parameter<'a>(query: &'a str, name: &str) -> Option<&'a str> {
    query.split('&').find_map(|pair| pair.split_once('=').filter(|(key, _)| *key == name).map(|(_, value)| value))
}

/// Returns the page number in a query; 1 if it is missing or invalid.
pub(super) fn page_number(query: &str) -> u64 {
    parameter(query, "page").and_then(|value| value.parse().ok()).unwrap_or(1)
}

/// Returns the number after the last `separator`: 12 in `slug.12`.
pub(super) fn trailing_number(segment: &str, separator: char) -> Option<u64> {
    segment.rsplit(separator).next()?.parse().ok()
}

/// Returns the segments of a path: `a` and `b` for `/a/b/`. At most 8, since no site has deeper paths.
pub(super) fn segments(path: &str) -> ([&str; 8], usize) {
    let mut found = [""; 8];
    let mut count = 0;
    for segment in path.split('/').filter(|segment| !segment.is_empty()).take(found.len()) {
        found[count] = segment;
        count += 1;
    }
    (found, count)
}

/// A site whose URLs can be written.
pub(super) trait Routing {
    /// One of the site's URLs.
    type Route: Copy + PartialEq + Debug;

    /// Appends the path and query of `route`, in canonical spelling.
    fn write_path(&self, route: Self::Route, out: &mut String);
}
