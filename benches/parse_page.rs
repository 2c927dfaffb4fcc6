//! What parsing a page costs: ours (hashes), with what learning asks for besides, ours (spelt out), lol_html with a
//! handler for `a[href]`, and html5ever's tree.
//!
//! The pages are generated forum pages and, where they are, pages of the recorded corpora (`HARVESTMAN_CORPORA`).

use std::cell::Cell;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs::File;
use std::hint::black_box;
use std::io::{BufReader, Read};
use std::path::PathBuf;
use std::sync::Arc;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use flate2::bufread::MultiGzDecoder;
use harvestman::config::ParseOptions;
use harvestman::model::ClassTokens;
use harvestman::parse::{Parser, Spelling};
use scraper::{Html, Selector};

/// A topic page of a forum: about 25 KB and 90 links.
fn forum_page(seed: u32) -> String {
    let mut html = String::from(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n  <meta charset=\"utf-8\">\n  <title>A topic</title>\n\
         <link rel=\"stylesheet\" href=\"/s.css\">\n<script>var a = 1 < 2;</script>\n</head>\n<body class=\"topic\">\n<ul class=\"nav\">\n",
    );
    for i in 0..12 {
        let _ = writeln!(
            html,
            "    <li class=\"nav-item\">\n      <a class=\"nav-link\" href=\"/forum/{i}/?from={seed}&amp;page=2\">Forum {i}</a>\n    </li>"
        );
    }
    html.push_str("</ul>\n<div class=\"container\" id=\"main_container\">\n");
    for post in 0..20 {
        let id = seed * 20 + post;
        let _ = write!(
            html,
            "  <div class=\"row post\" id=\"post-{id}\">\n    <div class=\"col-md-2 author\">\n      <a href=\"/user/{0}/\" class=\"name\">user{0}</a>\n\
             \x20     <img src=\"/avatar/{0}.png\" alt=\"avatar of a user\" width=\"64\" height=\"64\">\n      <small>{0} posts</small>\n    </div>\n\
             \x20   <div class=\"col-md-10 body\">\n      <p>{1}<br>{1}</p>\n      <p>It is <em>so</em> &ndash; see <a href=\"https://example.org/{id}?x=1&amp;y=2\" rel=\"nofollow\">this</a>.</p>\n\
             \x20     <blockquote><p>{1}</p></blockquote>\n\
             \x20     <div class=\"tools\"><a class=\"permalink\" href=\"/topic/{seed}/?post={id}\">#{post}</a> <a class=\"reply\" href=\"/topic/{seed}/reply/{id}\">Reply</a></div>\n    </div>\n  </div>\n",
            id % 97,
            "Lorem ipsum dolor sit amet, consectetur adipiscing elit, sed do eiusmod tempor incididunt ut labore et dolore magna.",
        );
    }
    html.push_str("</div>\n<footer><p>Powered by a forum</p></footer>\n</body>\n</html>\n");
    html
}

/// Some pages of a recorded corpus: whatever lies between `<html` tags in its first megabytes.
fn corpus_pages(name: &str) -> Vec<String> {
    let folder =
        std::env::var_os("HARVESTMAN_CORPORA").map_or_else(|| PathBuf::from("../shared/corpora"), PathBuf::from);
    let Ok(file) = File::open(folder.join(format!("{name}.warc.gz"))) else { return Vec::new() };
    let mut text = Vec::new();
    let read = MultiGzDecoder::new(BufReader::new(file)).take(64 << 20).read_to_end(&mut text);
    assert!(read.is_ok(), "{name} cannot be read: {read:?}");
    let text = String::from_utf8_lossy(&text);
    let pages = text.split("WARC/1.1\r\n").filter(|record| record.contains("\r\nContent-Type: text/html"));
    pages.filter_map(|record| record.splitn(3, "\r\n\r\n").nth(2)).step_by(10).take(200).map(str::to_owned).collect()
}

fn bench_pages(criterion: &mut Criterion, name: &str, pages: &[String]) {
    if pages.is_empty() {
        eprintln!("SKIPPED: no corpus `{name}`");
        return;
    }
    let bytes: usize = pages.iter().map(String::len).sum();
    eprintln!("{name}: {} pages, {} bytes a page", pages.len(), bytes / pages.len());
    let mut group = criterion.benchmark_group(name);
    group.throughput(Throughput::Bytes(bytes as u64)).sample_size(20);
    let plain = || Parser::new(&ParseOptions::default());
    let kept = Arc::new(class_tokens(pages));
    let variants = [
        ("ours", plain()),
        ("ours with units", plain().with_units()),
        ("ours with class tokens", plain().with_class_tokens(Arc::clone(&kept))),
        ("ours listing class tokens", plain().with_token_list()),
        ("ours with all", plain().with_units().with_class_tokens(kept).with_token_list()),
        ("ours spelt out", Parser::with_spelling(&ParseOptions::default(), Spelling::On)),
    ];
    for (variant, mut parser) in variants {
        group.bench_function(BenchmarkId::from_parameter(variant), |bencher| {
            bencher.iter(|| {
                let links =
                    |page: &String| parser.parse(page.as_bytes(), Some("text/html; charset=utf-8")).link_count();
                pages.iter().map(links).sum::<usize>()
            });
        });
    }
    group.bench_function(BenchmarkId::from_parameter("lol_html a[href]"), |bencher| {
        bencher.iter(|| pages.iter().map(|page| by_lol_html(page)).sum::<usize>());
    });
    group.bench_function(BenchmarkId::from_parameter("scraper a[href]"), |bencher| {
        let selector = Selector::parse("a[href]").expect("the selector is well formed");
        bencher.iter(|| pages.iter().map(|page| Html::parse_document(page).select(&selector).count()).sum::<usize>());
    });
    group.finish();
}

/// The class names that are on more than one of `pages` in fifty.
fn class_tokens(pages: &[String]) -> ClassTokens {
    let mut parser = Parser::new(&ParseOptions::default()).with_token_list();
    let mut counts = BTreeMap::new();
    for token in pages.iter().flat_map(|page| parser.parse(page.as_bytes(), None).class_tokens) {
        *counts.entry(token).or_insert(0) += 1;
    }
    counts.into_iter().filter(|(_, count)| count * 50 > pages.len()).map(|(token, _)| token).collect()
}

fn by_lol_html(page: &str) -> usize {
    let links = Cell::new(0);
    let handler = lol_html::element!("a[href]", |element| {
        black_box(element.get_attribute("href"));
        links.set(links.get() + 1);
        Ok(())
    });
    let settings = lol_html::Settings::new().append_element_content_handler(handler);
    let mut rewriter = lol_html::HtmlRewriter::new(settings, |_: &[u8]| {});
    let written = rewriter.write(page.as_bytes()).and_then(|()| rewriter.end());
    assert!(written.is_ok(), "lol_html cannot read the page: {written:?}");
    links.get()
}

fn parse_page(criterion: &mut Criterion) {
    let generated: Vec<String> = (0..50).map(forum_page).collect();
    bench_pages(criterion, "generated", &generated);
    for corpus in ["machina", "spirit"] {
        bench_pages(criterion, corpus, &corpus_pages(corpus));
    }
}

criterion_group!(benches, parse_page);
criterion_main!(benches);
