//! What the extraction of posts costs beside the parsing of the same pages: the time of one page on average, first of
//! pages that are parsed for links only, then of those whose elements and texts are recorded too, and of the extraction
//! of their posts.
//!
//! `cargo bench --bench extract_posts`. The pages are those of the recorded corpora (`HARVESTMAN_CORPORA`, by default
//! `../shared/corpora`); templates are learned from some of them before.
#![expect(clippy::print_stderr, reason = "a bench says why it measures nothing")]

use std::hint::black_box;
use std::path::{Path, PathBuf};

use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use harvestman::config::ParseOptions;
use harvestman::parse::Parser;
use harvestman_lab::corpus::{HtmlPage, Limits, html_pages};
use harvestman_posts::{Extractor, Page};

/// Number of pages of a recording that are measured, evenly spread, and of those that are learned from.
const PAGES: usize = 500;
const LEARNED: usize = 200;
const DECODED: Option<&str> = Some("text/html; charset=utf-8");

fn pages(corpus: &str) -> Option<Vec<HtmlPage>> {
    let folder = std::env::var_os("HARVESTMAN_CORPORA").map(PathBuf::from);
    let folder = folder.unwrap_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpora"));
    let all = html_pages(&[folder.join(format!("{corpus}.warc.gz"))], Limits::default()).ok()?;
    let step = all.len().div_ceil(PAGES).max(1);
    Some(all.into_iter().step_by(step).collect())
}

fn parsed(page: &HtmlPage) -> Option<Page> {
    Page::parse(&page.url, &page.html, page.fetched)
}

fn bench(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("posts of a page");
    for corpus in ["spirit", "machina"] {
        let Some(pages) = pages(corpus) else {
            eprintln!("the corpus {corpus} is not there: nothing is measured");
            continue;
        };
        let mut extractor = Extractor::default();
        pages.iter().take(LEARNED).filter_map(parsed).for_each(|page| extractor.learn(&page));
        extractor.settle();
        let ready: Vec<Page> = pages.iter().filter_map(parsed).collect();
        let mut next = 0;
        let mut turn = move |of: usize| {
            next = (next + 1) % of;
            next
        };
        let mut parser = Parser::new(&ParseOptions::default());
        group.bench_function(BenchmarkId::new("parse for links", corpus), |bencher| {
            bencher.iter(|| black_box(parser.parse(pages[turn(pages.len())].html.as_bytes(), DECODED)));
        });
        group.bench_function(BenchmarkId::new("parse for links and posts", corpus), |bencher| {
            bencher.iter(|| black_box(parsed(&pages[turn(pages.len())])));
        });
        group.bench_function(BenchmarkId::new("extract", corpus), |bencher| {
            bencher.iter(|| black_box(extractor.extract(&ready[turn(ready.len())])));
        });
    }
    group.finish();
}

criterion_group!(benches, bench);
criterion_main!(benches);
