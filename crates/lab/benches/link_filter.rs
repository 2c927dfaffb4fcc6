//! What it costs to refuse links by the pattern of their URL, next to resolving them.
//!
//! A simulated forum is crawled by the cluster graph; then the links of its pages are judged again by what was learned.
//! Times are a link, the page's cluster included.

use harvestman::config::{ParseOptions, PolicyKind};
use std::hint::black_box;
use std::sync::Arc;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use harvestman::model::{Apath, LinkClass, ParsedPage};
use harvestman::parse::Parser;
use harvestman::policy::{Link, PolicySnapshot};
use harvestman::seed::Seed;
use harvestman::sim::{Family, World, WorldOptions};
use harvestman::url::{CanonicalUrl, Canonicaliser};
use harvestman_lab::corpus::{Corpus, canonicaliser};
use harvestman_lab::measures::Task;
use harvestman_lab::replay::{Plan, PolicyInputs, make, replay};

const PAGES: u64 = 3_000;

/// A page with the class that it waited under.
type Page = (CanonicalUrl, LinkClass, ParsedPage);

fn learned() -> (Arc<dyn PolicySnapshot>, Vec<Page>) {
    let families = vec![Family::Forum];
    let options = WorldOptions { pages: PAGES, hosts: 1, families, ..WorldOptions::default() };
    let world = World::new(&options, Seed(1)).expect("these options make a world");
    let corpus = Arc::new(Corpus::from_world(&world).expect("it is small"));
    let plan = Plan::new(&corpus, Task::Ucc, corpus.len());
    let mut last = None;
    let policy = make(PolicyKind::ClusterGraph, &PolicyInputs::new(Seed(1)));
    let done = replay(&plan, policy, |_, _, crawl| last = Some(crawl.snapshot())).expect("a recording can be crawled");
    let policy = last.expect("something was fetched");
    let mut parser = Parser::new(&ParseOptions::default());
    let fetched = done.order.iter().filter_map(|request| request.page).filter(|id| corpus.page(*id).is_page());
    let pages = fetched.map(|id| {
        let url = corpus.url(id).clone();
        parser.set_class_tokens(policy.class_tokens(url.as_str()));
        let waited = LinkClass::unclassified(Apath::SEED).with_pattern(policy.pattern(url.as_str()));
        let parsed = parser.parse(&corpus.page(id).body, corpus.page(id).content_type());
        (url, waited, parsed)
    });
    let pages = pages.collect();
    (policy, pages)
}

/// The classes of a page's links.
fn classes(policy: &dyn PolicySnapshot, canonicaliser: &Canonicaliser, page: &Page) -> Vec<LinkClass> {
    let (url, waited, page) = page;
    let cluster = policy.page_cluster(*waited, url.as_str(), &page.leaf_paths);
    let mut resolver = canonicaliser.resolver(url, page.base.as_deref());
    let links = page.groups.iter().flat_map(|group| group.links.iter().map(|link| (group.apath, link)));
    let class = |(apath, link)| {
        let url = resolver.resolve(page.href(link)).ok()?;
        Some(cluster.links_at(apath).with_pattern(policy.pattern(url.as_str())))
    };
    links.filter_map(class).collect()
}

fn filter(c: &mut Criterion) {
    let (policy, pages) = learned();
    let canonicaliser = canonicaliser();
    let links: usize = pages.iter().map(|(_, _, page)| page.link_count()).sum();
    let classes: Vec<_> = pages.iter().flat_map(|page| classes(&*policy, &canonicaliser, page)).collect();
    let passes = |class: &&LinkClass| policy.admit(&Link::Class(**class)).refusal().is_none();
    eprintln!("{} pages, {links} links, {} of them pass", pages.len(), classes.iter().filter(passes).count());
    let mut group = c.benchmark_group("links");
    group.throughput(Throughput::Elements(links as u64));
    group.bench_function("refuse by pattern", |b| b.iter(|| black_box(&classes).iter().filter(passes).count()));
    group.bench_function("resolve", |b| {
        b.iter(|| {
            let resolved = pages.iter().map(|(url, _, page)| {
                let mut resolver = canonicaliser.resolver(url, page.base.as_deref());
                let links = page.groups.iter().flat_map(|group| &group.links);
                links.filter(|link| resolver.resolve(page.href(link)).is_ok()).count()
            });
            black_box(resolved.sum::<usize>())
        });
    });
    group.finish();
}

criterion_group!(benches, filter);
criterion_main!(benches);
