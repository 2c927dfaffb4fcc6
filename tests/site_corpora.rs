//! Templates and classification on recorded forums: the index compared with a full scan, the condensed sample with the
//! whole one, and every rule for eps with the labels.

mod corpora;

use std::collections::BTreeMap;

use harvestman::classify::{
    Buffers, Classifier, Index, KnnOptions, Outliers, Sample, Scratch, classify_naively, condense,
};
use harvestman::config::ParseOptions;
use harvestman::model::LeafPath;
use harvestman::parse::Parser;
use harvestman::site::{Distances, EpsOptions, EpsRule, Label, MIN_PTS, SparseVector, THETA, Vocabulary, dbscan, eps};

const SAMPLE_MAX: usize = 1_000;
const OTHERS_MAX: usize = 2_000;

/// Pages of a corpus: an evenly spread sample, and others.
struct Corpus {
    sample: Vec<Bag>,
    others: Vec<Bag>,
}

struct Bag {
    page_type: String,
    leaves: Vec<LeafPath>,
}

fn corpus(name: &str) -> Option<Corpus> {
    let (pages, labels) = (corpora::pages(name)?, corpora::labels(name)?);
    let mut parser = Parser::new(&ParseOptions::default());
    let mut bag = |page: &corpora::Page| Bag {
        page_type: labels.get(&page.url).cloned().unwrap_or_default().page_type,
        leaves: parser.parse(&page.body, Some("text/html; charset=utf-8")).leaf_paths,
    };
    // At most half for the sample, so that small corpora have others left.
    let step = (pages.len() / SAMPLE_MAX).max(2);
    let sample = pages.iter().step_by(step).take(SAMPLE_MAX).map(&mut bag).collect();
    let others: Vec<_> =
        pages.iter().enumerate().filter(|(place, _)| place % step != 0).map(|(_, page)| page).collect();
    let step = (others.len() / OTHERS_MAX).max(1);
    Some(Corpus { sample, others: others.into_iter().step_by(step).take(OTHERS_MAX).map(&mut bag).collect() })
}

fn learn(sample: &[Bag]) -> (Vocabulary, Vec<SparseVector>, Distances) {
    let vocabulary = Vocabulary::learn(sample.iter().map(|bag| &*bag.leaves), THETA);
    let vectors: Vec<_> = sample.iter().map(|bag| vocabulary.weigh(&bag.leaves)).collect();
    let distances = Distances::between(&vectors);
    (vocabulary, vectors, distances)
}

/// Returns the share of clustered pages that have the most frequent type of their cluster.
fn purity(sample: &[Bag], labels: &[Label]) -> f64 {
    let mut counts: BTreeMap<u32, BTreeMap<&str, u32>> = BTreeMap::new();
    for (bag, cluster) in sample.iter().zip(labels).filter_map(|(bag, label)| Some((bag, (*label)?))) {
        *counts.entry(cluster).or_default().entry(&bag.page_type).or_default() += 1;
    }
    let most: u32 = counts.values().filter_map(|types| types.values().max()).sum();
    f64::from(most) / labels.iter().flatten().count().max(1) as f64
}

#[test]
fn the_index_and_the_condensed_sample_agree_with_the_whole_sample() {
    for name in corpora::NAMES {
        let Some(corpus) = corpus(name) else { continue };
        assert!(corpus.others.len() >= 600, "{name} has only {} other pages", corpus.others.len());
        let (vocabulary, vectors, distances) = learn(&corpus.sample);
        let radius = eps(&distances, vocabulary.len(), &EpsOptions::default());
        let labels = dbscan(&distances, radius, MIN_PTS);
        let sample = Sample::new(&vectors, &labels);
        let others: Vec<_> = corpus.others.iter().map(|bag| vocabulary.weigh(&bag.leaves)).collect();
        for outliers in [Outliers::Vote, Outliers::Ignored] {
            let options = KnnOptions { outliers, ..KnnOptions::default() };
            let index = Index::new(&sample, options);
            let mut buffers = Buffers::default();
            for page in &others {
                let found = index.classify(&page.iter().collect::<Vec<_>>(), &mut buffers);
                assert_eq!(found, classify_naively(&sample, &options, page), "{name}");
            }
        }
        condensed_agrees(name, &sample, &others);
        cached_agrees(&vocabulary, &sample, &corpus.others);
    }
}

/// Half of the other pages are probes; the remainder must agree too.
fn condensed_agrees(name: &str, sample: &Sample, others: &[SparseVector]) {
    let options = KnnOptions::default();
    let (probes, rest): (Vec<_>, Vec<_>) = others.iter().cloned().enumerate().partition(|(place, _)| place % 2 == 0);
    let [probes, rest] = [probes, rest].map(|pages| pages.into_iter().map(|(_, page)| page).collect::<Vec<_>>());
    let small = condense(sample, &options, &probes, 0.999);
    let cluster = |sample, page| classify_naively(sample, &options, page).cluster;
    let same = rest.iter().filter(|page| cluster(sample, page) == cluster(&small, page)).count();
    let agreement = same as f64 / rest.len() as f64;
    let entries = [sample, &small].map(|sample| sample.entries().len());
    eprintln!("{name}: {} pages, {entries:?} entries whole and condensed, agreement {agreement:.4}", sample.pages());
    assert!(agreement >= 0.98, "{name}: the condensed sample agrees on {agreement} only");
    assert!(entries[1] < entries[0]);
}

fn cached_agrees(vocabulary: &Vocabulary, sample: &Sample, others: &[Bag]) {
    let classifier = Classifier::new(vocabulary.clone(), sample, KnnOptions::default(), 1);
    let (mut scratch, mut other) = (Scratch::new(256), Scratch::new(1));
    for bag in others {
        let found = classifier.classify(&bag.leaves, &mut scratch);
        assert_eq!(found, classifier.classify_uncached(&bag.leaves, &mut other));
    }
    eprintln!("{} of {} answers came from the cache", scratch.hits(), others.len());
    assert!(scratch.hits() > 0);
}

#[test]
fn clusters_are_page_types_with_every_rule_for_eps() {
    let rules = [
        EpsRule::PaperLiteral,
        EpsRule::PaperDistinct,
        EpsRule::Quantile(0.95),
        EpsRule::Quantile(0.98),
        EpsRule::Silhouette,
    ];
    for name in corpora::NAMES {
        let Some(corpus) = corpus(name) else { continue };
        let (vocabulary, vectors, distances) = learn(&corpus.sample);
        eprintln!("{name}: {} pages, {} distinct, {} features", vectors.len(), distances.points(), vocabulary.len());
        for rule in rules {
            let radius = eps(&distances, vocabulary.len(), &EpsOptions { rule, ..EpsOptions::default() });
            let labels = dbscan(&distances, radius, MIN_PTS);
            let clusters = labels.iter().flatten().max().map_or(0, |last| last + 1);
            let outliers = labels.iter().filter(|label| label.is_none()).count();
            let purity = purity(&corpus.sample, &labels);
            eprintln!("  {rule:?}: eps {radius:.4}, {clusters} clusters, {outliers} outliers, purity {purity:.3}");
            assert!(clusters >= 3, "{name}, {rule:?}: {clusters} clusters");
            assert!(purity >= 0.75, "{name}, {rule:?}: purity {purity}");
            assert!(outliers * 2 <= labels.len(), "{name}, {rule:?}: {outliers} outliers");
        }
    }
}
