//! Reads archives with other tools (warcio, pywb, gzip), and writes one on a full disk.
//!
//! The tests with warcio and pywb need a Python with both, given by `HARVESTMAN_PYTHON`. Without it they report that
//! they are skipped, or fail if `HARVESTMAN_REQUIRE_PYTHON=1`.

#![expect(clippy::unwrap_used, reason = "the helpers of a test fail as the test does")]

use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

use bytes::Bytes;
use harvestman::archive::reader::{DigestCheck, Limits, WarcReader};
use harvestman::archive::{
    Archive, CrawlInfo, EncodedPage, Error, OPEN_SUFFIX, PageFacts, RecordEncoder, RevisitIndex, RunId, WARC_DIRECTORY,
    repair_all,
};
use harvestman::clock::Instant;
use harvestman::config::ByteSize;
use harvestman::config::archive::ArchiveOptions;
use harvestman::model::{Answer, Apath, Exchange, LinkClass, Priority, ScheduledUrl, Timings, Truncation};
use harvestman::seed::Seed;
use harvestman::url::CanonicalUrl;
use http::{HeaderMap, HeaderName, HeaderValue, Version};

const START: Instant = Instant::from_micros(1_800_000_000_000_000);

/// A response of a server.
struct Page {
    url: &'static str,
    status: u16,
    version: Version,
    headers: Vec<(&'static str, String)>,
    body: Vec<u8>,
    truncated: Option<Truncation>,
}

fn page(url: &'static str, body: impl Into<Vec<u8>>) -> Page {
    let headers = vec![("content-type", "text/html; charset=utf-8".to_owned())];
    Page { url, status: 200, version: Version::HTTP_11, headers, body: body.into(), truncated: None }
}

impl Page {
    fn with(mut self, name: &'static str, value: impl Into<String>) -> Self {
        self.headers.push((name, value.into()));
        self
    }
}

fn gzipped(text: &str) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    encoder.write_all(text.as_bytes()).unwrap();
    encoder.finish().unwrap()
}

/// Returns incompressible bytes that contain every byte value.
fn binary(length: usize) -> Vec<u8> {
    use rand::RngCore;
    let mut bytes = vec![0; length];
    Seed(3).rng().fill_bytes(&mut bytes);
    bytes
}

/// Returns one page of every kind that an archive must preserve.
fn all_kinds() -> Vec<Page> {
    let text = "<html><title>Forum</title><p>A page with some text.</p></html>\n".repeat(60);
    vec![
        page("http://site.test/plain", text.clone()).with("content-length", text.len().to_string()),
        page("http://site.test/same", text.clone()).with("content-length", text.len().to_string()),
        page("http://site.test/gzip", gzipped(&text)).with("content-encoding", "gzip"),
        page("http://site.test/gzip-same", gzipped(&text)).with("content-encoding", "gzip"),
        page("http://site.test/identity", binary(3000)).with("content-encoding", "identity"),
        page("http://site.test/chunked", text.replace("Forum", "Chunked")).with("transfer-encoding", "chunked"),
        page("http://site.test/empty", "").with("content-length", "0"),
        page("http://site.test/binary", binary(5 << 20)).with("x-kind", "binary"),
        Page { truncated: Some(Truncation::Length), ..page("http://site.test/cut", text[..3000].to_owned()) }
            .with("content-length", text.len().to_string()),
        Page { status: 404, ..page("http://site.test/missing", "<p>Not here") },
        Page { status: 302, ..page("http://site.test/moved", "moved") }.with("location", "http://site.test/plain"),
        Page { version: Version::HTTP_2, ..page("https://site.test/h2?q=a%20b&c=d", "<p>HTTP/2") },
        page("http://site.test/caf%C3%A9?x=1%2F2;y", "<p>odd characters").with("x-odd", "tab\tand \u{e9}"),
    ]
}

fn exchange(page: &Page, started: Instant) -> Exchange {
    let mut headers = HeaderMap::new();
    for (name, value) in &page.headers {
        headers.append(HeaderName::from_static(name), HeaderValue::from_bytes(value.as_bytes()).unwrap());
    }
    let mut request_headers = HeaderMap::new();
    request_headers.insert("user-agent", HeaderValue::from_static("harvestman-test"));
    let answer = Answer {
        status: page.status,
        version: page.version,
        headers,
        body: Bytes::from(page.body.clone()),
        truncated: page.truncated,
        remote: Some([127, 0, 0, 1].into()),
        reservation: None,
    };
    let timings = Timings { started, first_byte: Some(started), ended: started };
    Exchange {
        url: CanonicalUrl::from_canonical(page.url),
        request_headers,
        signature: Default::default(),
        result: Ok(answer),
        timings,
    }
}

fn scheduled(url: &str) -> ScheduledUrl {
    ScheduledUrl {
        url: CanonicalUrl::from_canonical(url),
        class: LinkClass::unclassified(Apath::SEED),
        priority: Priority::Normal,
        depth: 2,
        redirects: 0,
        attempts: 1,
        via: Some(Arc::from("http://site.test/")),
    }
}

/// Returns the defaults except for the length of bodies that become revisits, because the compressed page is short.
fn run_id() -> RunId {
    RunId::new(Seed(1), START)
}

fn create(directory: &Path, options: &ArchiveOptions) -> Archive {
    let info = CrawlInfo {
        robots: "obeyed".to_owned(),
        operator: Some("tester@site.test".to_owned()),
        user_agent: Some("harvestman-test".to_owned()),
        ..CrawlInfo::default()
    };
    Archive::create(directory, options, &info, run_id(), START).unwrap()
}

/// Writes `pages`, one second apart, and the expected output of pywb. Returns the number of revisits.
fn write_archive(directory: &Path, options: &ArchiveOptions, pages: &[Page]) -> usize {
    let index = Arc::new(RevisitIndex::new(ByteSize::mib(1)));
    let mut encoder = RecordEncoder::new(options, run_id().ids(0), index.clone()).revisiting_from(50);
    let mut archive = create(directory, options);
    let expected = directory.join("expected");
    std::fs::create_dir(&expected).unwrap();
    let mut lines = String::new();
    let mut revisits = 0;
    for (number, page) in pages.iter().enumerate() {
        let started = START + std::time::Duration::from_millis(1_001 * number as u64);
        let facts = PageFacts { title: Some("Forum\r\nX: y"), links: Some(3), ..PageFacts::default() };
        let encoded = encoder.encode(&exchange(page, started), &scheduled(page.url), &facts).unwrap();
        archive.append(&encoded, started).unwrap();
        revisits += usize::from(encoded.revisit);
        if let Some(original) = encoded.original {
            index.register(&encoded.payload_digest, &original);
        }
        std::fs::write(expected.join(number.to_string()), &page.body).unwrap();
        let time = started.timestamp().strftime("%Y%m%d%H%M%S").to_string();
        let body = number.to_string();
        let line = serde_json::json!({"url": page.url, "status": page.status, "body": body, "time": time});
        lines.push_str(&format!("{line}\n"));
    }
    std::fs::write(expected.join("expected.jsonl"), lines).unwrap();
    archive.finish().unwrap();
    revisits
}

fn warc_files(directory: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(directory.join(WARC_DIRECTORY)).unwrap();
    let mut paths: Vec<_> = entries.map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    paths
}

/// Reports a skipped test, bypassing the test harness, which hides the output of passing tests.
fn skipped(what: &str) {
    std::io::stderr().write_all(format!("SKIPPED {what}\n").as_bytes()).unwrap();
}

/// Returns the Python with warcio and pywb; `None`, with a report, if there is none.
fn python(test: &str) -> Option<PathBuf> {
    let python = std::env::var_os("HARVESTMAN_PYTHON").map(PathBuf::from);
    if python.is_none() {
        let required = std::env::var("HARVESTMAN_REQUIRE_PYTHON").is_ok_and(|value| value == "1");
        assert!(!required, "{test}: HARVESTMAN_PYTHON is not set, and HARVESTMAN_REQUIRE_PYTHON=1");
        skipped(&format!("{test}: set HARVESTMAN_PYTHON to a Python that has warcio and pywb"));
    }
    python
}

fn succeeds(command: &mut Command) -> String {
    let output = command.output().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    let text = String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{command:?}: {text}");
    text
}

#[test]
fn every_kind_of_page_can_be_read_back_and_gzip_reports_no_error() {
    let directory = tempfile::tempdir().unwrap();
    let pages = all_kinds();
    assert_eq!(write_archive(directory.path(), &ArchiveOptions::default(), &pages), 2);
    let files = warc_files(directory.path());
    assert_eq!(files.len(), 1);
    succeeds(Command::new("gzip").arg("-t").args(&files));
    let mut reader = WarcReader::new(std::fs::File::open(&files[0]).unwrap(), Limits::default());
    let (mut records, mut bodies) = (0, Vec::new());
    while let Some(mut record) = reader.next_record().unwrap() {
        records += 1;
        if record.record_type() == "response" {
            let mut block = Vec::new();
            record.read_block(&mut block, u64::MAX).unwrap();
            let head = block.windows(4).position(|four| four == b"\r\n\r\n").unwrap();
            bodies.push((record.target_uri().unwrap().to_owned(), block.split_off(head + 4)));
        }
        let end = record.end().unwrap();
        assert!(end.member_ended && end.line_breaks, "each record is a member of its own");
    }
    assert_eq!((records, bodies.len()), (1 + 3 * pages.len(), pages.len() - 2));
    for (url, body) in bodies {
        let page = pages.iter().find(|page| page.url == url).unwrap();
        assert!(page.body == body, "{url}");
    }
}

#[test]
fn warcio_finds_no_fault() {
    let Some(python) = python("warcio_finds_no_fault") else { return };
    for compress in [true, false] {
        let directory = tempfile::tempdir().unwrap();
        let options = ArchiveOptions { compress, ..ArchiveOptions::default() };
        let pages = all_kinds();
        let revisits = write_archive(directory.path(), &options, &pages);
        let check = ["-c", "from warcio.cli import main; main()", "check", "-v"];
        let report = succeeds(Command::new(&python).args(check).args(warc_files(directory.path())));
        assert!(!report.contains("failed"), "{report}");
        // warcio does not check digests of revisit records.
        assert_eq!(report.matches("digest pass").count(), 1 + 3 * pages.len() - revisits, "{report}");
    }
}

#[test]
fn pywb_replays_every_page_byte_for_byte() {
    let Some(python) = python("pywb_brings_every_page_back_byte_for_byte") else { return };
    let directory = tempfile::tempdir().unwrap();
    assert_eq!(write_archive(directory.path(), &ArchiveOptions::default(), &all_kinds()), 2);
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/e2e/pywb_replay.py");
    let (warcs, expected) = (directory.path().join(WARC_DIRECTORY), directory.path().join("expected"));
    let report = succeeds(Command::new(python).arg(script).arg(warcs).arg(expected));
    assert!(report.contains("13 of 13 pages"), "{report}");
}

const FULL_DISK: &str = "HARVESTMAN_TEST_FULL_DISK";

/// Helper process: fills an archive until it reaches the file size limit set by its parent.
#[test]
fn fill_the_disk() {
    let Some(directory) = std::env::var_os(FULL_DISK).map(PathBuf::from) else { return };
    let options = ArchiveOptions { level: 0, ..ArchiveOptions::default() };
    let index = Arc::new(RevisitIndex::new(ByteSize(0)));
    let mut encoder = RecordEncoder::new(&options, run_id().ids(0), index);
    let mut archive = create(&directory, &options);
    let page = page("http://site.test/", binary(5_000));
    let encoded: EncodedPage =
        encoder.encode(&exchange(&page, START), &scheduled(page.url), &PageFacts::default()).unwrap();
    let error = (0..1000).find_map(|_| archive.append(&encoded, START).err()).expect("the disk is full");
    assert!(matches!(error, Error::DiskFull { .. }), "{error:?}");
    assert!(error.to_string().contains(OPEN_SUFFIX) && error.to_string().contains("free some space"), "{error}");
    archive.finish().unwrap();
}

#[cfg(unix)]
#[test]
fn a_full_disk_leaves_a_valid_archive_and_a_clear_error() {
    let directory = tempfile::tempdir().unwrap();
    // Ignore the signal of the limit, so that the write fails as on a full disk.
    let command = "trap '' XFSZ; ulimit -f 64; exec \"$0\" --exact fill_the_disk --nocapture";
    let this = std::env::current_exe().unwrap();
    succeeds(Command::new("sh").args(["-c", command]).arg(this).env(FULL_DISK, directory.path()));
    let files = warc_files(directory.path());
    assert_eq!(files.len(), 1);
    assert!(!files[0].to_string_lossy().ends_with(OPEN_SUFFIX));
    succeeds(Command::new("gzip").arg("-t").args(&files));
    let mut reader = WarcReader::new(std::fs::File::open(&files[0]).unwrap(), Limits::default());
    let mut records = 0;
    while let Some(mut record) = reader.next_record().unwrap() {
        assert_eq!(record.verify().unwrap().block, DigestCheck::Right);
        records += 1;
    }
    assert!(records > 3 && records % 3 == 1, "a warcinfo and whole pages, not {records} records");
}

#[test]
fn a_killed_crawl_is_repaired_and_continues_in_a_new_file() {
    let directory = tempfile::tempdir().unwrap();
    let options = ArchiveOptions::default();
    let index = Arc::new(RevisitIndex::new(ByteSize(0)));
    let mut encoder = RecordEncoder::new(&options, run_id().ids(0), index);
    let page = page("http://site.test/", "<p>page");
    let encoded = encoder.encode(&exchange(&page, START), &scheduled(page.url), &PageFacts::default()).unwrap();
    let mut killed = create(directory.path(), &options);
    killed.append(&encoded, START).unwrap();
    drop(killed);
    let torn = warc_files(directory.path()).remove(0);
    std::fs::OpenOptions::new().append(true).open(&torn).unwrap().write_all(&encoded.bytes[..20]).unwrap();
    let repaired = repair_all(directory.path()).unwrap();
    assert_eq!((repaired.len(), repaired[0].records, repaired[0].cut_bytes), (1, 4, 20));
    let mut resumed = create(directory.path(), &ArchiveOptions { file_size_max: ByteSize(1), ..options });
    resumed.append(&encoded, START).unwrap();
    resumed.finish().unwrap();
    let files = warc_files(directory.path());
    assert_eq!(files.len(), 2);
    succeeds(Command::new("gzip").arg("-t").args(&files));
}

#[test]
fn the_archives_of_another_tool_are_read_and_their_digests_are_right() {
    let corpora =
        std::env::var_os("HARVESTMAN_CORPORA").map_or_else(|| PathBuf::from("../shared/corpora"), PathBuf::from);
    for name in ["spirit", "machina"] {
        let path = corpora.join(format!("{name}.warc.gz"));
        if !path.exists() {
            let required = std::env::var("HARVESTMAN_REQUIRE_CORPORA").is_ok_and(|value| value == "1");
            assert!(!required, "{} is missing, and HARVESTMAN_REQUIRE_CORPORA=1", path.display());
            skipped(&format!("reading {}: set HARVESTMAN_CORPORA", path.display()));
            continue;
        }
        let mut reader = WarcReader::new(std::fs::File::open(path).unwrap(), Limits::default());
        let mut responses = 0;
        while let Some(mut record) = reader.next_record().unwrap() {
            responses += usize::from(record.record_type() == "response");
            let verdict = record.verify().unwrap();
            assert!(
                verdict.block == DigestCheck::Right && verdict.payload != DigestCheck::Wrong,
                "record at {}",
                record.offset()
            );
        }
        assert_eq!(responses, labelled_pages(&corpora.join(format!("{name}.labels.csv.gz"))), "{name}");
    }
}

/// Returns the number of lines of the ground truth of a corpus, without its heading.
fn labelled_pages(path: &Path) -> usize {
    let mut text = String::new();
    flate2::read::MultiGzDecoder::new(std::fs::File::open(path).unwrap()).read_to_string(&mut text).unwrap();
    text.lines().count() - 1
}
