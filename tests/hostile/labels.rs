//! Labels that do not fit what they label: content codings and media types. A page behind them is read as browsers read
//! it; what is not read says so.

use std::collections::BTreeSet;
use std::io::Write;

use flate2::Compression;

use super::crawl::{Crawl, Outcome};
use super::site::{Peer, Site, Then};

/// Crawls a site whose start page links to `paths`, each answered by `answer` with a page that links to `/behind` +
/// path. Returns the paths whose links were followed.
fn crawl(
    paths: &[&str],
    answer: impl Fn(&str, &mut Peer) -> Then + Send + Sync + 'static,
) -> (Outcome, BTreeSet<String>) {
    let site = Site::with_links(paths, move |target, peer| match target.strip_prefix("/behind") {
        Some(_) => peer.page("<title>behind</title>"),
        None => answer(target, peer),
    });
    let outcome = Crawl::of(&site).finish();
    let fetched = outcome.fates().into_iter().filter(|(_, fate)| fate == "fetched").map(|(url, _)| url);
    let behind = fetched.filter_map(|url| url.strip_prefix(&site.url("/behind")).map(str::to_owned)).collect();
    (outcome, behind)
}

/// A page that links to what is behind `path`.
fn page(path: &str) -> Vec<u8> {
    format!("<!doctype html><title>{path}</title><p>Some words</p><a href='/behind{path}'>on</a>").into_bytes()
}

fn gzip(page: &[u8]) -> Vec<u8> {
    let mut coder = flate2::write::GzEncoder::new(Vec::new(), Compression::default());
    coder.write_all(page).unwrap();
    coder.finish().unwrap()
}

fn deflate(page: &[u8]) -> Vec<u8> {
    let mut coder = flate2::write::DeflateEncoder::new(Vec::new(), Compression::default());
    coder.write_all(page).unwrap();
    coder.finish().unwrap()
}

fn names(paths: &[&str]) -> BTreeSet<String> {
    paths.iter().map(|path| (*path).to_owned()).collect()
}

#[test]
fn pages_with_codings_that_are_none_or_others_are_read() {
    let paths = [
        "/none",
        "/utf-8",
        "/binary",
        "/empty",
        "/list",
        "/plain",
        "/plain-br",
        "/plain-zstd",
        "/raw-deflate",
        "/zstd",
        "/unnamed",
        "/quality",
    ];
    let (_, behind) = crawl(&paths, |target, peer| {
        let page = page(target);
        let (coding, body) = match target {
            "/none" => ("Content-Encoding: none\r\n", page),
            "/utf-8" => ("Content-Encoding: UTF-8\r\n", page),
            "/binary" => ("Content-Encoding: binary\r\n", page),
            "/empty" => ("Content-Encoding:\r\n", page),
            "/list" => ("Content-Encoding: none\r\nContent-Encoding: gzip, utf-8\r\n", gzip(&page)),
            "/plain" => ("Content-Encoding: gzip\r\n", page),
            "/plain-br" => ("Content-Encoding: br\r\n", page),
            "/plain-zstd" => ("Content-Encoding: zstd, deflate\r\n", page),
            "/raw-deflate" => ("Content-Encoding: gzip\r\n", deflate(&page)),
            "/zstd" => ("Content-Encoding: gzip\r\n", zstd::encode_all(page.as_slice(), 3).unwrap()),
            "/quality" => ("Content-Encoding: gzip;q=1.0\r\n", gzip(&page)),
            _ => ("", gzip(&page)),
        };
        peer.answer("200 OK", &format!("Content-Type: text/html\r\n{coding}"), &body)
    });
    assert_eq!(behind, names(&paths));
}

#[test]
fn pages_with_types_in_odd_forms_are_read_and_what_is_not_read_says_so() {
    let odd = [
        ("/twice", "Content-Type: text/html\r\nContent-Type: text/html; charset=utf-8\r\n"),
        ("/other-first", "Content-Type: text/plain\r\nContent-Type: text/html\r\n"),
        ("/list", "Content-Type: text/html,text/html\r\n"),
        ("/list-charset", "Content-Type: text/html; charset=utf-8, text/html\r\n"),
        ("/case", "Content-Type: TEXT/HTML;CHARSET=\"utf-8\"\r\n"),
        ("/semicolons", "Content-Type: text/html;;charset=UTF-8;\r\n"),
        ("/no-semicolon", "Content-Type: text/html charset=utf-8\r\n"),
        ("/no-slash", "Content-Type: html\r\n"),
        ("/any", "Content-Type: */*\r\n"),
        ("/unknown", "Content-Type: unknown/unknown\r\n"),
        ("/empty", "Content-Type:\r\n"),
        ("/missing", ""),
        ("/bytes", "Content-Type: text/html; title=\"\u{e9}\"\r\n"),
    ];
    let unread = [
        ("/text", "Content-Type: text/plain\r\n"),
        ("/file", "Content-Type: application/octet-stream\r\n"),
        ("/last-counts", "Content-Type: text/html, application/pdf\r\n"),
        ("/picture", "Content-Type: */*\r\n"),
    ];
    let paths: Vec<&str> = odd.iter().chain(&unread).map(|(path, _)| *path).collect();
    let (outcome, behind) = crawl(&paths, move |target, peer| {
        let headers = odd.iter().chain(&unread).find(|(path, _)| *path == target).unwrap().1;
        let body = if target == "/picture" { b"\x89PNG\r\n\x1a\n\x00".to_vec() } else { page(target) };
        peer.answer("200 OK", headers, &body)
    });
    assert_eq!(behind, odd.iter().map(|(path, _)| (*path).to_owned()).collect());
    let lines = outcome.lines();
    for (path, _) in odd.iter().chain(&unread) {
        let line = lines.iter().find(|line| line.url.ends_with(path) && !line.url.contains("behind")).unwrap();
        let expected = unread.iter().any(|(unread, _)| unread == path).then_some("media_type");
        assert_eq!((line.fate.as_str(), line.unread.as_deref()), ("fetched", expected), "{path}");
    }
}

#[test]
fn a_page_whose_coding_cannot_be_removed_fails_and_one_that_breaks_off_says_so() {
    let long = |path: &str| [page(path), "<p>All work and no play. </p>".repeat(4_000).into_bytes()].concat();
    let (outcome, behind) = crawl(&["/compress", "/broken", "/cut"], move |target, peer| {
        let html = "Content-Type: text/html\r\n";
        match target {
            // LZW, which no browser reads.
            "/compress" => {
                peer.answer("200 OK", &format!("{html}Content-Encoding: compress\r\n"), b"\x1f\x9d\x90\x3c\xe0\x00")
            }
            "/broken" => {
                peer.answer("200 OK", &format!("{html}Content-Encoding: gzip\r\n"), b"\x1f\x8b\x08\x00\xff\xff")
            }
            _ => {
                let whole = gzip(&long("/cut"));
                peer.answer("200 OK", &format!("{html}Content-Encoding: gzip\r\n"), &whole[..whole.len() - 20])
            }
        }
    });
    let lines = outcome.lines();
    let line = |path: &str| lines.iter().find(|line| line.url.ends_with(path)).unwrap();
    for path in ["/compress", "/broken"] {
        let line = line(path);
        assert_eq!((line.fate.as_str(), line.reason.as_deref()), ("failed", Some("content_coding")), "{path}");
        assert!(line.warc_file.is_some(), "{path} is archived as it came");
    }
    assert_eq!(outcome.count_of("failed", "content_coding"), 2);
    let cut = lines.iter().find(|line| line.url.ends_with("/cut") && !line.url.contains("behind")).unwrap();
    assert_eq!((cut.fate.as_str(), cut.unread.as_deref()), ("fetched", Some("content_coding")));
    assert_eq!(behind, names(&["/cut"]));
}
