//! The links and texts of an answer, whether it is HTML, JSON, or JSON with HTML in it.

use serde_json::Value;
use url::Url;

use super::html::{HtmlItem, scan_html, truncate};
use super::json::{answer_text, json_field, parse_json, visit_json};
use super::make_url::resolve;

/// Maximum number of links that are returned for an answer.
const LINKS_MAX: usize = 20_000;
/// Maximum number of texts that are returned for an answer.
const TEXTS_MAX: usize = 20_000;
/// Maximum length of a text, in bytes; the rest of it is cut off.
const TEXT_BYTES_MAX: usize = 8_192;
/// Maximum length of a link, in bytes; a longer one is ignored.
const LINK_BYTES_MAX: usize = 2_048;
/// Ends of the names of JSON fields whose strings are URLs even if they are relative.
const URL_FIELDS: [&str; 7] = ["url", "uri", "href", "link", "permalink", "path", "src"];

/// What an answer holds.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AnswerContent {
    /// Links to documents over HTTP, resolved, without fragments, in order and with duplicates; at most 20,000.
    pub links: Vec<Url>,
    /// Those that stand in a field of JSON, with the name of the field as by [`json_field`].
    pub field_links: Vec<(String, Url)>,
    /// Texts without surrounding space, in order; at most 20,000 of at most 8,192 bytes.
    pub texts: Vec<String>,
}

/// What a string of a JSON answer is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum StringKind {
    /// HTML.
    Html,
    /// A URL.
    Link,
    /// Anything else.
    Text,
}

impl StringKind {
    /// Tells what the string at this path of a JSON text is.
    pub fn of(path: &str, text: &str) -> Self {
        let name = path.rsplit('.').find(|name| *name != "*").unwrap_or_default().to_ascii_lowercase();
        let is_html = text.match_indices('<').any(|(at, _)| {
            text[at + 1..].starts_with(|c: char| c.is_ascii_alphabetic() || c == '/' || c == '!') && text.contains('>')
        });
        if is_html {
            Self::Html
        } else if is_url(text, URL_FIELDS.iter().any(|end| name.ends_with(end))) {
            Self::Link
        } else {
            Self::Text
        }
    }
}

/// Finds the links and texts of an answer. The body decides what it is. Of HTML the first 4 MiB are read; of JSON that
/// is larger, nothing, as it has no end.
pub fn scan_answer(body: &[u8], base: &Url) -> AnswerContent {
    let mut content = AnswerContent::default();
    match parse_json(body) {
        Some(json) => visit_json(&json, &mut |path, value| {
            if let Value::String(text) = value {
                content.read_string(path, text, base);
            }
        }),
        None => content.read_html(&answer_text(body), base),
    }
    content
}

impl AnswerContent {
    fn read_string(&mut self, path: &str, text: &str, base: &Url) {
        match StringKind::of(path, text) {
            StringKind::Html => self.read_html(text, base),
            StringKind::Link => {
                let before = self.links.len();
                self.add_link(text, base);
                self.field_links.extend(self.links[before..].iter().map(|link| (json_field(path), link.clone())));
            }
            StringKind::Text => self.add_text(text),
        }
    }

    fn read_html(&mut self, html: &str, base: &Url) {
        scan_html(html, &mut |item| match item {
            HtmlItem::Tag(name, attributes) => {
                let wanted = match name.as_str() {
                    "a" | "area" => "href",
                    "iframe" | "frame" => "src",
                    _ => return,
                };
                let link = attributes.iter().find(|(attribute, _)| attribute == wanted);
                link.into_iter().for_each(|(_, value)| self.add_link(value.trim(), base));
            }
            HtmlItem::Text(text) => self.add_text(&text),
            HtmlItem::Script(_) => {}
        });
    }

    fn add_link(&mut self, text: &str, base: &Url) {
        // A mere fragment leads to the page itself.
        if text.starts_with('#') || text.len() > LINK_BYTES_MAX || self.links.len() >= LINKS_MAX {
            return;
        }
        let url = resolve(base, text).filter(|url| matches!(url.scheme(), "http" | "https"));
        self.links.extend(url);
    }

    fn add_text(&mut self, text: &str) {
        let text = truncate(text.trim(), TEXT_BYTES_MAX);
        if !text.is_empty() && self.texts.len() < TEXTS_MAX {
            self.texts.push(text.to_owned());
        }
    }
}

/// Returns whether a JSON string is a URL: absolute, or rooted, or relative in a field for URLs.
fn is_url(text: &str, is_url_field: bool) -> bool {
    if text.is_empty()
        || text.contains(|c: char| c.is_whitespace() || c.is_control() || matches!(c, '<' | '>' | '"' | '{' | '}'))
    {
        return false;
    }
    let is_absolute = text.starts_with("http://") || text.starts_with("https://");
    let host = text.strip_prefix("//");
    let is_rooted = text.starts_with('/') && text.len() > 1 && host.is_none_or(|host| host.contains('.'));
    let scheme = text.split(['/', '?', '#']).next().unwrap_or_default();
    let is_relative = is_url_field && !scheme.contains(':') && text.contains(['/', '.', '?']);
    is_absolute || is_rooted || is_relative
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scan(body: &str) -> (Vec<String>, Vec<String>) {
        let content = scan_answer(body.as_bytes(), &Url::parse("https://h.example/a/b").unwrap());
        (content.links.iter().map(|url| url.path().to_owned()).collect(), content.texts)
    }

    #[test]
    fn html_has_links_and_texts() {
        let (links, texts) = scan(
            "<p>x &amp; y<a href=' c?d#e '>t</a><a href='#f'><a href='javascript:x'><a href=/r><script>no</script>",
        );
        assert_eq!(links, ["/a/c", "/r"]);
        assert_eq!(texts, ["x & y", "t"]);
    }

    #[test]
    fn json_has_urls_html_and_texts() {
        let body = r#"{"html":"<a href=\"/1\">one</a>","list":[{"page_url":"p/2","more":[["https://x.example/3"]]}],
            "path":"/4","title":"a/b 5","date":"12/24/2026","slug":"x.y","n":6,"url":"mailto:a@b.c","src":"no words","v":"1 < 2"}"#;
        let (links, texts) = scan(body);
        let mut links = links;
        links.sort();
        assert_eq!(links, ["/1", "/3", "/4", "/a/p/2"]);
        let mut texts = texts;
        texts.sort();
        assert_eq!(texts, ["1 < 2", "12/24/2026", "a/b 5", "mailto:a@b.c", "no words", "one", "x.y"]);
    }
}
