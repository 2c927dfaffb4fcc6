//! The cluster graph on recorded forums, if the corpora are available: the precision and recall of valuable pages.

use harvestman::config::{ClusterBy, PolicyKind};
use std::collections::HashSet;
use std::path::PathBuf;
use std::sync::Arc;

use harvestman::seed::Seed;
use harvestman_lab::corpus::{Corpus, PageId, Truth};
use harvestman_lab::measures::Task;
use harvestman_lab::replay::{Plan, PolicyInputs, Variant, make, replay};

/// Loads a corpus; without it, the test reports that it is skipped.
fn corpus(name: &str) -> Option<Arc<Corpus>> {
    let folder = std::env::var_os("HARVESTMAN_CORPORA")
        .map_or_else(|| PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/corpora")), Into::into);
    let (pages, labels) = (folder.join(format!("{name}.warc.gz")), folder.join(format!("{name}.labels.csv.gz")));
    if !pages.exists() {
        eprintln!("SKIPPED: no corpus {}; set HARVESTMAN_CORPORA", pages.display());
        return None;
    }
    Some(Arc::new(Corpus::load(&pages, Some(&labels)).expect("a corpus with labels")))
}

/// Page types that list user-created content or users.
const LISTS: [&str; 5] = ["forum:forum", "forum:index", "members", "spirit:index", "spirit:category:detail"];

/// Returns whether a page is valuable: user-created or a list of such pages, and not a duplicate view.
fn is_valuable(truth: &Truth, id: PageId) -> bool {
    let valuable = |page_type: &str, is_ucc: bool| is_ucc || LISTS.contains(&page_type);
    truth.page(id).is_some_and(|label| !label.is_duplicate_view && valuable(&label.page_type, label.is_ucc))
}

/// The result of a complete crawl.
#[derive(Debug)]
struct Measured {
    /// The share of valuable pages among the fetched ones.
    share: f64,
    /// The share of valuable pages that were fetched.
    recall: f64,
    /// The share of valuable pages among the others.
    false_negatives: f64,
}

fn measure(corpus: &Arc<Corpus>, by: ClusterBy, seed: u64, sample_free: Option<usize>) -> Measured {
    let truth = corpus.truth().expect("the corpus has labels");
    let plan = Plan { sample_free, ..Plan::new(corpus, Task::Ucc, 2 * corpus.len()) };
    let making = PolicyInputs { variant: Variant::Default, by, ..PolicyInputs::new(Seed(seed)) };
    let done = replay(&plan, make(PolicyKind::ClusterGraph, &making), |_, _, _| {}).expect("the default settings hold");
    let fetched: HashSet<PageId> = done.order.iter().filter_map(|request| request.page).collect();
    let valuable: Vec<PageId> = corpus.ids().filter(|id| is_valuable(truth, *id)).collect();
    let found = valuable.iter().filter(|id| fetched.contains(id)).count() as f64;
    Measured {
        share: found / done.order.len() as f64,
        recall: found / valuable.len() as f64,
        false_negatives: (valuable.len() as f64 - found) / (corpus.len() - fetched.len()).max(1) as f64,
    }
}

/// Crawls with three samples in parallel.
fn by_three_samples(corpus: &Arc<Corpus>, by: ClusterBy) -> Vec<(u64, Measured)> {
    std::thread::scope(|scope| {
        let crawl = |seed| scope.spawn(move || (seed, measure(corpus, by, seed, Some(1_000))));
        let crawls = SEEDS.map(crawl);
        crawls.into_iter().map(|crawl| crawl.join().expect("the crawl ends")).collect()
    })
}

/// They include 5, with which pages of several templates at one URL pattern were once treated as unknown page types on
/// machina, and 9, which lost recall on spirit.
const SEEDS: [u64; 3] = [1, 5, 9];

fn nine_of_ten_fetches_are_worth_it_and_little_is_missed(by: ClusterBy) {
    for name in ["machina", "spirit"] {
        let Some(corpus) = corpus(name) else { return };
        for (seed, measured) in by_three_samples(&corpus, by) {
            let Measured { share, recall, false_negatives } = measured;
            let holds = share >= 0.9 && recall >= 0.95 && false_negatives <= 0.021;
            assert!(holds, "{name} {by:?}, seed {seed}: {measured:?}");
        }
    }
}

#[test]
fn with_a_free_sample_nine_of_ten_fetches_are_valuable_by_urls() {
    nine_of_ten_fetches_are_worth_it_and_little_is_missed(ClusterBy::Url);
}

#[test]
fn with_a_free_sample_nine_of_ten_fetches_are_valuable_by_urls_and_templates() {
    nine_of_ten_fetches_are_worth_it_and_little_is_missed(ClusterBy::Both);
}

#[test]
fn with_a_counted_sample_precision_is_several_times_that_of_fetching_everything() {
    for (name, floor, everything) in [("machina", 0.85, 0.288), ("spirit", 0.7, 0.169)] {
        let Some(corpus) = corpus(name) else { return };
        let Measured { share, recall, .. } = measure(&corpus, ClusterBy::Both, 1, None);
        assert!(share >= floor && recall >= 0.95 && share > 2.5 * everything, "{name}: {share} with recall {recall}");
    }
}

#[test]
fn by_templates_alone_recall_is_high_too() {
    let Some(corpus) = corpus("spirit") else { return };
    let measured = measure(&corpus, ClusterBy::Structure, 1, Some(1_000));
    assert!(measured.share >= 0.6 && measured.recall >= 0.95, "{measured:?}");
}
