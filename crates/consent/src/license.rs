//! URLs of licences: `License` in robots.txt (RSL 1.0, which belongs to no group), `Link` headers and `link` elements
//! with the relation `license`. They are only recorded.

use super::statements::recorded;
use harvestman_core::model::{Signal, StatedIn, Statement};

/// Maximum number of links of one header that are read.
const LINKS_MAX: usize = 64;

/// Reads the URL of a licence.
pub fn read(url: &[u8], stated_in: StatedIn) -> Option<Statement> {
    let url = url.trim_ascii();
    let statement = || Statement { signal: Signal::License, stated_in, wish: None, says: recorded(url) };
    (!url.is_empty()).then(statement)
}

/// Returns the targets with the relation `license` of a `Link` header (RFC 8288, section 3). What is no link is
/// skipped.
pub fn of_link_header(value: &str) -> Vec<&str> {
    links(value).take(LINKS_MAX).filter(|(_, parameters)| is_license(parameters)).map(|(target, _)| target).collect()
}

/// Returns the links of a header: the target, and the text of the parameters.
fn links(value: &str) -> impl Iterator<Item = (&str, &str)> {
    let mut rest = value;
    std::iter::from_fn(move || {
        let (_, after) = rest.split_once('<')?;
        let (target, after) = after.split_once('>')?;
        let (parameters, after) = after.split_at(end_of_part(after, b','));
        rest = after;
        Some((target, parameters))
    })
}

/// Returns where a part of a header ends: at the first separator that is in no quoted text.
fn end_of_part(text: &str, separator: u8) -> usize {
    let (mut is_quoted, mut is_escaped) = (false, false);
    let is_end = |byte: u8| {
        let ends = byte == separator && !is_quoted;
        is_quoted ^= byte == b'"' && !is_escaped;
        is_escaped = byte == b'\\' && is_quoted && !is_escaped;
        ends
    };
    text.bytes().position(is_end).unwrap_or(text.len())
}

/// Returns whether the first `rel` among the parameters has the relation `license`.
fn is_license(parameters: &str) -> bool {
    let mut rest = parameters;
    while !rest.is_empty() {
        let (parameter, after) = rest.split_at(end_of_part(rest, b';'));
        rest = after.strip_prefix(';').unwrap_or(after);
        let Some((name, value)) = parameter.split_once('=') else { continue };
        if name.trim().eq_ignore_ascii_case("rel") {
            let mut relations = value.trim().trim_matches('"').split_ascii_whitespace();
            return relations.any(|relation| relation.eq_ignore_ascii_case("license"));
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn links_with_the_relation_license_are_found() {
        for (value, expected) in [
            (
                "<https://e.com/license.xml>; rel=\"license\"; type=\"application/rsl+xml\"",
                vec!["https://e.com/license.xml"],
            ),
            ("<https://e.com/l>; rel=license", vec!["https://e.com/l"]),
            ("</l>;REL=License", vec!["/l"]),
            ("<a>; rel=next, <b>; rel=\"license\"", vec!["b"]),
            ("<a>; rel=\"next license\"", vec!["a"]),
            ("<a>; title=\"x, y\"; rel=license, <b>; rel=license", vec!["a", "b"]),
            ("<a>; title=\"x \\\", <c>; rel=license\"; rel=next", vec![]),
            ("<a,b>; rel=license", vec!["a,b"]),
            ("<a>; rel=licensed", vec![]),
            ("<a>; rel=next; rel=license", vec![]),
            ("<a>; rev=license", vec![]),
            ("<a>", vec![]),
            ("a; rel=license", vec![]),
            ("<a; rel=license", vec![]),
            ("", vec![]),
        ] {
            assert_eq!(of_link_header(value), expected, "{value}");
        }
        assert_eq!(of_link_header(&"<a>;rel=license,".repeat(1 << 16)).len(), LINKS_MAX);
    }

    #[test]
    fn a_licence_is_recorded_and_wishes_nothing() {
        let read = |url: &str| read(url.as_bytes(), StatedIn::RobotsTxt);
        assert_eq!(read(""), None);
        let statement = read(" https://e.com/license.xml ").unwrap();
        assert_eq!((&*statement.says, statement.wish), ("https://e.com/license.xml", None));
    }

    proptest! {
        #[test]
        fn any_text_is_read(value in "[<>;=,\"\\\\ a-z]{0,80}", other in "\\PC{0,60}") {
            of_link_header(&value);
            of_link_header(&other);
        }
    }
}
