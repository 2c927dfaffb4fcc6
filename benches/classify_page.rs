//! What classifying a page costs: through the index, with the signature cache before it, with a condensed sample, and
//! by looking at every page of the sample.
//!
//! The pages are those of the recorded corpora (`HARVESTMAN_CORPORA`); without them nothing is measured.

#[path = "../tests/corpora/mod.rs"]
mod corpora;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use harvestman::classify::{Classifier, KnnOptions, Sample, Scratch, classify_naively, condense};
use harvestman::config::ParseOptions;
use harvestman::model::LeafPath;
use harvestman::parse::Parser;
use harvestman::site::{Distances, EpsOptions, MIN_PTS, THETA, Vocabulary, dbscan, eps};

const SAMPLE_MAX: usize = 1_000;
const PAGES_MAX: usize = 1_000;

/// The bags of a sample and of other pages.
fn bags(name: &str) -> Option<[Vec<Vec<LeafPath>>; 2]> {
    let pages = corpora::pages(name)?;
    let mut parser = Parser::new(&ParseOptions::default());
    let mut bag = |page: &corpora::Page| parser.parse(&page.body, Some("text/html; charset=utf-8")).leaf_paths;
    let step = (pages.len() / SAMPLE_MAX).max(2);
    let sample = pages.iter().step_by(step).take(SAMPLE_MAX).map(&mut bag).collect();
    Some([sample, pages.iter().skip(1).step_by(step).take(PAGES_MAX).map(&mut bag).collect()])
}

fn bench_corpus(criterion: &mut Criterion, name: &str) {
    let Some([sample, pages]) = bags(name) else { return };
    let vocabulary = Vocabulary::learn(sample.iter().map(Vec::as_slice), THETA);
    let vectors: Vec<_> = sample.iter().map(|bag| vocabulary.weigh(bag)).collect();
    let distances = Distances::between(&vectors);
    let labels = dbscan(&distances, eps(&distances, vocabulary.len(), &EpsOptions::default()), MIN_PTS);
    let (sample, options) = (Sample::new(&vectors, &labels), KnnOptions::default());
    let probes: Vec<_> = pages.iter().step_by(2).map(|bag| vocabulary.weigh(bag)).collect();
    let small = condense(&sample, &options, &probes, 0.999);
    eprintln!(
        "{name}: {} features, a sample of {} pages ({} distinct, {} condensed), {} pages to classify",
        vocabulary.len(),
        sample.pages(),
        sample.entries().len(),
        small.entries().len(),
        pages.len()
    );
    let mut group = criterion.benchmark_group(name);
    group.throughput(Throughput::Elements(pages.len() as u64)).sample_size(10);
    for (variant, sample) in [("index", &sample), ("index, condensed", &small)] {
        let classifier = Classifier::new(vocabulary.clone(), sample, options, 1);
        let mut scratch = Scratch::new(1 << 14);
        group.bench_function(BenchmarkId::from_parameter(variant), |bencher| {
            let mut outlier = |bag: &&Vec<LeafPath>| classifier.classify_uncached(bag, &mut scratch).cluster.is_none();
            bencher.iter(|| pages.iter().filter(&mut outlier).count());
        });
    }
    let classifier = Classifier::new(vocabulary.clone(), &sample, options, 1);
    group.bench_function(BenchmarkId::from_parameter("cache, then index"), |bencher| {
        bencher.iter(|| {
            // An empty cache each time: only bags that repeat among the pages are answered from it.
            let mut scratch = Scratch::new(1 << 12);
            pages.iter().filter(|bag| classifier.classify(bag, &mut scratch).cluster.is_none()).count()
        });
    });
    group.bench_function(BenchmarkId::from_parameter("every page of the sample"), |bencher| {
        let outlier =
            |bag: &&Vec<LeafPath>| classify_naively(&sample, &options, &vocabulary.weigh(bag)).cluster.is_none();
        bencher.iter(|| pages.iter().filter(outlier).count());
    });
    group.finish();
}

fn classify_page(criterion: &mut Criterion) {
    corpora::NAMES.iter().for_each(|name| bench_corpus(criterion, name));
}

criterion_group!(benches, classify_page);
criterion_main!(benches);
