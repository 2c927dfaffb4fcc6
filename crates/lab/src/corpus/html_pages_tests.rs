use std::path::PathBuf;

use super::*;

fn record(kind: &str, url: &str, fields: &str, block: &str) -> String {
    let length = block.len();
    let head = format!(
        "WARC/1.1\r\nWARC-Type: {kind}\r\nWARC-Target-URI: {url}\r\nWARC-Date: 2025-06-20T16:04:05Z\r\n{fields}"
    );
    format!("{head}Content-Length: {length}\r\n\r\n{block}\r\n\r\n")
}

fn response(url: &str, head: &str, body: &str) -> String {
    record("response", url, "", &format!("HTTP/1.1 {head}\r\n\r\n{body}"))
}

fn read(records: &[String], limits: Limits) -> Result<Vec<HtmlPage>, CorpusError> {
    let folder = tempfile::tempdir().unwrap();
    let path: PathBuf = folder.path().join("site.warc");
    std::fs::write(&path, records.concat()).unwrap();
    html_pages(&[path], limits)
}

#[test]
fn html_pages_are_read_once_with_their_times() {
    let records = [
        response("http://h/a", "200 OK\r\nContent-Type: text/html; charset=iso-8859-1", "<p>first"),
        response("http://h/a", "200 OK\r\nContent-Type: text/html", "<p>second"),
        response("http://h/b", "404 Not Found\r\nContent-Type: text/html", "<p>none"),
        response("http://h/c.png", "200 OK\r\nContent-Type: image/png", "x"),
        record("request", "http://h/d", "", "GET /d HTTP/1.1\r\n\r\n"),
    ];
    let pages = read(&records, Limits::default()).unwrap();
    assert_eq!(pages.len(), 1);
    assert_eq!((pages[0].url.as_str(), pages[0].html.as_str()), ("http://h/a", "<p>first"));
    assert_eq!(pages[0].fetched.to_string(), "2025-06-20T16:04:05");
}

#[test]
fn rendered_pages_replace_plain_ones_and_revisits_repeat_others() {
    let html = "200 OK\r\nContent-Type: text/html";
    let records = [
        response("http://h/a", html, "<p>plain"),
        record("resource", "urn:dom:http://h/a", "Content-Type: text/html\r\n", "<p>rendered"),
        record("resource", "urn:dom:http://h/none", "Content-Type: text/html\r\n", "<p>lost"),
        response("http://h/b", html, "<p>b"),
        record("revisit", "http://h/c", "WARC-Refers-To-Target-URI: http://h/b\r\n", "HTTP/1.1 200 OK\r\n\r\n"),
        record("revisit", "http://h/d", "", "HTTP/1.1 304 Not Modified\r\n\r\n"),
    ];
    let pages = read(&records, Limits::default()).unwrap();
    let shown: Vec<_> = pages.iter().map(|page| (page.url.path(), page.html.as_str())).collect();
    assert_eq!(shown, [("/a", "<p>rendered"), ("/b", "<p>b"), ("/c", "<p>b")]);
}

#[test]
fn a_cut_file_is_read_up_to_there_and_limits_hold() {
    let html = "200 OK\r\nContent-Type: text/html";
    let mut records = vec![response("http://h/a", html, "<p>a"), response("http://h/b", html, "<p>b")];
    let cut = records[1].len() - 20;
    records[1].truncate(cut);
    assert_eq!(read(&records, Limits::default()).unwrap().len(), 1);
    let limits = Limits { bytes_max: 3, ..Limits::default() };
    assert!(read(&records[..1], limits).unwrap_err().to_string().contains("3 bytes"));
    assert!(html_pages(&[PathBuf::from("/none")], limits).is_err());
}
