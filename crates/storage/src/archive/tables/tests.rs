use std::path::Path;

use parquet::file::reader::{FileReader as _, SerializedFileReader};
use parquet::record::{Field, Row, RowAccessor as _};
use proptest::prelude::*;

use super::*;
use crate::archive::links_line;
use harvestman_core::config::archive::LineCompression;
use harvestman_core::model::{Apath, PageRecord, StatementRecord};

/// A line with all fields. A new field of the log must be added here, which then requires a column for it.
fn full() -> PageRecord {
    let text = |text: &str| Some(text.to_owned());
    PageRecord {
        url: "http://h.test/ä".to_owned(),
        time: text("2026-01-02T03:04:05.678901Z"),
        fate: "fetched".to_owned(),
        reason: text("none"),
        status: Some(200),
        content_type: text("text/html"),
        bytes: 7,
        redirect_to: text("http://h.test/r"),
        via: text("http://h.test/"),
        depth: 1,
        attempts: 2,
        first_byte_ms: Some(3),
        duration_ms: Some(4),
        title: text("A \"title\""),
        visit: Some(5),
        changed: Some(true),
        difference: text("content"),
        links: Some(6),
        links_new: Some(u32::MAX),
        cluster: Some(8),
        class: text("1/2/3"),
        score: Some(0.5),
        snapshot: Some(9),
        rendered: text("rendered"),
        render_class: text("00000000000000ff"),
        payload_digest: text("sha1:A"),
        ip: text("127.0.0.1"),
        truncated: text("length"),
        given_up: text("posts"),
        unread: text("too_long"),
        markup: text("xml"),
        unended: text("iframe"),
        recovered: vec!["/a".to_owned()],
        signals: vec![StatementRecord { signal: "noai".to_owned(), ..StatementRecord::default() }],
        warc_file: text("warc/a"),
        warc_offset: Some(10),
    }
}

fn bare() -> PageRecord {
    serde_json::from_str(r#"{"url":"http://h.test/b","fate":"robots","bytes":0,"depth":0,"attempts":0}"#).unwrap()
}

fn log(directory: &Path, name: &str, bytes: &[u8]) {
    std::fs::write(directory.join(name), bytes).unwrap();
}

fn line(page: &PageRecord) -> String {
    serde_json::to_string(page).unwrap() + "\n"
}

fn made(log: LogKind, directory: &Path) -> (TableReport, Vec<Row>) {
    let mut out = Vec::new();
    let made = write_table(log, directory, &mut out, |_| ()).unwrap();
    let reader = SerializedFileReader::new(bytes::Bytes::from(out)).unwrap();
    let rows = reader.get_row_iter(None).unwrap().map(Result::unwrap).collect();
    (made, rows)
}

fn json(field: &Field) -> serde_json::Value {
    match field {
        Field::Null => serde_json::Value::Null,
        Field::Bool(value) => (*value).into(),
        Field::Int(value) => (*value).into(),
        Field::Long(value) => (*value).into(),
        Field::Double(value) => (*value).into(),
        Field::Str(value) => value.as_str().into(),
        Field::Group(row) => row_json(row),
        Field::ListInternal(list) => list.elements().iter().map(json).collect(),
        other => unreachable!("{other:?}"),
    }
}

fn row_json(row: &Row) -> serde_json::Value {
    row.get_column_iter().map(|(name, field)| (name.clone(), json(field))).collect()
}

#[test]
fn every_field_of_a_line_is_a_typed_column() {
    let directory = tempfile::tempdir().unwrap();
    log(directory.path(), "pages.jsonl", (line(&full()) + &line(&bare())).as_bytes());
    let (made, rows) = made(LogKind::Pages, directory.path());
    assert_eq!((made.rows, made.damaged, made.unfinished, made.broken), (2, 0, false, None));
    let expected = serde_json::to_value(full()).unwrap();
    let names: Vec<&String> = rows[0].get_column_iter().map(|(name, _)| name).collect();
    assert_eq!(names.len(), expected.as_object().unwrap().len());
    for (name, field) in rows[0].get_column_iter() {
        let shown = match field {
            Field::TimestampMillis(millis) => {
                assert_eq!(*millis, 1_767_323_045_678);
                expected["time"].clone()
            }
            Field::Str(text) if name == "signals" || name == "recovered" => serde_json::from_str(text).unwrap(),
            field => json(field),
        };
        assert_eq!(shown, expected[name], "{name}");
    }
    let absent = rows[1].get_column_iter().filter(|(_, field)| **field == Field::Null).count();
    assert_eq!(absent, names.len() - 5);
}

#[test]
fn a_page_is_a_row_with_the_list_of_its_links() {
    use crate::archive::link_export::ExportedLink;
    let directory = tempfile::tempdir().unwrap();
    let link = |href, new, refused| ExportedLink { href, apath: Apath(7), new, refused };
    let links = [link("http://h/a", true, None), link("http://h/b", false, Some("no_edge"))];
    let bytes = [links_line("http://h/", links.into_iter()), links_line("http://h/none", std::iter::empty())].concat();
    log(directory.path(), "links.jsonl", &bytes);
    let (made, rows) = made(LogKind::Links, directory.path());
    assert_eq!(made.rows, 2);
    assert_eq!(
        row_json(&rows[0]),
        serde_json::json!({"url": "http://h/", "links": [
            {"href": "http://h/a", "class": "0000000000000007", "new": true, "refused": null},
            {"href": "http://h/b", "class": "0000000000000007", "new": false, "refused": "no_edge"},
        ]})
    );
    assert_eq!(rows[1].get_list(1).unwrap().len(), 0);
}

#[test]
fn damaged_lines_are_counted_and_the_others_are_converted() {
    let directory = tempfile::tempdir().unwrap();
    let no_time = line(&full()).replace("2026-01-02T", "yesterday");
    let text = [&line(&full()), "{\"url\":\n", &no_time, "\u{0}\u{0}\n", &line(&bare())].concat();
    log(directory.path(), "pages.jsonl", text.as_bytes());
    let (made, rows) = made(LogKind::Pages, directory.path());
    assert_eq!((made.rows, rows.len(), made.damaged, made.unfinished), (2, 2, 3, false));
    assert_eq!(made.first_damaged.map(|(number, _)| number), Some(2));
}

#[test]
fn logs_are_read_with_any_compression_and_up_to_where_they_are_truncated() {
    for compression in [LineCompression::None, LineCompression::Gzip, LineCompression::Zstd] {
        let directory = tempfile::tempdir().unwrap();
        let mut log = crate::archive::LineLog::open(
            directory.path(),
            "pages.jsonl",
            compression,
            crate::archive::ArchiveLimits::default(),
        )
        .unwrap();
        for page in [full(), bare()] {
            log.append(harvestman_core::clock::Instant::EPOCH, |out| out.extend_from_slice(line(&page).as_bytes()))
                .unwrap();
            log.flush().unwrap();
        }
        let path = log.path();
        log.finish().unwrap();
        let (whole, rows) = made(LogKind::Pages, directory.path());
        assert_eq!((whole.rows, rows.len(), whole.unfinished), (2, 2, false), "{compression:?}");
        let bytes = std::fs::read(&path).unwrap();
        std::fs::write(&path, &bytes[..bytes.len() - 3]).unwrap();
        let (torn, _) = made(LogKind::Pages, directory.path());
        assert_eq!((torn.damaged, torn.unfinished, torn.broken), (0, true, None), "{compression:?}");
        assert!(torn.rows >= 1, "{compression:?}");
    }
}

#[test]
fn a_missing_log_is_distinguished_from_an_empty_one() {
    let directory = tempfile::tempdir().unwrap();
    let nothing = write_table(LogKind::Links, directory.path(), std::io::sink(), |_| ());
    assert!(matches!(nothing, Err(TableError::NoLog)));
    log(directory.path(), "links.jsonl", b"");
    assert_eq!(made(LogKind::Links, directory.path()).0.rows, 0);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]
    #[test]
    fn lists_of_any_length_survive_a_round_trip(
        pages in prop::collection::vec(prop::collection::vec(("[a-z]{0,3}", any::<bool>(), prop::option::of("[a-z]{0,3}")), 0..4), 0..20),
    ) {
        let directory = tempfile::tempdir().unwrap();
        let mut text = String::new();
        let mut expected = Vec::new();
        for (number, links) in pages.iter().enumerate() {
            let link = |(href, new, refused): &(String, bool, Option<String>)| {
                serde_json::json!({"href": href, "class": "c", "new": new, "refused": refused})
            };
            let page = serde_json::json!({"url": number.to_string(), "links": links.iter().map(link).collect::<Vec<_>>()});
            text += &format!("{page}\n");
            expected.push(page);
        }
        log(directory.path(), "links.jsonl", text.as_bytes());
        let (_, rows) = made(LogKind::Links, directory.path());
        prop_assert_eq!(rows.iter().map(row_json).collect::<Vec<_>>(), expected);
    }
}
