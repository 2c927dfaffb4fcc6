//! The list of pages: where a reader of an archive begins.

use std::io::{self, Write};

use jiff::Timestamp;
use serde::Serialize;

use super::entry::sha256;

/// Number of hexadecimal digits of an identifier.
const ID_DIGITS: usize = 32;

/// A page of the list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WaczPage<'a> {
    /// Its URL.
    pub url: &'a str,
    /// When it was fetched: the time of its capture in the index.
    pub time: Timestamp,
    /// Its title.
    pub title: Option<&'a str>,
    /// Its text, for searching.
    pub text: Option<&'a str>,
}

/// The first line of the list.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Head {
    format: &'static str,
    id: &'static str,
    title: &'static str,
    has_text: bool,
}

/// A line of the list.
#[derive(Serialize)]
struct Line<'a> {
    id: &'a str,
    url: &'a str,
    ts: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    title: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<&'a str>,
}

/// A page that a replay tool opens first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct MainPage {
    pub url: String,
    pub time: Timestamp,
}

/// Writes the list of pages, one JSON line per page.
pub struct PageList<'a> {
    out: &'a mut dyn Write,
    first: Option<MainPage>,
    pages: u64,
}

impl<'a> PageList<'a> {
    /// Begins a list, whose pages may have texts.
    pub(super) fn begin(out: &'a mut dyn Write, has_text: bool) -> io::Result<Self> {
        let head = Head { format: "json-pages-1.0", id: "pages", title: "All Pages", has_text };
        let mut list = Self { out, first: None, pages: 0 };
        list.write(&head)?;
        Ok(list)
    }

    /// Adds a page.
    ///
    /// # Errors
    /// The list cannot be written.
    pub fn add(&mut self, page: &WaczPage<'_>) -> io::Result<()> {
        if self.first.is_none() {
            self.first = Some(MainPage { url: page.url.to_owned(), time: page.time });
        }
        let ts = page.time.to_string();
        // The number tells captures of the same second apart, the rest pages of files that are shown together.
        let digest = sha256(format!("{} {ts} {}", self.pages, page.url).as_bytes());
        self.pages += 1;
        let id = &digest[digest.len() - 2 * ID_DIGITS..][..ID_DIGITS];
        self.write(&Line { id, url: page.url, ts, title: page.title, text: page.text })
    }

    /// Returns the first page.
    pub(super) fn into_first(self) -> Option<MainPage> {
        self.first
    }

    fn write(&mut self, line: &impl Serialize) -> io::Result<()> {
        serde_json::to_writer(&mut *self.out, line).map_err(io::Error::from)?;
        self.out.write_all(b"\n")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_has_a_head_and_a_line_per_page() {
        let mut out = Vec::new();
        let mut list = PageList::begin(&mut out, true).unwrap();
        let time = "2026-01-02T03:04:05.6Z".parse().unwrap();
        let page = WaczPage { url: "http://h/a", time, title: Some("A \"b\""), text: Some("x\ny") };
        list.add(&page).unwrap();
        list.add(&WaczPage { title: None, text: None, ..page }).unwrap();
        assert_eq!(list.into_first(), Some(MainPage { url: "http://h/a".to_owned(), time }));
        let text = String::from_utf8(out).unwrap();
        let lines: Vec<serde_json::Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        assert_eq!(lines[0]["format"], "json-pages-1.0");
        assert_eq!(lines[0]["hasText"], true);
        assert_eq!(lines[1]["ts"], "2026-01-02T03:04:05.6Z");
        assert_eq!((&lines[1]["title"], &lines[1]["text"]), (&"A \"b\"".into(), &"x\ny".into()));
        assert!(lines[2].get("title").is_none() && lines[2].get("text").is_none());
        assert_eq!(lines[1]["id"].as_str().unwrap().len(), ID_DIGITS);
        assert_ne!(lines[1]["id"], lines[2]["id"]);
    }
}
