//! What a page's 90 links cost: the short way, the long way, and the `url` crate's join alone, which makes no canonical
//! form.
//!
//! The links are those of a forum page: mostly plain paths and permalinks, some relative names, some off-site URLs, a
//! few that need the parser (dot segments, tracking parameters, upper case, text outside ASCII).

use std::hint::black_box;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use harvestman::config::url::{ScopeMode, ScopeOptions, UrlOptions};
use harvestman::url::{CanonicalUrl, Canonicaliser, Scope};
use url::Url;

const PAGE: &str = "https://forum.example.org/forum/garden-12/topic/when-to-plant-out-tomatoes-1018/?page=3";
const LINKS: usize = 90;

/// A page's links of one kind.
struct Mix {
    name: &'static str,
    links: Vec<String>,
}

fn numbered(patterns: &[&str]) -> Vec<String> {
    (0..LINKS).map(|n| patterns[n % patterns.len()].replace("{n}", &(n * 37 + 5).to_string())).collect()
}

fn mixes() -> Vec<Mix> {
    let plain: &[&str] = &[
        "/forum/garden-12/topic/when-to-plant-out-tomatoes-1018/?post={n}",
        "/forum/garden-12/topic/slugs-and-how-to-live-with-them-{n}/",
        "/member/profile/{n}/",
        "/accounts/login/?next=/forum/garden-12/topic/slugs-{n}/",
        "?page={n}",
        "#post-{n}",
        "https://forum.example.org/members/?sort=name&page={n}",
        "./viewtopic.php?f=12&t={n}",
        "topic-{n}/",
    ];
    let odd: &[&str] = &[
        "/forum/../member/%7Egardener{n}/",
        "/topic/{n}/?utm_source=feed&utm_medium=rss",
        "https://Forum.Example.org:443/topic/{n}/",
        "/wiki/Kürbis_{n}",
        "/topic/{n}/;jsessionid=0A1B2C3D",
    ];
    // Nine plain links of ten; one off-site.
    let typical: Vec<&str> =
        plain.iter().chain(plain).copied().chain(["https://www.seeds.example.com/shop/{n}", odd[0]]).collect();
    vec![
        Mix { name: "typical", links: numbered(&typical) },
        Mix { name: "plain", links: numbered(plain) },
        Mix { name: "odd", links: numbered(odd) },
    ]
}

fn resolve(c: &mut Criterion) {
    let canonicaliser = Canonicaliser::new(&UrlOptions::default()).expect("the defaults are valid");
    let page: CanonicalUrl = canonicaliser.parse(PAGE).expect("a URL");
    let base = Url::parse(PAGE).expect("a URL");
    let mut group = c.benchmark_group("url::resolve");
    group.throughput(Throughput::Elements(LINKS as u64));
    for Mix { name, links } in mixes() {
        group.bench_with_input(BenchmarkId::new("canonical", name), &links, |b, links| {
            b.iter(|| {
                let mut resolver = canonicaliser.resolver(&page, None);
                links.iter().map(|link| resolver.resolve(link).map_or(0, |url| url.as_str().len())).sum::<usize>()
            });
        });
        group.bench_with_input(BenchmarkId::new("canonical_and_fingerprint", name), &links, |b, links| {
            b.iter(|| {
                let mut resolver = canonicaliser.resolver(&page, None);
                links
                    .iter()
                    .map(|link| resolver.resolve(link).map_or(0, |url| url.fingerprint().0))
                    .fold(0, |a, b| a ^ b)
            });
        });
        group.bench_with_input(BenchmarkId::new("canonical_by_parser", name), &links, |b, links| {
            b.iter(|| {
                let mut resolver = canonicaliser.resolver(&page, None);
                links
                    .iter()
                    .map(|link| resolver.resolve_by_parser(link).map_or(0, |url| url.as_str().len()))
                    .sum::<usize>()
            });
        });
        group.bench_with_input(BenchmarkId::new("join_alone", name), &links, |b, links| {
            b.iter(|| links.iter().map(|link| base.join(link).map_or(0, |url| url.as_str().len())).sum::<usize>());
        });
    }
    group.finish();
}

fn check_scope(c: &mut Criterion) {
    let canonicaliser = Canonicaliser::new(&UrlOptions::default()).expect("the defaults are valid");
    let page = canonicaliser.parse(PAGE).expect("a URL");
    let mut resolver = canonicaliser.resolver(&page, None);
    let links: Vec<CanonicalUrl> =
        mixes()[0].links.iter().filter_map(|link| resolver.resolve(link).ok().map(|url| url.to_url())).collect();
    let patterns = vec![r"/(search|login|logout)/".to_owned(), r"[?&](sort|order)=".to_owned()];
    let mut group = c.benchmark_group("url::scope");
    group.throughput(Throughput::Elements(links.len() as u64));
    for (name, options) in [
        ("host", ScopeOptions::default()),
        ("domain", ScopeOptions { mode: ScopeMode::Domain, ..ScopeOptions::default() }),
        ("host_without_guard", ScopeOptions { trap_guard: false, ..ScopeOptions::default() }),
        ("host_with_excludes", ScopeOptions { exclude: patterns, ..ScopeOptions::default() }),
    ] {
        let scope = Scope::new(&options, std::slice::from_ref(&page)).expect("valid options");
        group.bench_function(BenchmarkId::new("check", name), |b| {
            b.iter(|| links.iter().filter(|url| scope.check(black_box(url.as_str())).is_ok()).count());
        });
    }
    group.finish();
}

criterion_group!(benches, resolve, check_scope);
criterion_main!(benches);
