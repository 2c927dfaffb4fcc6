//! `harvestman export wacz`, as a reader of ZIP files sees it.

use std::fs::{self, File};
use std::io::Read as _;
use std::path::Path;

use serde_json::Value;
use zip::ZipArchive;

use super::{crawled, export, index, stderr, succeed, warcs};

fn open(path: &Path) -> ZipArchive<File> {
    ZipArchive::new(File::open(path).unwrap()).unwrap()
}

fn read(zip: &mut ZipArchive<File>, name: &str) -> Vec<u8> {
    let mut bytes = Vec::new();
    zip.by_name(name).unwrap().read_to_end(&mut bytes).unwrap();
    bytes
}

fn text(zip: &mut ZipArchive<File>, name: &str) -> String {
    String::from_utf8(read(zip, name)).unwrap()
}

/// The lines of the index.
fn lines(zip: &mut ZipArchive<File>) -> String {
    let mut text = String::new();
    flate2::read::MultiGzDecoder::new(&read(zip, "indexes/index.cdx.gz")[..]).read_to_string(&mut text).unwrap();
    text
}

/// The pages of the list, without its head.
fn pages(zip: &mut ZipArchive<File>) -> Vec<Value> {
    text(zip, "pages/pages.jsonl").lines().skip(1).map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn a_crawl_becomes_one_file_with_its_archives_index_and_pages() {
    for name in ["gzip", "plain"] {
        let directory = crawled(name);
        let out = directory.with_extension("wacz");
        let made =
            succeed(export("wacz", &directory, &["--force", "--text", "--title", "T", "--out", out.to_str().unwrap()]));
        assert!(stderr(&made).contains(" captures of "), "{}", stderr(&made));
        let mut zip = open(&out);
        assert_eq!(lines(&mut zip), index(&directory, &[]));
        let files = warcs(&directory);
        assert_eq!(zip.file_names().filter(|entry| entry.starts_with("archive/")).count(), files.len());
        for file in files {
            let entry = format!("archive/{}", file.file_name().unwrap().to_str().unwrap());
            assert_eq!(read(&mut zip, &entry), fs::read(file).unwrap(), "{entry}");
        }
        let manifest: Value = serde_json::from_str(&text(&mut zip, "datapackage.json")).unwrap();
        assert_eq!((&manifest["title"], &manifest["profile"]), (&"T".into(), &"data-package".into()));
        let pages = pages(&mut zip);
        assert_eq!(pages[0]["url"], manifest["mainPageUrl"]);
        // Each page of the log is in the list, with the title that the log has.
        let log = fs::read_to_string(directory.join("pages.jsonl")).unwrap();
        let logged = log.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
        let titled: Vec<Value> = logged.filter(|line| line["fate"] == "fetched" && line["title"].is_string()).collect();
        for line in &titled {
            let same = |page: &&Value| page["url"] == line["url"] && page["title"] == line["title"];
            let page = pages.iter().find(same).unwrap_or_else(|| panic!("{line} is not in the list"));
            assert!(page["text"].as_str().is_some_and(|text| !text.is_empty()), "{page}");
        }
        assert!(titled.len() > 50, "only {} pages have a title", titled.len());
    }
}

#[test]
fn the_words_of_pages_are_left_out_unless_they_are_wanted() {
    let (directory, dir) = (crawled("gzip"), tempfile::tempdir().unwrap());
    let out = dir.path().join("x.wacz");
    succeed(export("wacz", &directory, &["--out", out.to_str().unwrap(), "--quiet"]));
    assert!(pages(&mut open(&out)).iter().all(|page| page.get("text").is_none()));
}

#[test]
fn a_torn_file_is_copied_up_to_the_damage() {
    let (whole, dir) = (crawled("gzip"), tempfile::tempdir().unwrap());
    let bytes = fs::read(&warcs(&whole)[1]).unwrap();
    // Within the head of a record: half of the file may end where a record does.
    let start = bytes[..bytes.len() / 2].windows(3).rposition(|head| head == [0x1f, 0x8b, 8]).unwrap();
    let (torn, out) = (dir.path().join("torn.warc.gz"), dir.path().join("torn.wacz"));
    fs::write(&torn, &bytes[..start + 5]).unwrap();
    let made = export("wacz", &torn, &["--out", out.to_str().unwrap()]);
    let said = stderr(&made);
    assert_eq!(made.status.code(), Some(1), "{said}");
    assert!(said.contains("1 file could not be exported completely; the readable part is exported"), "{said}");
    let mut zip = open(&out);
    assert_eq!(read(&mut zip, "archive/torn.warc.gz"), &bytes[..start]);
    assert!(!lines(&mut zip).is_empty() && !pages(&mut zip).is_empty());
}

#[test]
fn a_mistake_leaves_no_file() {
    let dir = tempfile::tempdir().unwrap();
    let at = |name: &str| dir.path().join(name);
    fs::write(at("text.warc"), "no WARC file").unwrap();
    let out = at("x.wacz").display().to_string();
    for (input, more, code, part) in [
        (at("missing.warc"), &["--out", &out][..], 2, "does not exist"),
        (at("text.warc"), &["--out", &out], 1, "nothing to replay"),
        (at("text.warc"), &["--out", "-"], 2, "ends in .wacz"),
        (at("text.warc"), &[], 2, "--out FILE.wacz"),
        (dir.path().to_owned(), &["--out", "/nonexistent/x.wacz"], 2, "cannot write"),
    ] {
        let refused = export("wacz", &input, more);
        let said = stderr(&refused);
        assert!(refused.status.code() == Some(code) && said.contains(part), "{}: {said}", input.display());
    }
    assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 1);
}
