//! The manifest of a WACZ file, `datapackage.json`, after Frictionless Data Package, and its digest.

use std::collections::HashSet;

use jiff::Timestamp;
use serde::Serialize;

use super::entry::sha256;
use super::page::MainPage;

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
