//! The contents of a WACZ file: its files with their lengths and digests, the list of pages, where a reader begins, and
//! the manifest, `datapackage.json`, after Frictionless Data Package.

use std::collections::HashSet;
use std::io::{self, Seek, Write};

use data_encoding::HEXLOWER;
use jiff::Timestamp;
use serde::Serialize;
use sha2::{Digest as _, Sha256};
use zip::ZipWriter;

/// Returns a digest in the notation of a manifest.
pub(super) fn sha256(bytes: &[u8]) -> String {
    named(Sha256::digest(bytes).as_slice())
}

fn named(digest: &[u8]) -> String {
    format!("sha256:{}", HEXLOWER.encode(digest))
}

/// The contents of a file, as far as they are written.
pub(super) struct EntryWriter<'a, W: Write + Seek> {
    zip: &'a mut ZipWriter<W>,
    hasher: Sha256,
    bytes: u64,
}

impl<'a, W: Write + Seek> EntryWriter<'a, W> {
    /// Writes to the file that was started last.
    pub fn new(zip: &'a mut ZipWriter<W>) -> Self {
        Self { zip, hasher: Sha256::new(), bytes: 0 }
    }

    /// Returns the digest.
    pub fn digest(&self) -> String {
        named(self.hasher.clone().finalize().as_slice())
    }

    /// Returns the number of bytes.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }
}

impl<W: Write + Seek> Write for EntryWriter<'_, W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.zip.write(bytes)?;
        self.hasher.update(&bytes[..written]);
        self.bytes += written as u64;
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.zip.flush()
    }
}

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

/// File name of the manifest.
pub(super) const MANIFEST: &str = "datapackage.json";
/// File name of its digest.
pub(super) const DIGEST: &str = "datapackage-digest.json";
/// Version of the format.
const VERSION: &str = "1.1.1";

/// A file that the manifest lists.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(super) struct Resource {
    /// Unique in the manifest: lower-case letters, digits, `-`, `.`, `_`.
    name: String,
    path: String,
    hash: String,
    bytes: u64,
}

/// The files of a WACZ file in the order in which they were written.
#[derive(Debug, Default)]
pub(super) struct Resources {
    list: Vec<Resource>,
    names: HashSet<String>,
}

impl Resources {
    /// Adds a file.
    pub fn add(&mut self, path: String, hash: String, bytes: u64) {
        let is_plain = |char: char| char.is_ascii_lowercase() || char.is_ascii_digit() || "-._".contains(char);
        let plain = path.rsplit('/').next().unwrap_or_default().to_ascii_lowercase();
        let plain: String = plain.chars().map(|char| if is_plain(char) { char } else { '-' }).collect();
        let name = (0..).map(|number| if number == 0 { plain.clone() } else { format!("{number}-{plain}") });
        // One of more names than there are files is free.
        let name = name.take(self.names.len() + 1).find(|name| !self.names.contains(name)).unwrap_or_default();
        self.names.insert(name.clone());
        self.list.push(Resource { name, path, hash, bytes });
    }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Package<'a> {
    profile: &'static str,
    #[serde(rename = "wacz_version")]
    wacz_version: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    title: Option<&'a str>,
    created: String,
    software: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    main_page_url: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    main_page_date: Option<String>,
    resources: &'a [Resource],
}

/// What a manifest says of a file besides its contents.
pub(super) struct Description<'a> {
    pub title: Option<&'a str>,
    pub created: Timestamp,
    pub main_page: Option<&'a MainPage>,
}

/// Returns the text of the manifest.
pub(super) fn manifest(about: &Description<'_>, resources: &Resources) -> String {
    pretty(&Package {
        profile: "data-package",
        wacz_version: VERSION,
        title: about.title,
        created: seconds(about.created).to_string(),
        software: concat!("harvestman ", env!("CARGO_PKG_VERSION")),
        main_page_url: about.main_page.map(|page| page.url.as_str()),
        main_page_date: about.main_page.map(|page| page.time.to_string()),
        resources: &resources.list,
    })
}

/// Returns the text of the digest of a manifest.
pub(super) fn digest(manifest: &str) -> String {
    #[derive(Serialize)]
    struct Digest {
        path: &'static str,
        hash: String,
    }
    pretty(&Digest { path: MANIFEST, hash: sha256(manifest.as_bytes()) })
}

fn pretty(value: &impl Serialize) -> String {
    serde_json::to_string_pretty(value).expect("texts and numbers are JSON")
}

/// Drops the part of a second.
fn seconds(time: Timestamp) -> Timestamp {
    Timestamp::from_second(time.as_second()).unwrap_or(time)
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

    #[test]
    fn names_of_files_are_plain_and_unique() {
        let mut resources = Resources::default();
        for path in
            ["archive/A b.warc.gz", "archive/a-b.warc.gz", "archive/ä.warc", "archive/ö.warc", "pages/pages.jsonl"]
        {
            resources.add(path.to_owned(), String::new(), 0);
        }
        let names: Vec<&str> = resources.list.iter().map(|resource| resource.name.as_str()).collect();
        assert_eq!(names, ["a-b.warc.gz", "1-a-b.warc.gz", "-.warc", "1--.warc", "pages.jsonl"]);
        assert_eq!(resources.list[0].path, "archive/A b.warc.gz");
    }

    #[test]
    fn the_digest_is_that_of_the_manifest() {
        let created = "2026-01-02T03:04:05.678Z".parse().unwrap();
        let page = MainPage { url: "http://h/".to_owned(), time: created };
        let about = Description { title: Some("T"), created, main_page: Some(&page) };
        let mut resources = Resources::default();
        resources.add("pages/pages.jsonl".to_owned(), sha256(b""), 0);
        let text = manifest(&about, &resources);
        let read: serde_json::Value = serde_json::from_str(&text).unwrap();
        assert_eq!((&read["profile"], &read["wacz_version"]), (&"data-package".into(), &"1.1.1".into()));
        assert_eq!((&read["created"], &read["mainPageUrl"]), (&"2026-01-02T03:04:05Z".into(), &"http://h/".into()));
        let empty = "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
        assert_eq!((&read["resources"][0]["hash"], &read["resources"][0]["bytes"]), (&empty.into(), &0.into()));
        let digest: serde_json::Value = serde_json::from_str(&digest(&text)).unwrap();
        assert_eq!((&digest["path"], &digest["hash"]), (&MANIFEST.into(), &sha256(text.as_bytes()).into()));
    }
}
