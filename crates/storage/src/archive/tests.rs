//! Tests of the archive as a whole: records survive a round trip for any bytes, and a file truncated anywhere is
//! repaired.

use std::io::Read;
use std::path::Path;
use std::sync::Arc;

use bytes::Bytes;
use http::{HeaderMap, HeaderName, HeaderValue, Version};
use proptest::prelude::*;

use super::reader::{DigestCheck, Limits, WarcReader};
use super::*;
use harvestman_core::clock::Instant;
use harvestman_core::config::ByteSize;
use harvestman_core::config::archive::{ArchiveOptions, DigestAlgorithm};
use harvestman_core::model::{
    Answer, Apath, Exchange, Failure, LinkClass, Priority, ScheduledUrl, Timings, Truncation,
};
use harvestman_core::seed::Seed;
use harvestman_core::url::CanonicalUrl;

const NOW: Instant = Instant::from_micros(1_800_000_000_123_456);

fn run() -> RunId {
    RunId::new(Seed(1), NOW)
}

pub(super) fn item(url: &str) -> ScheduledUrl {
    ScheduledUrl {
        url: CanonicalUrl::from_canonical(url),
        class: LinkClass::unclassified(Apath::SEED),
        priority: Priority::Normal,
        depth: 1,
        redirects: 0,
        attempts: 1,
        via: Some(Arc::from("http://h/")),
    }
}

pub(super) fn answer(headers: &[(&str, &[u8])], body: impl Into<Bytes>) -> Answer {
    let mut map = HeaderMap::new();
    for (name, value) in headers {
        map.append(HeaderName::try_from(*name).unwrap(), HeaderValue::from_bytes(value).unwrap());
    }
    let remote = Some([127, 0, 0, 1].into());
    Answer {
        status: 200,
        version: Version::HTTP_11,
        headers: map,
        body: body.into(),
        truncated: None,
        remote,
        reservation: None,
    }
}

pub(super) fn exchange(url: &str, result: Result<Answer, Failure>) -> Exchange {
    let timings = Timings { started: NOW, first_byte: Some(NOW), ended: NOW };
    Exchange {
        url: CanonicalUrl::from_canonical(url),
        request_headers: HeaderMap::new(),
        signature: Default::default(),
        result,
        timings,
    }
}

pub(super) fn encoder(options: &ArchiveOptions, index: &Arc<RevisitIndex>) -> RecordEncoder {
    RecordEncoder::new(options, run().ids(0), index.clone())
}

fn encode(options: &ArchiveOptions, url: &str, answer: Answer) -> EncodedPage {
    let index = Arc::new(RevisitIndex::new(ByteSize::mib(1)));
    encoder(options, &index).encode(&exchange(url, Ok(answer)), &item(url), &PageFacts::default()).unwrap()
}

#[test]
fn what_a_browser_showed_is_a_resource_that_belongs_to_the_response() {
    let options = |rendered_records| ArchiveOptions { rendered_records, ..ArchiveOptions::default() };
    let encode = |rendered_records| {
        let facts = PageFacts { rendered: Some("<p>sh\u{f6}wn"), ..PageFacts::default() };
        let mut encoder = encoder(&options(rendered_records), &Arc::new(RevisitIndex::new(ByteSize::mib(1))));
        encoder
            .encode(&exchange("http://h.test/a", Ok(answer(&[], "plain"))), &item("http://h.test/a"), &facts)
            .unwrap()
    };
    let page = encode(true);
    let records = read_back(&page.bytes);
    assert_eq!((records.len(), page.records), (4, 4));
    let (response, shown) = (&records[0], &records[3]);
    assert_eq!((shown.record_type.as_str(), &*shown.block), ("resource", "<p>sh\u{f6}wn".as_bytes()));
    assert_eq!(shown.get("WARC-Target-URI"), Some("urn:dom:http://h.test/a"));
    assert_eq!(shown.get("WARC-Concurrent-To"), response.get("WARC-Record-ID"));
    assert_eq!(shown.get("Content-Type"), Some("text/html; charset=utf-8"));
    assert_eq!(read_back(&encode(false).bytes).len(), 3);
}

/// The type, fields and block of a record.
pub(super) struct ReadBack {
    pub record_type: String,
    fields: Vec<(String, String)>,
    pub block: Vec<u8>,
}

impl ReadBack {
    pub fn get(&self, name: &str) -> Option<&str> {
        self.fields.iter().find(|(field, _)| field == name).map(|(_, value)| value.as_str())
    }
}

pub(super) fn read_back(bytes: &[u8]) -> Vec<ReadBack> {
    let mut verified = WarcReader::new(bytes, Limits::default());
    while let Some(mut record) = verified.next_record().unwrap() {
        let verdict = record.verify().unwrap();
        assert_eq!(verdict.block, DigestCheck::Right);
        assert_ne!(verdict.payload, DigestCheck::Wrong);
        let end = record.end().unwrap();
        assert!(end.line_breaks && end.member_ended);
    }
    let mut reader = WarcReader::new(bytes, Limits::default());
    let mut records = Vec::new();
    while let Some(mut record) = reader.next_record().unwrap() {
        let fields = record.header().iter().map(|(n, v)| (n.to_owned(), v.to_owned())).collect();
        let record_type = record.record_type().to_owned();
        let mut block = Vec::new();
        record.read_block(&mut block, u64::MAX).unwrap();
        records.push(ReadBack { record_type, fields, block });
    }
    records
}

#[test]
fn an_exchange_becomes_response_request_and_metadata() {
    let page = encode(&ArchiveOptions::default(), "http://h/a?b", answer(&[("content-type", b"text/html")], "<p>"));
    let records = read_back(&page.bytes);
    let types: Vec<_> = records.iter().map(|r| r.record_type.as_str()).collect();
    assert_eq!(types, ["response", "request", "metadata"]);
    assert_eq!(page.records, 3);
    let response = &records[0];
    assert_eq!(response.block, b"HTTP/1.1 200 OK\r\ncontent-type: text/html\r\n\r\n<p>");
    assert_eq!(response.get("WARC-Date"), Some("2027-01-15T08:00:00.123456Z"));
    assert_eq!(response.get("WARC-Target-URI"), Some("http://h/a?b"));
    assert_eq!(response.get("WARC-IP-Address"), Some("127.0.0.1"));
    assert_eq!(response.get("WARC-Protocol"), Some("http/1.1"));
    assert_eq!(response.get("WARC-Payload-Digest"), Some(page.payload_digest.to_string().as_str()));
    for other in &records[1..] {
        assert_eq!(other.get("WARC-Concurrent-To"), response.get("WARC-Record-ID"));
        assert_ne!(other.get("WARC-Record-ID"), response.get("WARC-Record-ID"));
    }
    assert_eq!(records[1].block, b"GET /a?b HTTP/1.1\r\nhost: h\r\n\r\n");
    assert_eq!(records[2].block, b"via: http://h/\r\nhopsFromSeed: L\r\nfetchTimeMs: 0\r\n");
}

#[test]
fn a_fetch_without_an_answer_has_no_records() {
    let index = Arc::new(RevisitIndex::new(ByteSize::mib(1)));
    let failed = exchange("http://h/", Err(Failure::Dns));
    let encoded =
        encoder(&ArchiveOptions::default(), &index).encode(&failed, &item("http://h/"), &PageFacts::default());
    assert_eq!(encoded, None);
}

#[test]
fn truncation_is_recorded_and_truncated_bodies_are_excluded_from_revisits() {
    let cases = [
        (Truncation::Length, "length"),
        (Truncation::Time, "time"),
        (Truncation::Disconnect, "disconnect"),
        (Truncation::UnwantedType, "unspecified"),
    ];
    for (why, field) in cases {
        let page = encode(
            &ArchiveOptions::default(),
            "http://h/",
            Answer { truncated: Some(why), ..answer(&[("content-length", b"9999")], vec![b'x'; 5000]) },
        );
        let records = read_back(&page.bytes);
        assert_eq!(records[0].get("WARC-Truncated"), Some(field));
        assert!(records[0].block.starts_with(b"HTTP/1.1 200 OK\r\ncontent-length: 5000\r\n"));
        assert_eq!(page.original, None);
    }
}

#[test]
fn a_payload_becomes_a_revisit_only_after_the_first_record_was_written() {
    let options = ArchiveOptions::default();
    let index = Arc::new(RevisitIndex::new(ByteSize::mib(1)));
    let mut encoder = encoder(&options, &index);
    let mut fetch = |url: &str| {
        let exchange = exchange(url, Ok(answer(&[("content-length", b"2000")], vec![b'x'; 2000])));
        encoder.encode(&exchange, &item(url), &PageFacts::default()).unwrap()
    };
    let first = fetch("http://h/1");
    assert!(!fetch("http://h/2").revisit, "the first is not written yet");
    index.register(&first.payload_digest, first.original.as_ref().unwrap());
    let third = fetch("http://h/3");
    assert!(third.revisit && third.original.is_none());
    let (original, revisit) = (&read_back(&first.bytes)[0], &read_back(&third.bytes)[0]);
    assert_eq!(revisit.record_type, "revisit");
    assert_eq!(revisit.get("WARC-Refers-To"), original.get("WARC-Record-ID"));
    assert_eq!(revisit.get("WARC-Refers-To-Target-URI"), Some("http://h/1"));
    assert_eq!(revisit.get("WARC-Refers-To-Date"), original.get("WARC-Date"));
    assert_eq!(revisit.get("WARC-Payload-Digest"), original.get("WARC-Payload-Digest"));
    assert_eq!(revisit.block, b"HTTP/1.1 200 OK\r\ncontent-length: 2000\r\n\r\n");
}

#[test]
fn bodies_below_the_limit_are_always_written_as_responses() {
    let options = ArchiveOptions::default();
    let limit = 1_024;
    for (length, takes_part) in [(0, false), (limit - 1, false), (limit, true)] {
        let page = encode(&options, "http://h/", answer(&[], vec![b'x'; length]));
        assert_eq!(page.original.is_some(), takes_part, "{length} bytes");
    }
    let index = Arc::new(RevisitIndex::new(ByteSize::mib(1)));
    let empty = exchange("http://h/", Ok(answer(&[], "")));
    let page = encoder(&options, &index).revisiting_from(0).encode(&empty, &item("http://h/"), &PageFacts::default());
    assert_eq!(page.unwrap().original, None, "an empty body is never referred to");
}

fn create(directory: &Path, options: &ArchiveOptions) -> Archive {
    let info =
        CrawlInfo { robots: "obeyed".to_owned(), operator: Some("me\r\nWARC/1.1".to_owned()), ..Default::default() };
    Archive::create(directory, options, &info, run(), NOW).unwrap()
}

fn files(directory: &Path) -> Vec<String> {
    let names = std::fs::read_dir(directory.join(WARC_DIRECTORY)).unwrap();
    let mut names: Vec<_> = names.map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

#[test]
fn files_rotate_by_size_start_with_a_warcinfo_and_lose_the_suffix_when_finished() {
    let directory = tempfile::tempdir().unwrap();
    for (compress, suffix) in [(true, "warc.gz"), (false, "warc")] {
        let options = ArchiveOptions {
            compress,
            file_size_max: ByteSize(1),
            prefix: format!("p{compress}"),
            ..Default::default()
        };
        let mut archive = create(directory.path(), &options);
        let page = encode(&options, "http://h/", answer(&[], "body"));
        let positions: Vec<_> = (0..3).map(|_| archive.append(&page, NOW).unwrap()).collect();
        assert!(files(directory.path()).iter().any(|name| name.ends_with(OPEN_SUFFIX)));
        let written = archive.finish().unwrap();
        assert_eq!((written.files, written.records), (3, 12));
        for position in positions {
            assert!(position.file.ends_with(suffix), "{}", position.file);
            let bytes = std::fs::read(directory.path().join(&*position.file)).unwrap();
            assert_eq!(read_back(&bytes)[0].record_type, "warcinfo");
            let range = position.offset as usize..(position.offset + position.length) as usize;
            let records = read_back(&bytes[range]);
            assert_eq!((records.len(), records[0].record_type.as_str()), (1, "response"));
        }
    }
    let names = files(directory.path());
    assert_eq!(names[0], "pfalse-20270115080000-00003.warc", "the sequence continues across runs");
    assert!(names.iter().all(|name| !name.ends_with(OPEN_SUFFIX)));
}

#[test]
fn a_file_is_filled_up_to_its_limit_and_not_beyond() {
    let options = ArchiveOptions { compress: false, ..Default::default() };
    let page = encode(&options, "http://h/", answer(&[], "body"));
    let first = {
        let directory = tempfile::tempdir().unwrap();
        create(directory.path(), &options).append(&page, NOW).unwrap().offset
    };
    let two_pages = first + 2 * page.bytes.len() as u64;
    for (limit, files_made) in [(two_pages, 1), (two_pages - 1, 2)] {
        let directory = tempfile::tempdir().unwrap();
        let mut archive =
            create(directory.path(), &ArchiveOptions { file_size_max: ByteSize(limit), ..options.clone() });
        archive.append(&page, NOW).unwrap();
        archive.append(&page, NOW).unwrap();
        assert_eq!(archive.finish().unwrap().files, files_made);
    }
}

#[test]
fn invalid_settings_are_rejected() {
    let directory = tempfile::tempdir().unwrap();
    let bad = [
        ArchiveOptions { prefix: "../x".to_owned(), ..Default::default() },
        ArchiveOptions { prefix: String::new(), ..Default::default() },
        ArchiveOptions { prefix: ".hidden".to_owned(), ..Default::default() },
        ArchiveOptions { level: 13, ..Default::default() },
        ArchiveOptions { redact_request_headers: vec!["a b".to_owned()], ..Default::default() },
    ];
    for options in bad {
        let result = Archive::create(directory.path(), &options, &CrawlInfo::default(), run(), NOW);
        assert!(matches!(result.err().unwrap(), Error::Setting { .. }));
    }
    let best = ArchiveOptions { level: 12, ..Default::default() };
    assert!(Archive::create(directory.path(), &best, &CrawlInfo::default(), run(), NOW).is_ok());
}

#[test]
fn a_file_truncated_anywhere_is_repaired_to_exactly_its_complete_records() {
    for compress in [true, false] {
        let options = ArchiveOptions { compress, ..Default::default() };
        let directory = tempfile::tempdir().unwrap();
        let mut archive = create(directory.path(), &options);
        archive.append(&encode(&options, "http://h/", answer(&[], "body")), NOW).unwrap();
        drop(archive);
        let open = directory.path().join(WARC_DIRECTORY).join(&files(directory.path())[0]);
        let whole = std::fs::read(&open).unwrap();
        let ends = record_ends(&whole);
        assert_eq!(ends.len(), 4);
        for cut in 0..=whole.len() {
            let (records, length) = whole_before(&ends, cut as u64);
            assert_eq!(repair::whole_records(&whole[..cut]).unwrap(), (records, length), "cut at {cut}");
            assert_whole_gzip(&whole[..length as usize], compress);
        }
        // On disk, which is slow, only around the ends of records.
        let near = |cut: &u64| ends.iter().chain(&[0]).any(|end| cut.abs_diff(*end) <= 1);
        for cut in (0..=whole.len() as u64).filter(near) {
            std::fs::write(&open, &whole[..cut as usize]).unwrap();
            let repaired = repair(&open).unwrap();
            let (records, length) = whole_before(&ends, cut);
            assert_eq!((repaired.records, repaired.cut_bytes), (records, cut - length), "cut at {cut}");
            assert_eq!((repaired.path.is_some(), &repaired.kept), (records > 0, &None));
            assert!(!open.exists());
            if let Some(path) = repaired.path {
                assert_eq!(std::fs::read(&path).unwrap(), whole[..length as usize]);
                std::fs::remove_file(path).unwrap();
            }
        }
    }
}

/// Returns how many records end at or before `cut`, and the end of the last of them.
fn whole_before(ends: &[u64], cut: u64) -> (u64, u64) {
    let whole: Vec<_> = ends.iter().filter(|end| **end <= cut).collect();
    (whole.len() as u64, whole.last().map_or(0, |end| **end))
}

fn record_ends(bytes: &[u8]) -> Vec<u64> {
    let mut reader = WarcReader::new(bytes, Limits::default());
    let mut ends = Vec::new();
    while let Some(record) = reader.next_record().unwrap() {
        ends.push(record.end().unwrap().offset);
    }
    ends
}

/// Checks the same as `gzip -t`: every member is complete, and nothing follows the last one.
fn assert_whole_gzip(bytes: &[u8], compressed: bool) {
    if compressed && !bytes.is_empty() {
        flate2::read::MultiGzDecoder::new(bytes).read_to_end(&mut Vec::new()).unwrap();
    }
}

#[test]
fn complete_records_after_a_damaged_one_are_saved_to_a_separate_file() {
    for compress in [true, false] {
        let options = ArchiveOptions { compress, ..Default::default() };
        let directory = tempfile::tempdir().unwrap();
        let mut archive = create(directory.path(), &options);
        archive.append(&encode(&options, "http://h/", answer(&[], "body")), NOW).unwrap();
        drop(archive);
        let open = directory.path().join(WARC_DIRECTORY).join(&files(directory.path())[0]);
        let mut bytes = std::fs::read(&open).unwrap();
        let ends = record_ends(&bytes);
        bytes[ends[0] as usize..ends[0] as usize + 60].fill(0);
        std::fs::write(&open, &bytes).unwrap();
        let repaired = repair(&open).unwrap();
        assert_eq!((repaired.records, repaired.cut_bytes), (1, bytes.len() as u64 - ends[0]));
        assert_eq!(std::fs::read(repaired.path.unwrap()).unwrap(), bytes[..ends[0] as usize]);
        assert_eq!(std::fs::read(repaired.kept.unwrap()).unwrap(), bytes[ends[0] as usize..]);
    }
}

#[test]
fn repairing_a_finished_file_changes_nothing() {
    let directory = tempfile::tempdir().unwrap();
    let options = ArchiveOptions::default();
    let mut archive = create(directory.path(), &options);
    archive.append(&encode(&options, "http://h/", answer(&[], "body")), NOW).unwrap();
    archive.finish().unwrap();
    let path = directory.path().join(WARC_DIRECTORY).join(&files(directory.path())[0]);
    let before = std::fs::read(&path).unwrap();
    assert_eq!(repair(&path).unwrap(), RepairReport { path: Some(path.clone()), records: 4, cut_bytes: 0, kept: None });
    assert_eq!(std::fs::read(&path).unwrap(), before);
    assert_eq!(repair_all(directory.path()).unwrap(), []);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn any_encoded_exchange_survives_a_round_trip(
        url in ".{0,80}",
        headers in prop::collection::vec(("[a-zA-Z0-9-]{1,20}", prop::collection::vec(any::<u8>(), 0..60)), 0..8),
        body in prop::collection::vec(any::<u8>(), 0..3000),
        title in prop::option::of(".{0,40}"),
        status in any::<u16>(),
        compress in any::<bool>(),
        sha256 in any::<bool>(),
    ) {
        let mut map = HeaderMap::new();
        for (name, value) in &headers {
            if let (Ok(name), Ok(value)) = (HeaderName::try_from(name), HeaderValue::from_bytes(value)) {
                map.append(name, value);
            }
        }
        let digest = if sha256 { DigestAlgorithm::Sha256 } else { DigestAlgorithm::Sha1 };
        let options = ArchiveOptions { compress, digest, ..Default::default() };
        let url = format!("http://h/{url}");
        let answer = Answer { status, headers: map, ..answer(&[], body.clone()) };
        let facts = PageFacts { title: title.as_deref(), links: Some(3), ..PageFacts::default() };
        let index = Arc::new(RevisitIndex::new(ByteSize::mib(1)));
        let page = encoder(&options, &index).encode(&exchange(&url, Ok(answer)), &item(&url), &facts).unwrap();
        let records = read_back(&page.bytes);
        prop_assert_eq!(records.len(), 3);
        prop_assert!(records[0].block.ends_with(&body));
        let decoded = percent_encoding::percent_decode_str(records[0].get("WARC-Target-URI").unwrap());
        let original = percent_encoding::percent_decode_str(&url);
        prop_assert_eq!(decoded.collect::<Vec<_>>(), original.collect::<Vec<_>>());
        let first = read_back(&page.bytes[..page.response_length as usize]);
        prop_assert_eq!(first.len(), 1);
    }

    #[test]
    fn reading_any_bytes_terminates_within_bounds(
        bytes in prop::collection::vec(any::<u8>(), 0..2000),
        start in prop::sample::select(vec!["", "WARC/1.1\r\n", "WARC/1.1\r\nContent-Length: 5\r\n\r\n", "\x1f\u{8b}\u{8}"]),
    ) {
        let input: Vec<u8> = start.bytes().chain(bytes).collect();
        read_to_end(&input);
    }

    #[test]
    fn reading_a_damaged_file_terminates(position in any::<prop::sample::Index>(), bit in 0..8u8, compress in any::<bool>()) {
        let options = ArchiveOptions { compress, ..Default::default() };
        let mut bytes = encode(&options, "http://h/", answer(&[], "body")).bytes;
        let position = position.index(bytes.len());
        bytes[position] ^= 1 << bit;
        prop_assert!(read_to_end(&bytes) <= 3);
    }
}

/// Reads until the end or the first error, and returns the number of records.
fn read_to_end(input: &[u8]) -> usize {
    let mut reader = WarcReader::new(input, Limits { header_bytes_max: 500, block_bytes_max: 10_000 });
    let mut records = 0;
    loop {
        match reader.next_record() {
            Ok(Some(mut record)) => {
                let _ = record.verify();
                records += 1;
            }
            Ok(None) => return records,
            Err(_) => {
                assert!(reader.next_record().unwrap().is_none(), "no records follow an error");
                return records;
            }
        }
    }
}

#[test]
fn the_limits_of_the_reader_are_exact() {
    let header = "WARC/1.1\r\nContent-Length: 3\r\n\r\n";
    let input = format!("{header}abc\r\n\r\n");
    let read = |header_bytes_max, block_bytes_max| {
        let mut reader = WarcReader::new(input.as_bytes(), Limits { header_bytes_max, block_bytes_max });
        reader.next_record().map(|record| record.is_some())
    };
    assert!(read(header.len(), 3).unwrap());
    assert!(matches!(read(header.len() - 1, 3), Err(reader::WarcError::Broken { offset: 0, .. })));
    assert!(matches!(read(header.len(), 2), Err(reader::WarcError::Broken { offset: 0, .. })));
}

#[test]
fn files_of_other_tools_are_read() {
    let input = b"\r\nWARC/0.18\nWARC-Type: resource\ncontent-length:3\nX: a\n b\n\nabc\n\nWARC/1.0\r\nContent-Length: 0\r\n\r\n";
    let records = {
        let mut reader = WarcReader::new(&input[..], Limits::default());
        let mut found = Vec::new();
        while let Some(mut record) = reader.next_record().unwrap() {
            let mut block = Vec::new();
            record.read_block(&mut block, 100).unwrap();
            found.push((record.offset(), record.header().version().to_owned(), block));
        }
        found
    };
    let second = input.windows(8).rposition(|w| w == b"WARC/1.0").unwrap() as u64;
    assert_eq!(records, [(2, "WARC/0.18".to_owned(), b"abc".to_vec()), (second, "WARC/1.0".to_owned(), vec![])]);
}

#[test]
fn several_records_per_member_are_read_and_distinguished_from_one_per_member() {
    use std::io::Write;
    let record = b"WARC/1.1\r\nContent-Length: 1\r\n\r\nx\r\n\r\n";
    let mut member = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    member.write_all(&[&record[..], record].concat()).unwrap();
    let bytes = member.finish().unwrap();
    let mut reader = WarcReader::new(&bytes[..], Limits::default());
    let first = reader.next_record().unwrap().unwrap().end().unwrap();
    let second = reader.next_record().unwrap().unwrap().end().unwrap();
    assert_eq!((first.member_ended, second.member_ended), (false, true));
    assert!(reader.next_record().unwrap().is_none());
}
