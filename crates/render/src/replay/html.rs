//! A scanner of the tags and texts of HTML, linear in the length of its input.
//!
//! It builds no tree: for values of attributes and scripts the nesting does not matter, and a tree costs quadratic
//! time on hostile pages. It follows the tokenization of the HTML standard (section 13.2.5) for what well-formed pages
//! contain.

use std::borrow::Cow;

/// Maximum number of attributes that are reported for one tag; the others are skipped.
const ATTRIBUTES_MAX: usize = 64;
/// Maximum length of HTML that is scanned, in bytes; the rest is ignored.
pub const HTML_BYTES_MAX: usize = 4 << 20;

/// One piece of a page.
#[derive(Debug, PartialEq, Eq)]
pub enum HtmlItem<'h> {
    /// A start tag: its name in lower case, and its attributes with character references resolved.
    Tag(String, Vec<(String, Cow<'h, str>)>),
    /// A text with character references resolved.
    Text(Cow<'h, str>),
    /// The content of a script.
    Script(&'h str),
}

/// Reports each start tag, text and script, in order. Comments, end tags and styles are left out.
pub fn scan_html<'h>(html: &'h str, see: &mut dyn FnMut(HtmlItem<'h>)) {
    let mut rest = truncate(html, HTML_BYTES_MAX);
    while !rest.is_empty() {
        let (text, behind) = rest.split_at(rest.find('<').unwrap_or(rest.len()));
        if !text.trim().is_empty() {
            see(HtmlItem::Text(htmlize::unescape(text)));
        }
        rest = after_markup(behind, see);
    }
}

/// Reports the tag of each script, and its content. All else is passed over, which costs a fraction of [`scan_html`].
pub fn scan_scripts<'h>(html: &'h str, see: &mut dyn FnMut(HtmlItem<'h>)) {
    let mut rest = truncate(html, HTML_BYTES_MAX);
    while let Some(at) = find_ignoring_case(rest, "<script") {
        rest = after_markup(&rest[at..], see);
    }
}

/// Returns the start of a text, at most `bytes` long, cut between characters.
pub fn truncate(text: &str, bytes: usize) -> &str {
    let mut end = text.len().min(bytes);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}

/// Returns what follows the markup at the start of a text, and reports a tag.
fn after_markup<'h>(text: &'h str, see: &mut dyn FnMut(HtmlItem<'h>)) -> &'h str {
    let Some(inner) = text.strip_prefix('<') else { return text };
    if let Some(comment) = inner.strip_prefix("!--") {
        return after(comment, "-->");
    }
    if inner.starts_with(['!', '?', '/']) {
        return after(inner, ">");
    }
    if !inner.starts_with(|c: char| c.is_ascii_alphabetic()) {
        return inner;
    }
    let end = inner.find(|c: char| c.is_ascii_whitespace() || c == '/' || c == '>').unwrap_or(inner.len());
    let name = inner[..end].to_ascii_lowercase();
    let (attributes, rest) = attributes(&inner[end..]);
    let raw = match name.as_str() {
        "script" => Some("</script"),
        "style" => Some("</style"),
        _ => None,
    };
    see(HtmlItem::Tag(name, attributes));
    let Some(closing) = raw else { return rest };
    let (content, behind) = rest.split_at(find_ignoring_case(rest, closing).unwrap_or(rest.len()));
    if closing == "</script" && !content.trim().is_empty() {
        see(HtmlItem::Script(content));
    }
    behind
}

/// Returns the text behind the first `wanted`; the empty text if there is none.
fn after<'h>(text: &'h str, wanted: &str) -> &'h str {
    text.find(wanted).map_or("", |at| &text[at + wanted.len()..])
}

/// Returns the position of an ASCII text that starts with `<`, in any case.
fn find_ignoring_case(text: &str, wanted: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    text.match_indices('<')
        .map(|(at, _)| at)
        .find(|at| bytes.get(*at..at + wanted.len()).is_some_and(|found| found.eq_ignore_ascii_case(wanted.as_bytes())))
}

/// Returns the attributes at the start of a text, and what follows the tag.
fn attributes(text: &str) -> (Vec<(String, Cow<'_, str>)>, &str) {
    let (mut found, mut rest) = (Vec::new(), text);
    loop {
        rest = rest.trim_start_matches(|c: char| c.is_ascii_whitespace() || c == '/');
        if rest.is_empty() || rest.starts_with('>') {
            return (found, rest.strip_prefix('>').unwrap_or(rest));
        }
        // An equals sign at its start belongs to the name.
        let is_end = |(at, c): &(usize, char)| *at > 0 && (c.is_ascii_whitespace() || matches!(c, '=' | '>' | '/'));
        let end = rest.char_indices().find(is_end).map_or(rest.len(), |(at, _)| at);
        let (name, behind) = rest.split_at(end);
        let (value, behind) = attribute_value(behind);
        if found.len() < ATTRIBUTES_MAX {
            found.push((name.to_ascii_lowercase(), htmlize::unescape_attribute(value)));
        }
        rest = behind;
    }
}

/// Returns the value of the attribute whose name ends where the text starts, and what follows it.
fn attribute_value(text: &str) -> (&str, &str) {
    let Some(value) = text.trim_ascii_start().strip_prefix('=') else { return ("", text) };
    let value = value.trim_ascii_start();
    for quote in ['"', '\''] {
        if let Some(quoted) = value.strip_prefix(quote) {
            return quoted.split_once(quote).unwrap_or((quoted, ""));
        }
    }
    value.split_at(value.find(|c: char| c.is_ascii_whitespace() || c == '>').unwrap_or(value.len()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn items(html: &str) -> Vec<String> {
        let mut items = Vec::new();
        scan_html(html, &mut |item| items.push(format!("{item:?}")));
        items
    }

    #[test]
    fn tags_texts_and_scripts_are_reported() {
        let found = items(
            "a&amp;b<!-- <p> --><A href='/x?a=1&amp;b=2' data-x=1 hidden>t</a><script>1<2</SCRIPT>c<style>p</style>1 < 2",
        );
        let wanted = [
            r#"Text("a&b")"#,
            r#"Tag("a", [("href", "/x?a=1&b=2"), ("data-x", "1"), ("hidden", "")])"#,
            r#"Text("t")"#,
            r#"Tag("script", [])"#,
            r#"Script("1<2")"#,
            r#"Text("c")"#,
            r#"Tag("style", [])"#,
            r#"Text("1 ")"#,
            r#"Text(" 2")"#,
        ];
        assert_eq!(found, wanted);
    }

    #[test]
    fn unfinished_markup_ends_the_page() {
        for html in
            ["<", "<a", "<a b", "<a b=", "<a b='", "<!--", "<!", "</", "<script>", "<script", "<a =", "<a/", "<é>"]
        {
            assert!(items(html).len() <= 2, "{html}");
        }
        assert_eq!(truncate("aé", 2), "a");
    }
}
