//! The link export: one JSON line per page, with the links found on it.

use serde::ser::{SerializeMap, SerializeSeq, Serializer};
use serde::{Deserialize, Serialize};

use harvestman_core::model::Apath;

/// A link of the export.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ExportedLink<'a> {
    /// The canonical URL of its target.
    pub href: &'a str,
    /// Its Apath.
    pub apath: Apath,
    /// Whether it was new and accepted.
    pub new: bool,
    /// The reason if the policy or the filter refused it; `None` if it was accepted, known, or out of scope.
    pub refused: Option<&'a str>,
}

impl Serialize for ExportedLink<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("href", self.href)?;
        // As text, because most tools do not read JSON numbers above 2⁵³ exactly.
        map.serialize_entry("class", &format_args!("{:016x}", self.apath.0))?;
        if self.new {
            map.serialize_entry("new", &true)?;
        }
        if let Some(why) = self.refused {
            map.serialize_entry("refused", why)?;
        }
        map.end()
    }
}

/// Encodes the line `{url, links: [{href, class, new?, refused?}…]}` of one page, with its line break. Called on the
/// CPU worker, so that the writer only appends bytes.
pub fn links_line<'a>(url: &str, links: impl Iterator<Item = ExportedLink<'a>>) -> Vec<u8> {
    let mut line = Vec::new();
    write_line(url, links, &mut serde_json::Serializer::new(&mut line)).expect("a Vec takes every write");
    line.push(b'\n');
    line
}

fn write_line<'a, S: Serializer>(
    url: &str,
    links: impl Iterator<Item = ExportedLink<'a>>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    let mut map = serializer.serialize_map(Some(2))?;
    map.serialize_entry("url", url)?;
    map.serialize_entry("links", &Sequence(std::cell::RefCell::new(links)))?;
    map.end()
}

/// Serialises an iterator as a JSON array without collecting it first.
struct Sequence<I>(std::cell::RefCell<I>);

impl<I: Iterator<Item: Serialize>> Serialize for Sequence<I> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut sequence = serializer.serialize_seq(None)?;
        for item in &mut *self.0.borrow_mut() {
            sequence.serialize_element(&item)?;
        }
        sequence.end()
    }
}

/// A parsed line of the link export.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct LinksLine {
    /// The canonical URL of the page.
    pub url: String,
    /// The links found on it.
    pub links: Vec<ParsedLink>,
}

/// A parsed [`ExportedLink`].
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct ParsedLink {
    /// The URL of its target.
    pub href: String,
    /// Its Apath as 16 hexadecimal digits.
    pub class: String,
    /// Whether it was new and accepted.
    #[serde(default)]
    pub new: bool,
    /// Why it was refused.
    #[serde(default)]
    pub refused: Option<String>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_is_one_line_with_all_its_links() {
        let links = [
            ExportedLink { href: "http://h/a\"b\n", apath: Apath(u64::MAX), new: true, refused: None },
            ExportedLink { href: "http://h/b", apath: Apath(1), new: false, refused: Some("no_edge") },
        ];
        let line = links_line("http://h/", links.into_iter());
        assert_eq!(line.iter().filter(|byte| **byte == b'\n').count(), 1);
        let value: serde_json::Value = serde_json::from_slice(&line).unwrap();
        let expected = serde_json::json!({"url": "http://h/", "links": [
            {"href": "http://h/a\"b\n", "class": "ffffffffffffffff", "new": true},
            {"href": "http://h/b", "class": "0000000000000001", "refused": "no_edge"},
        ]});
        assert_eq!(value, expected);
        assert_eq!(links_line("u", std::iter::empty()), b"{\"url\":\"u\",\"links\":[]}\n");
    }
}
