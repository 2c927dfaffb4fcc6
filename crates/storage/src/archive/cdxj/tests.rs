use std::io::Write as _;

use proptest::prelude::*;

use super::*;

/// A record with additional fields and a block.
fn record(kind: &str, url: &str, fields: &[&str], block: &str) -> Vec<u8> {
    let mut text =
        format!("WARC/1.1\r\nWARC-Type: {kind}\r\nWARC-Target-URI: {url}\r\nWARC-Date: 2026-01-02T03:04:05Z\r\n");
    fields.iter().for_each(|field| text.push_str(&format!("{field}\r\n")));
    text.push_str(&format!("Content-Length: {}\r\n\r\n{block}\r\n\r\n", block.len()));
    text.into_bytes()
}

fn gzipped(bytes: &[u8]) -> Vec<u8> {
    let mut member = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    member.write_all(bytes).unwrap();
    member.finish().unwrap()
}

const OK: &str = "HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n\r\nbody";
const PAYLOAD: &str = "WARC-Payload-Digest: sha1:3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ";
/// SHA-1 of `body`.
const OF_BODY: &str = "AIED6RLZ4CFGCJBFYDA2C7XEPLOXQO4U";

fn lines_of(file: &[u8]) -> (Vec<String>, IndexReport) {
    let mut lines = Vec::new();
    let indexed = index(file, "a.warc", |line| {
        lines.push(String::from_utf8(line.to_vec()).expect("text"));
        Ok(())
    });
    (lines, indexed.expect("no error of the closure"))
}

/// The key and the fields of the only line.
fn only(file: &[u8]) -> (String, serde_json::Value) {
    let (lines, indexed) = lines_of(file);
    assert!(indexed.error.is_none() && lines.len() == 1, "{lines:?} {indexed:?}");
    let (key, fields) = lines[0].split_once(" {").expect("a key");
    (key.to_owned(), serde_json::from_str(&format!("{{{fields}")).expect("JSON"))
}

#[test]
fn a_response_becomes_a_line_with_all_fields_for_replayers() {
    let file = record("response", "http://www.h.test/A b", &[PAYLOAD], OK);
    let (lines, indexed) = lines_of(&file);
    let length = file.len() - 4;
    let expected = format!(
        "test,h)/a%20b 20260102030405 {{\"url\": \"http://www.h.test/A%20b\", \"mime\": \"text/html\", \"status\": \"200\", \
         \"digest\": \"3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ\", \"length\": \"{length}\", \"offset\": \"0\", \"filename\": \"a.warc\"}}\n"
    );
    assert_eq!((lines, indexed.records, indexed.lines), (vec![expected], 1, 1));
}

#[test]
fn the_fields_depend_on_the_record_type() {
    let uri = "http://h.test/";
    let (_, revisit) = only(&record("revisit", uri, &[PAYLOAD, "Content-Type: application/http"], OK));
    assert_eq!((&revisit["mime"], revisit.get("status")), (&"warc/revisit".into(), None));
    let (_, empty) = only(&record("revisit", uri, &[PAYLOAD], ""));
    assert_eq!(empty["mime"], "warc/revisit");
    let (_, resource) = only(&record("resource", uri, &["Content-Type: image/png"], "body"));
    assert_eq!((&resource["mime"], resource.get("status")), (&"image/png".into(), None));
    assert_eq!(resource["digest"], OF_BODY);
    let (key, dns) = only(&record("response", "dns:h.test", &["Content-Type: text/dns"], "body"));
    assert_eq!(
        (key.as_str(), &dns["mime"], &dns["status"]),
        ("dns:h.test 20260102030405", &"text/dns".into(), &"200".into())
    );
    let (_, own) = only(&record("response", uri, &[], OK));
    assert_eq!(own["digest"], OF_BODY, "a missing digest is computed");
    let (_, sha256) = only(&record("response", uri, &["WARC-Payload-Digest: sha256:ABC"], OK));
    assert_eq!(sha256["digest"], "sha256:ABC");
    let (_, typeless) = only(&record("response", uri, &[PAYLOAD], "HTTP/1.1 301 Gone\r\n\r\n"));
    assert_eq!((&typeless["mime"], &typeless["status"]), (&"unk".into(), &"301".into()));
    let more = ["WARC-Identified-Payload-Type: a/b", "WARC-JSON-Metadata: {\"a\":1}", PAYLOAD];
    let (_, more) = only(&record("response", uri, &more, OK));
    assert_eq!((&more["mime-detected"], &more["metadata"]), (&"a/b".into(), &"{\"a\":1}".into()));
}

#[test]
fn records_without_a_capture_are_skipped() {
    let uri = "http://h.test/";
    let file = [
        record("warcinfo", uri, &["Content-Type: application/warc-fields"], "a: b"),
        record("request", uri, &["Content-Type: application/http"], "GET / HTTP/1.1\r\n\r\n"),
        record("metadata", uri, &["Content-Type: application/warc-fields"], "a: b"),
        record("metadata", uri, &["Content-Type: text/anvl; x"], "a: b"),
        record("response", uri, &[], "HTTP/1.1 - Nothing\r\n\r\n"),
    ];
    let (lines, indexed) = lines_of(&file.concat());
    assert_eq!((lines.len(), indexed.records, indexed.without_key), (0, 5, 0));
    let (lines, indexed) = lines_of(&record("response", "http://h:port/", &[], OK));
    assert_eq!((lines.len(), indexed.records, indexed.without_key), (0, 1, 1));
}

#[test]
fn captures_that_share_a_member_are_counted_and_not_indexed() {
    let one = |path: &str| record("response", &format!("http://h.test/{path}"), &[PAYLOAD], OK);
    let file = [gzipped(&one("a")), gzipped(&[one("b"), one("c"), one("d")].concat()), gzipped(&one("e"))].concat();
    let (lines, indexed) = lines_of(&file);
    let keys: Vec<&str> = lines.iter().filter_map(|line| line.split(' ').next()).collect();
    assert_eq!((keys, indexed.sharing_a_member, indexed.records), (vec!["test,h)/a", "test,h)/e"], 3, 5));
}

#[test]
fn a_file_truncated_anywhere_is_indexed_up_to_there() {
    let whole = |path: &str| gzipped(&record("response", &format!("http://h.test/{path}"), &[PAYLOAD], OK));
    let (first, second) = (whole("a"), whole("b"));
    for cut in 1..second.len() {
        let (lines, indexed) = lines_of(&[&first[..], &second[..cut]].concat());
        assert_eq!(lines.len(), 1, "cut at {cut}");
        assert!(indexed.error.is_some(), "cut at {cut}");
    }
}

#[test]
fn an_error_of_the_closure_is_passed_on() {
    let file = record("response", "http://h.test/", &[PAYLOAD], OK);
    assert!(index(&file[..], "a", |_| Err(io::ErrorKind::StorageFull.into())).is_err());
}

proptest! {
    #[test]
    fn each_line_refers_to_exactly_the_bytes_of_its_record(
        bodies in prop::collection::vec("[a-z\\r\\n]{0,60}", 1..8),
        compressed: bool,
    ) {
        let block = |body: &String| format!("HTTP/1.1 200 OK\r\n\r\n{body}");
        let pieces = bodies.iter().enumerate().map(|(n, body)| {
            let bytes = record("response", &format!("http://h.test/{n}"), &[], &block(body));
            if compressed { gzipped(&bytes) } else { bytes }
        });
        let file: Vec<u8> = pieces.flatten().collect();
        let (lines, _) = lines_of(&file);
        prop_assert_eq!(lines.len(), bodies.len());
        for (line, body) in lines.iter().zip(&bodies) {
            let fields: serde_json::Value = serde_json::from_str(&line[line.find('{').unwrap()..]).unwrap();
            let number = |name: &str| fields[name].as_str().unwrap().parse::<usize>().unwrap();
            let bytes = &file[number("offset")..][..number("length")];
            let mut reader = WarcReader::new(bytes, Limits::default());
            let mut read = Vec::new();
            reader.next_record().unwrap().unwrap().read_block(&mut read, 1 << 20).unwrap();
            prop_assert_eq!(read, block(body).into_bytes());
            prop_assert!(reader.next_record().unwrap().is_none());
        }
    }
}

#[test]
fn times_have_fourteen_digits() {
    for (date, expected) in [
        ("2026-01-02T03:04:05Z", Some("20260102030405")),
        ("2026-01-02T03:04:05.678901Z", Some("20260102030405")),
        ("2026-01", Some("20260101000000")),
        ("2026", Some("20260101000000")),
        ("2026-01-02T03:04", Some("20260102030400")),
        ("", None),
        ("yesterday", None),
        ("1-2", None),
    ] {
        assert_eq!(time(date).as_deref(), expected, "{date}");
    }
}

proptest! {
    #[test]
    fn texts_are_ascii_and_survive_a_round_trip(text in "\\PC*|[\\x00-\\x7fäö😀\"\\\\]*") {
        let mut line = Vec::new();
        write_text(&text, &mut line);
        prop_assert!(line.iter().all(|byte| (b' '..=b'~').contains(byte)));
        prop_assert_eq!(serde_json::from_slice::<String>(&line).unwrap(), text);
    }
}
