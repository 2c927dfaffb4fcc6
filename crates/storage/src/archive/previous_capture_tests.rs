//! Tests of records of pages that were visited before.

use std::sync::Arc;

use super::tests::{answer, encoder, exchange, item, read_back};
use super::*;
use harvestman_core::config::ByteSize;
use harvestman_core::config::archive::ArchiveOptions;
use harvestman_core::model::{Answer, Signal, StatementRecord};

const URL: &str = "http://h/page";

/// Encodes a first and a second visit.
fn visits(options: &ArchiveOptions, first: Answer, second: Answer) -> [EncodedPage; 2] {
    let index = Arc::new(RevisitIndex::new(ByteSize(0)));
    let mut encoder = encoder(options, &index);
    let mut encode = |answer: Answer, earlier: Option<&PreviousCapture>| {
        encoder.encode_again(&exchange(URL, Ok(answer)), &item(URL), &PageFacts::default(), earlier).unwrap()
    };
    let first = encode(first, None);
    let earlier = first.held_by.clone().map(|original| PreviousCapture { payload: first.payload_digest, original });
    let second = encode(second, earlier.as_ref());
    [first, second]
}

fn not_modified() -> Answer {
    Answer { status: 304, ..answer(&[("etag", b"\"1\"")], "") }
}

#[test]
fn a_304_becomes_a_revisit_record_that_a_replayer_shows_as_the_original() {
    let [first, second] = visits(&ArchiveOptions::default(), answer(&[], "page"), not_modified());
    let (original, revisit) = (&read_back(&first.bytes)[0], &read_back(&second.bytes)[0]);
    assert_eq!((original.record_type.as_str(), revisit.record_type.as_str()), ("response", "revisit"));
    assert!(revisit.get("WARC-Profile").unwrap().ends_with("/revisit/server-not-modified"));
    assert_eq!(revisit.get("WARC-Refers-To"), original.get("WARC-Record-ID"));
    assert_eq!(revisit.get("WARC-Refers-To-Target-URI"), Some(URL));
    assert_eq!(revisit.get("WARC-Refers-To-Date"), original.get("WARC-Date"));
    assert_eq!(revisit.get("WARC-Payload-Digest"), original.get("WARC-Payload-Digest"));
    assert_eq!((revisit.get("WARC-Truncated"), revisit.block.as_slice()), (None, &b""[..]));
    // The third visit will refer to the first record too, which has the payload.
    assert_eq!(second.held_by, first.held_by);
    assert_eq!(second.payload_digest, first.payload_digest);
}

#[test]
fn the_same_payload_of_any_length_becomes_a_revisit_record_and_another_one_does_not() {
    let [first, second] = visits(&ArchiveOptions::default(), answer(&[], "page"), answer(&[], "page"));
    assert!(!first.revisit && second.revisit && second.held_by == first.held_by);
    let revisit = &read_back(&second.bytes)[0];
    assert!(revisit.get("WARC-Profile").unwrap().ends_with("/revisit/identical-payload-digest"));
    let [first, second] = visits(&ArchiveOptions::default(), answer(&[], "page"), answer(&[], "other"));
    assert!(!second.revisit && second.held_by != first.held_by);
}

#[test]
fn without_revisits_or_an_archived_payload_records_are_responses() {
    let options = ArchiveOptions { revisits: false, ..ArchiveOptions::default() };
    let [_, second] = visits(&options, answer(&[], "page"), answer(&[], "page"));
    assert!(!second.revisit);
    // A page without a body has no payload to refer to, so a 304 is archived as a response.
    let [first, second] = visits(&ArchiveOptions::default(), answer(&[], ""), not_modified());
    assert!(first.held_by.is_none() && !second.revisit);
}

#[test]
fn an_answer_that_is_not_kept_has_a_metadata_record_only() {
    let said = StatementRecord {
        signal: "noarchive".to_owned(),
        stated_in: "header".to_owned(),
        says: "a\r\nb".to_owned(),
        effect: Some("not_kept".to_owned()),
    };
    let facts = PageFacts { statements: &[said], not_kept: Some(Signal::Noarchive), ..PageFacts::default() };
    let index = Arc::new(RevisitIndex::new(ByteSize::mib(1)));
    let encode = |options: &ArchiveOptions, facts: &PageFacts<'_>| {
        let page = exchange("http://h/a", Ok(answer(&[], "x".repeat(5_000))));
        encoder(options, &index).encode(&page, &item("http://h/a"), facts)
    };
    let page = encode(&ArchiveOptions::default(), &facts).unwrap();
    assert!(page.is_unkept && page.original.is_none() && page.held_by.is_none());
    let records = read_back(&page.bytes);
    assert_eq!((records.len(), page.records, records[0].record_type.as_str()), (1, 1, "metadata"));
    assert_eq!((records[0].get("WARC-Target-URI"), records[0].get("WARC-Concurrent-To")), (Some("http://h/a"), None));
    let block = String::from_utf8(records[0].block.clone()).unwrap();
    assert!(
        block.ends_with("statement: noarchive; in=header; says=a b; effect=not_kept\r\nnotKept: noarchive\r\n"),
        "{block}"
    );
    let without = ArchiveOptions { metadata_records: false, ..ArchiveOptions::default() };
    assert_eq!(encode(&without, &facts), None);
    assert_eq!(encode(&without, &PageFacts::default()).unwrap().records, 2);
}
