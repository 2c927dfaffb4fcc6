//! A whole file, as a reader of ZIP files sees it.

use std::io::{Cursor, Read as _, Seek, SeekFrom, Write};

use jiff::Timestamp;
use serde_json::Value;
use zip::{CompressionMethod, ZipArchive};

use super::manifest::sha256;
use super::{WaczPage, WaczWriter};
use crate::archive::cdxj::LineSorter;

const CREATED: &str = "2026-01-02T03:04:06Z";

fn created() -> Timestamp {
    CREATED.parse().unwrap()
}

fn written() -> Vec<u8> {
    let mut writer = WaczWriter::new(Cursor::new(Vec::new()), created());
    writer.add_archive("a.warc.gz", &b"first, and a torn end"[..], 5).unwrap();
    writer.add_archive("b.warc", &b"second"[..], 6).unwrap();
    let mut lines = LineSorter::new(&std::env::temp_dir(), 1 << 10);
    lines.push(b"b)/ 2026 {}\n").unwrap();
    lines.push(b"a)/ 2026 {}\n").unwrap();
    writer.add_index(lines).unwrap();
    let page = WaczPage { url: "http://a/", time: created(), title: Some("A"), text: None };
    writer.add_pages(false, |list| list.add(&page)).unwrap();
    writer.finish(Some("Title")).unwrap().into_inner()
}

#[test]
fn the_manifest_lists_every_file_with_its_length_and_digest() {
    let mut zip = ZipArchive::new(Cursor::new(written())).unwrap();
    let names: Vec<String> = zip.file_names().map(str::to_owned).collect();
    let expected = [
        "archive/a.warc.gz",
        "archive/b.warc",
        "indexes/index.cdx.gz",
        "indexes/index.idx",
        "pages/pages.jsonl",
        "datapackage.json",
        "datapackage-digest.json",
    ];
    assert_eq!(names, expected);
    let mut read = |name: &str| {
        let mut bytes = Vec::new();
        zip.by_name(name).unwrap().read_to_end(&mut bytes).unwrap();
        bytes
    };
    let manifest: Value = serde_json::from_slice(&read("datapackage.json")).unwrap();
    for (resource, path) in manifest["resources"].as_array().unwrap().iter().zip(&expected[..5]) {
        let bytes = read(path);
        assert_eq!((&resource["path"], &resource["bytes"]), (&(*path).into(), &bytes.len().into()));
        assert_eq!(resource["hash"], sha256(&bytes), "{path}");
    }
    assert_eq!(manifest["resources"].as_array().unwrap().len(), 5);
    assert_eq!((&manifest["title"], &manifest["mainPageUrl"]), (&"Title".into(), &"http://a/".into()));
    assert_eq!(read("archive/a.warc.gz"), b"first", "the torn end is left out");
    let index = read("indexes/index.cdx.gz");
    let mut text = String::new();
    flate2::read::MultiGzDecoder::new(&index[..]).read_to_string(&mut text).unwrap();
    assert_eq!(text, "a)/ 2026 {}\nb)/ 2026 {}\n");
}

#[test]
fn archives_and_the_compressed_index_are_stored() {
    let mut zip = ZipArchive::new(Cursor::new(written())).unwrap();
    for place in 0..zip.len() {
        let file = zip.by_index(place).unwrap();
        let is_stored = file.compression() == CompressionMethod::Stored;
        assert_eq!(is_stored, file.name().starts_with("archive/") || file.name().ends_with(".gz"), "{}", file.name());
        assert_eq!(file.last_modified().map(|time| time.year()), Some(2026));
    }
}

#[test]
fn a_file_that_has_become_shorter_is_an_error() {
    let mut writer = WaczWriter::new(Cursor::new(Vec::new()), created());
    let error = writer.add_archive("a.warc", &b"abc"[..], 4).unwrap_err();
    assert!(error.to_string().contains("3 bytes instead of 4"), "{error}");
}

/// An output that keeps nothing but its length and what is written after a place.
#[derive(Default)]
struct Holes {
    position: u64,
    length: u64,
    from: u64,
    end: Vec<u8>,
}

impl Write for Holes {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        if self.position >= self.from {
            let at = (self.position - self.from) as usize;
            self.end.resize(self.end.len().max(at + bytes.len()), 0);
            self.end[at..at + bytes.len()].copy_from_slice(bytes);
        }
        self.position += bytes.len() as u64;
        self.length = self.length.max(self.position);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

impl Seek for Holes {
    fn seek(&mut self, to: SeekFrom) -> std::io::Result<u64> {
        self.position = match to {
            SeekFrom::Start(at) => at,
            SeekFrom::End(by) => self.length.saturating_add_signed(by),
            SeekFrom::Current(by) => self.position.saturating_add_signed(by),
        };
        Ok(self.position)
    }
}

#[test]
#[ignore = "hashes 4.3 GB: 5 s with optimisation, minutes without"]
fn an_archive_of_more_than_4_gib_has_zip64_fields() {
    let length = (1_u64 << 32) + 5;
    let mut writer = WaczWriter::new(Holes { from: 1 << 32, ..Holes::default() }, created());
    writer.add_archive("a.warc", std::io::repeat(7), length).unwrap();
    writer.add_archive("b.warc", &b"second"[..], 6).unwrap();
    let out = writer.finish(None).unwrap();
    assert!(out.length > length);
    let has = |bytes: &[u8]| out.end.windows(bytes.len()).any(|window| window == bytes);
    assert!(has(b"PK\x06\x06") && has(b"PK\x06\x07"), "the end of the directory in ZIP64");
    assert!(has(&length.to_le_bytes()), "the length in 64 bits");
}
