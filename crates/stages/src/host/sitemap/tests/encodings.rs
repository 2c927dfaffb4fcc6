//! Compression and character encodings.

use super::*;

fn page() -> String {
    set("<url><loc>http://h/é</loc></url>")
}

#[test]
fn compression_is_detected_from_the_bytes_and_may_be_doubled() {
    let once = gzip(page().as_bytes());
    let twice = gzip(&once);
    let members = [gzip(&page().as_bytes()[..50]), gzip(&page().as_bytes()[50..])].concat();
    for document in [once, twice.clone(), members] {
        let contents = parse(&document, "http://h/sitemap.xml", Some("text/xml"), limits()).unwrap();
        assert_eq!((contents.urls.as_slice(), contents.cut), (&["http://h/é".to_owned()][..], false));
    }
    assert_eq!(read(gzip(&twice)), Err(SitemapError::Gzip), "a third layer is rejected");
    assert_eq!(urls(gzip(b"http://h/1\nhttp://h/2")), ["http://h/1", "http://h/2"]);
    assert_eq!(read(gzip(b"<html>")), Err(SitemapError::Html));
}

#[test]
fn truncated_compressed_data_yields_what_precedes() {
    let entries: String =
        (0..5_000).map(|n| format!("<url><loc>http://h/{}</loc></url>", n * 7_919 % 10_007)).collect();
    let whole = gzip(set(&entries).as_bytes());
    let contents = read(&whole[..whole.len() / 2]).unwrap();
    assert!(contents.cut && contents.urls.len() > 100 && contents.urls.len() < 5_000, "{}", contents.urls.len());
    let with_tail = read([&whole[..], b"garbage"].concat()).unwrap();
    assert_eq!(with_tail.urls.len(), 5_000);
    for broken in [&b"\x1f\x8b"[..], b"\x1f\x8b\x08\0\0\0\0\0\0\x03", b"\x1f\x8bnonsense that is no gzip"] {
        assert_eq!(read(broken), Err(SitemapError::Gzip), "{broken:?}");
    }
}

#[test]
fn the_encoding_is_that_of_the_mark_the_header_or_the_declaration() {
    let text = page();
    let latin_1: Vec<u8> = text.chars().map(|c| c as u8).collect();
    let declared = |label: &str| -> Vec<u8> { text.replace("UTF-8", label).chars().map(|c| c as u8).collect() };
    let utf_16 = |mark: bool, to_bytes: fn(u16) -> [u8; 2]| -> Vec<u8> {
        let mark = if mark { "\u{feff}" } else { "" };
        format!("{mark}{}", text.replace("UTF-8", "UTF-16")).encode_utf16().flat_map(to_bytes).collect()
    };
    let cases: [(Vec<u8>, Option<&str>); 12] = [
        (text.clone().into_bytes(), None),
        ([b"\xEF\xBB\xBF", text.as_bytes()].concat(), Some("text/xml; charset=iso-8859-1")),
        (latin_1.clone(), Some("text/xml; charset=ISO-8859-1")),
        (latin_1, Some("application/xml;x=y; Charset = \"latin1\"")),
        (declared("ISO-8859-1"), None),
        (declared("windows-1252"), Some("text/xml")),
        (declared("nonsense"), None),
        (utf_16(true, u16::to_le_bytes), None),
        (utf_16(true, u16::to_be_bytes), Some("text/xml; charset=utf-8")),
        (utf_16(false, u16::to_le_bytes), None),
        (utf_16(false, u16::to_be_bytes), None),
        (text.replace("UTF-8", "UTF-16").into_bytes(), Some("text/xml; charset=utf-16")),
    ];
    for (at, (document, content_type)) in cases.iter().enumerate() {
        let contents = parse(document, URL, *content_type, limits()).unwrap();
        assert_eq!(contents.urls, ["http://h/é"], "case {at}");
    }
}

#[test]
fn a_list_that_is_not_utf_8_is_read_as_windows_1252() {
    assert_eq!(urls(b"http://h/\xE9\nhttp://h/2"), ["http://h/é", "http://h/2"]);
}
