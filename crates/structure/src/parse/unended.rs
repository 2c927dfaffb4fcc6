//! Elements whose content is text and that never end, and comments: by the rules of HTML all that follows is their
//! text.
//!
//! An author who writes `<iframe src="x"/>` or forgets `</title>` means the rest of the page to be seen. So such an
//! element ends where markup follows, in a copy of the page that has the missing end tags: all readers of that copy
//! agree. A page that breaks off within a script or a comment stays as it is: a script or style sheet ends only where
//! the end of a page follows, all others only where a tag does. Time is linear in the length of the page.

use memchr::{memchr, memchr_iter};

use super::bytes::is_space;
use super::element::{self, Tag};
use super::raw::{Raw, end_of_content};
use super::tokens::{Token, Tokens};

/// Maximum number of elements of a page that are ended: for each, the rest of the page is searched.
const REPAIRS_MAX: usize = 32;

/// A page with the end tags that it lacks.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Repaired {
    pub bytes: Vec<u8>,
    /// The first element that never ended; `None` if all were empty elements of XML.
    pub first: Option<&'static str>,
}

/// Returns the page with the end tags that it lacks; `None` if there are none. In a page that is declared to be XML
/// (`xml`), an element that is written as an empty one ends at once.
pub(super) fn repaired(bytes: &[u8], xml: bool) -> Option<Repaired> {
    let (mut page, mut copied, mut first, mut repairs) = (Vec::new(), 0, None, 0);
    let (mut tokens, mut foreign) = (Tokens::new(bytes), 0_usize);
    while repairs < REPAIRS_MAX {
        let from = tokens.position();
        let Some(token) = tokens.next(foreign > 0) else { break };
        let (tag, is_empty) = (tokens.tag.tag, tokens.tag.self_closing);
        let end = match token {
            Token::Start if matches!(tag, Tag::SVG | Tag::MATH) => {
                foreign += usize::from(!is_empty);
                continue;
            }
            Token::End if matches!(tag, Tag::SVG | Tag::MATH) => {
                foreign = foreign.saturating_sub(1);
                continue;
            }
            Token::Start => {
                foreign = if tag.is(element::BREAKOUT) { 0 } else { foreign };
                let Some(raw) = raw_of(tag).filter(|_| foreign == 0) else { continue };
                let at = tokens.position();
                if xml && is_empty {
                    End { at, missing: format!("</{}>", tag.name()), of: None }
                } else if end_of_content(bytes, at, raw, tag.name()) < bytes.len() {
                    tokens.content(raw, tag.name());
                    continue;
                } else {
                    let Some(end) = end_of(bytes, at, tag, is_empty) else { break };
                    end
                }
            }
            Token::Comment if tokens.unended => {
                tokens.unended = false;
                let Some(at) = first_tag(bytes, from + 4) else { break };
                End { at, missing: "-->".to_owned(), of: Some("comment") }
            }
            _ => continue,
        };
        repairs += 1;
        page.extend_from_slice(&bytes[copied..end.at]);
        page.extend_from_slice(end.missing.as_bytes());
        first = first.or(end.of);
        copied = end.at;
        tokens.go_to(end.at);
    }
    page.extend_from_slice(&bytes[copied..]);
    (repairs > 0).then_some(Repaired { bytes: page, first })
}

/// Where an element is ended.
struct End {
    at: usize,
    /// What is missing there.
    missing: String,
    /// What it is, if it never ended.
    of: Option<&'static str>,
}

fn raw_of(tag: Tag) -> Option<Raw> {
    match tag {
        Tag::TITLE | Tag::TEXTAREA => Some(Raw::Escapable),
        Tag::STYLE | Tag::XMP | Tag::IFRAME | Tag::NOEMBED | Tag::NOFRAMES => Some(Raw::Text),
        Tag::SCRIPT => Some(Raw::Script),
        _ => None,
    }
}

/// Returns the end of the element whose content begins at `from` and never ends; `None` if nothing follows that its
/// author may have meant as markup.
fn end_of(bytes: &[u8], from: usize, tag: Tag, is_empty: bool) -> Option<End> {
    let (name, of) = (tag.name(), Some(tag.name()));
    let end = |at| End { at, missing: format!("</{name}>"), of };
    let first = first_tag(bytes, from)?;
    if is_empty {
        return Some(end(from));
    }
    match tag {
        Tag::SCRIPT => {
            // It has an end tag that a comment within it hides.
            let hidden = end_of_content(bytes, from, Raw::Text, name);
            let missing = || "-->".to_owned();
            if hidden < bytes.len() {
                return Some(End { at: hidden, missing: missing(), of });
            }
            Some(End { missing: missing() + "</script>", ..end(end_of_code(bytes, from)?) })
        }
        Tag::STYLE => Some(end(end_of_code(bytes, from)?)),
        _ => Some(end(first)),
    }
}

/// Returns where the lines of a script or style sheet end that is followed by the rest of a page.
fn end_of_code(bytes: &[u8], from: usize) -> Option<usize> {
    let is_end = |at: &usize| {
        let rest = &bytes[at + 1..];
        ["/body", "/html"]
            .iter()
            .any(|end| rest.get(..end.len()).is_some_and(|tag| tag.eq_ignore_ascii_case(end.as_bytes())))
    };
    let tags = || memchr_iter(b'<', &bytes[from..]).map(|at| from + at).filter(|at| is_tag(bytes, *at));
    let end_of_page = tags().find(is_end)?;
    let begins_line = |at: &usize| {
        let before = bytes[from..*at].iter().rev().find(|byte| **byte == b'\n' || !is_space(**byte));
        before.is_none_or(|byte| *byte == b'\n')
    };
    tags().take_while(|at| *at < end_of_page).find(begins_line).or(Some(end_of_page))
}

/// Returns the position of the first tag from `from` on that has an end.
fn first_tag(bytes: &[u8], from: usize) -> Option<usize> {
    let rest = bytes.get(from..)?;
    let first = memchr_iter(b'<', rest).map(|at| from + at).find(|at| is_tag(bytes, *at))?;
    memchr(b'>', &bytes[first..]).map(|_| first)
}

/// Returns whether a `<` begins a tag.
fn is_tag(bytes: &[u8], at: usize) -> bool {
    match bytes[at + 1..] {
        [b'/', first, ..] | [first, ..] => first.is_ascii_alphabetic(),
        [] => false,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[track_caller]
    fn becomes(page: &str, with_ends: &str) {
        let found = repaired(page.as_bytes(), false).map(|page| String::from_utf8(page.bytes).unwrap());
        assert_eq!(found.as_deref().unwrap_or("unchanged"), with_ends, "{page}");
    }

    #[test]
    fn an_element_that_is_written_as_an_empty_one_and_never_ends_is_empty() {
        for name in ["iframe", "title", "textarea", "xmp", "noembed", "noframes", "style", "script"] {
            becomes(&format!("<{name} a/>x<p>y"), &format!("<{name} a/></{name}>x<p>y"));
        }
        becomes("<iframe src=1/><p><iframe src=2 />x<a>", "<iframe src=1/></iframe><p><iframe src=2 /></iframe>x<a>");
    }

    #[test]
    fn an_element_that_never_ends_ends_before_the_first_tag() {
        becomes("<title>a < b<body><p>c", "<title>a < b</title><body><p>c");
        becomes("<iframe>\n</div>", "<iframe>\n</iframe></div>");
        becomes("<p><!-- a -- <b>c</b>", "<p><!-- a -- --><b>c</b>");
    }

    #[test]
    fn a_script_ends_where_a_line_of_markup_and_the_end_of_a_page_follow() {
        becomes("<script>a('<p>')\n  <p>b</body>", "<script>a('<p>')\n  --></script><p>b</body>");
        becomes("<style>a{}</html>", "<style>a{}</style></html>");
        becomes("<script><!-- '<script>' </script>a<p>", "<script><!-- '<script>' --></script>a<p>");
    }

    #[test]
    fn what_ends_and_what_breaks_off_stays_as_it_is() {
        for page in [
            "<iframe/><p>x</iframe><title>y</title><!-- <p> -->",
            "<script>a('<p>')\n<p>",
            "<title>a < b",
            "<textarea>",
            "<p><!-- a",
            "<svg><title/><p>",
            "<svg><title>a<g>",
            "<plaintext><p>",
            "<a title='<iframe>'><p>",
        ] {
            becomes(page, "unchanged");
        }
    }

    #[test]
    fn in_xml_all_empty_elements_end_at_once() {
        let page = repaired(b"<script/><p><script>a</script>", true).unwrap();
        assert_eq!((&*page.bytes, page.first), (&b"<script/></script><p><script>a</script>"[..], None));
    }

    #[test]
    fn the_first_element_is_named() {
        assert_eq!(repaired(b"<p><iframe><b><title><i>", false).unwrap().first, Some("iframe"));
        assert_eq!(repaired(b"<!-- <b>", false).unwrap().first, Some("comment"));
    }

    #[test]
    fn the_number_of_elements_that_are_ended_is_bounded() {
        let page = repaired("<iframe><p>".repeat(REPAIRS_MAX + 9).as_bytes(), false).unwrap();
        assert_eq!(page.bytes.windows(9).filter(|part| *part == b"</iframe>").count(), REPAIRS_MAX);
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        /// Nothing of the page is lost, and nothing but end tags is added.
        #[test]
        fn the_copy_is_the_page_with_insertions(
            page in "(<iframe>|<iframe/>|</iframe>|<title>|<script>|</script>|<!--|-->|<svg>|</body>|<p>|\n|[a<>/'é-]){0,24}",
            xml: bool,
        ) {
            if let Some(copy) = repaired(page.as_bytes(), xml) {
                let mut rest = page.bytes().peekable();
                for byte in &copy.bytes {
                    let _ = rest.next_if_eq(byte);
                }
                prop_assert_eq!(rest.next(), None);
                prop_assert!(std::str::from_utf8(&copy.bytes).is_ok());
            }
        }
    }
}
