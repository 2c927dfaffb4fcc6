//! What it costs to put a URL into one of 500 clusters, next to trying one pattern after the other.
//!
//! Says first how long learning the clusters took, and how often the two agree: a scan takes any pattern that fits,
//! where the matcher knows which keywords a URL has.

use std::hint::black_box;
use std::time::Instant;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use harvestman_core::seed::Seed;
use harvestman_papers::site::{UrlClusterId, UrlClusterOptions, UrlClusters};

const SECTIONS: usize = 25;
const ACTIONS: usize = 20;
/// URLs of each pattern that are learned from.
const SAMPLED: usize = 90;
/// URLs that are matched, one after the other.
const MATCHED: usize = 4_096;

const SYLLABLES: [&str; 10] = ["ga", "ro", "den", "ti", "mus", "la", "ver", "so", "pin", "che"];

/// A word of letters that no other number has.
fn word(number: usize) -> String {
    let digits = [number % 10, number / 10 % 10, number / 100 % 10];
    digits.iter().map(|digit| SYLLABLES[*digit]).collect()
}

/// A URL of the pattern that belongs to a section and an action.
fn url(section: usize, action: usize, instance: usize) -> String {
    let front = format!("https://forum.example.org/{}/{}", word(section), word(100 + action));
    let slug = format!("{}-and-{}-{instance}", word(200 + instance % 97), word(300 + instance % 89));
    match action % 4 {
        0 => format!("{front}/{instance}/"),
        1 => format!("{front}/{slug}-{instance}/?post={instance}"),
        2 => format!("{front}.html?id={instance}&sort=asc"),
        _ => format!("{front}/{slug}/{instance}.html"),
    }
}

fn sample() -> Vec<String> {
    let kinds = (0..SECTIONS).flat_map(|section| (0..ACTIONS).map(move |action| (section, action)));
    // No number stands in two URLs, so that none is taken for a keyword.
    let instance = |section, action, number| (section * ACTIONS + action) * SAMPLED + number;
    let urls =
        |(section, action)| (0..SAMPLED).map(move |number| url(section, action, instance(section, action, number)));
    kinds.flat_map(urls).collect()
}

/// URLs as links have them: nine of ten are of some cluster, the others of none.
fn links() -> Vec<String> {
    let link = |number: usize| {
        let mixed = number.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 20;
        let url = url(mixed % SECTIONS, mixed / 32 % ACTIONS, mixed / 1_024 % 100_000);
        if number % 10 == 9 { format!("{url}&reply=1") } else { url }
    };
    (0..MATCHED).map(link).collect()
}

/// The first pattern that fits.
fn scan(patterns: &[&str], url: &str) -> Option<UrlClusterId> {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    patterns.iter().position(|pattern| fits(pattern.as_bytes(), rest.as_bytes())).map(|at| UrlClusterId(at as u32))
}

fn fits(mut pattern: &[u8], mut url: &[u8]) -> bool {
    while let Some((&wanted, left)) = pattern.split_first() {
        let taken = match wanted {
            b'*' => url.iter().position(|byte| b"/.?&=".contains(byte)).unwrap_or(url.len()),
            b'$' => url.iter().position(|byte| !byte.is_ascii_digit()).unwrap_or(url.len()),
            literal => usize::from(url.first() == Some(&literal)),
        };
        if taken == 0 {
            return false;
        }
        (pattern, url) = (left, &url[taken..]);
    }
    url.is_empty()
}

#[expect(clippy::disallowed_methods, reason = "a measurement is of the real time")]
fn learned() -> UrlClusters {
    let urls = sample();
    let start = Instant::now();
    let clusters = UrlClusters::learn(&urls, &UrlClusterOptions::default(), &mut Seed(1).rng()).expect("enough URLs");
    let (took, count) = (start.elapsed(), clusters.clusters.len());
    eprintln!(
        "{count} clusters of {} URLs learned in {:.2} s; {:?}",
        urls.len(),
        took.as_secs_f64(),
        clusters.limits_hit
    );
    clusters
}

fn find(c: &mut Criterion) {
    let (clusters, links) = (learned(), links());
    let patterns: Vec<&str> = clusters.matcher.patterns().collect();
    let found: Vec<_> = links.iter().map(|url| clusters.matcher.find(url)).collect();
    let same = links.iter().zip(&found).filter(|(url, found)| scan(&patterns, url) == **found).count();
    let bytes: usize = links.iter().map(String::len).sum();
    eprintln!(
        "{} of {MATCHED} URLs of {} bytes are in a cluster; the scan agrees on {same}",
        found.iter().flatten().count(),
        bytes / MATCHED
    );
    let mut group = c.benchmark_group("site::url_clusters");
    group.throughput(Throughput::Elements(MATCHED as u64));
    group.bench_function(BenchmarkId::new("matcher", patterns.len()), |b| {
        b.iter(|| links.iter().filter(|url| clusters.matcher.find(black_box(url)).is_some()).count());
    });
    group.sample_size(10);
    group.bench_function(BenchmarkId::new("scan", patterns.len()), |b| {
        b.iter(|| links.iter().filter(|url| scan(&patterns, black_box(url)).is_some()).count());
    });
    group.finish();
}

criterion_group!(benches, find);
criterion_main!(benches);
