//! The cluster graph on recorded forums, where the corpora are at hand: how much of what it lets through is worth having, and how
//! much of what is worth having it lets through.

use std::collections::HashSet;
use std::path::PathBuf;
use std::sync::Arc;

use harvestman::config::ClusterBy;
use harvestman::lab::corpus::{Corpus, PageId, Truth};
use harvestman::lab::measures::Task;
use harvestman::lab::replay::{Making, Plan, PolicyName, Variant, make, replay};
use harvestman::seed::Seed;

/// Where the corpora lie, or nothing: then these tests say so and check nothing.
fn corpus(name: &str) -> Option<Arc<Corpus>> {
    let folder = std::env::var_os("HARVESTMAN_CORPORA").map_or_else(|| PathBuf::from("../shared/corpora"), Into::into);
    let (pages, labels) = (folder.join(format!("{name}.warc.gz")), folder.join(format!("{name}.labels.csv.gz")));
    if !pages.exists() {
        eprintln!("SKIPPED: no corpus {}; set HARVESTMAN_CORPORA", pages.display());
        return None;
    }
    Some(Arc::new(Corpus::load(&pages, Some(&labels)).expect("a corpus with labels")))
}

/// Types of pages that list what users made, or who they are.
const LISTS: [&str; 5] = ["forum:forum", "forum:index", "members", "spirit:index", "spirit:category:detail"];

/// Whether a page is worth having: no second view, and made by users or a list of what they made.
fn is_valuable(truth: &Truth, id: PageId) -> bool {
    let valuable = |page_type: &str, is_ucc: bool| is_ucc || LISTS.contains(&page_type);
    truth.page(id).is_some_and(|label| !label.is_duplicate_view && valuable(&label.page_type, label.is_ucc))
}

/// What a crawl to the end came to.
#[derive(Debug)]
struct Measured {
    /// The valuable share of what was fetched.
    share: f64,
    /// The fetched share of what is valuable.
    recall: f64,
    /// The valuable share of what was not fetched.
    false_negatives: f64,
}

fn measure(corpus: &Arc<Corpus>, by: ClusterBy, seed: u64, sample_free: Option<usize>) -> Measured {
    let truth = corpus.truth().expect("the corpus has labels");
    let plan = Plan { sample_free, ..Plan::new(corpus, Task::Ucc, 2 * corpus.len()) };
    let making = Making { variant: Variant::Default, by, ..Making::new(Seed(seed)) };
    let done = replay(&plan, make(PolicyName::ClusterGraph, &making), |_, _, _| {}).expect("the default settings hold");
    let fetched: HashSet<PageId> = done.order.iter().filter_map(|request| request.page).collect();
    let valuable: Vec<PageId> = corpus.ids().filter(|id| is_valuable(truth, *id)).collect();
    let found = valuable.iter().filter(|id| fetched.contains(id)).count() as f64;
    Measured {
        share: found / done.order.len() as f64,
        recall: found / valuable.len() as f64,
        false_negatives: (valuable.len() as f64 - found) / (corpus.len() - fetched.len()).max(1) as f64,
    }
}

/// Three samples, side by side.
fn by_three_samples(corpus: &Arc<Corpus>, by: ClusterBy) -> Vec<(u64, Measured)> {
    std::thread::scope(|scope| {
        let crawl = |seed| scope.spawn(move || (seed, measure(corpus, by, seed, Some(1_000))));
        let crawls = SEEDS.map(crawl);
        crawls.into_iter().map(|crawl| crawl.join().expect("the crawl ends")).collect()
    })
}

/// Among them 5, after which pages of several templates under one kind of address were once taken on machina for kinds of which nothing is
/// known, and 9, which lost recall on spirit.
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
fn with_a_sample_that_does_not_count_nine_of_ten_fetches_are_worth_it_by_addresses() {
    nine_of_ten_fetches_are_worth_it_and_little_is_missed(ClusterBy::Url);
}

#[test]
fn with_a_sample_that_does_not_count_nine_of_ten_fetches_are_worth_it_by_addresses_and_templates() {
    nine_of_ten_fetches_are_worth_it_and_little_is_missed(ClusterBy::Both);
}

#[test]
fn with_the_sample_counted_it_is_several_times_what_fetching_everything_comes_to() {
    for (name, floor, everything) in [("machina", 0.85, 0.288), ("spirit", 0.7, 0.169)] {
        let Some(corpus) = corpus(name) else { return };
        let Measured { share, recall, .. } = measure(&corpus, ClusterBy::Both, 1, None);
        assert!(share >= floor && recall >= 0.95 && share > 2.5 * everything, "{name}: {share} with recall {recall}");
    }
}

#[test]
fn by_templates_alone_hardly_anything_is_missed_either() {
    let Some(corpus) = corpus("spirit") else { return };
    let measured = measure(&corpus, ClusterBy::Structure, 1, Some(1_000));
    assert!(measured.share >= 0.6 && measured.recall >= 0.95, "{measured:?}");
}
