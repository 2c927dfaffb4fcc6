//! The cluster graph on recorded forums, if the corpora are available: how many wanted pages it finds, and the requests
//! that most of them take.

use harvestman::config::PolicyKind;
use std::path::PathBuf;
use std::sync::Arc;

use harvestman::seed::Seed;
use harvestman_lab::corpus::{Corpus, PageId};
use harvestman_lab::measures::Task;
use harvestman_lab::replay::{Plan, PolicyInputs, make, replay};

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

/// The result of a complete crawl.
#[derive(Debug)]
struct Measured {
    /// The share of wanted pages that were fetched.
    recall: f64,
    /// The requests for 95 % of the wanted pages, and for all that were found, divided by the number of wanted pages.
    to_most: f64,
    to_end: f64,
}

fn measure(corpus: &Arc<Corpus>, seed: u64) -> Measured {
    let truth = corpus.truth().expect("the corpus has labels");
    let making = PolicyInputs::new(Seed(seed));
    let plan = Plan::new(corpus, Task::Ucc, 2 * corpus.len());
    let done = replay(&plan, make(PolicyKind::ClusterGraph, &making), |_, _, _| {}).expect("the default settings hold");
    let is_wanted = |id: PageId| {
        let label = truth.page(id).filter(|label| label.is_ucc && !label.is_duplicate_view);
        label.is_some() && corpus.page(id).is_page()
    };
    let wanted = corpus.ids().filter(|id| is_wanted(*id)).count() as f64;
    let (mut found, mut to_most) = (0.0, f64::INFINITY);
    for (requests, request) in (1..).zip(&done.order) {
        found += f64::from(u8::from(request.page.is_some_and(is_wanted)));
        if found >= 0.95 * wanted {
            to_most = to_most.min(f64::from(requests) / wanted);
        }
    }
    Measured { recall: found / wanted, to_most, to_end: done.order.len() as f64 / wanted }
}

#[test]
fn most_wanted_pages_take_few_requests_more_than_there_are_and_the_crawl_ends_with_nearly_all() {
    for name in ["machina", "spirit"] {
        let Some(corpus) = corpus(name) else { return };
        for seed in [1, 9] {
            let measured = measure(&corpus, seed);
            let holds = measured.recall >= 0.97 && measured.to_most <= 1.15 && measured.to_end <= 1.6;
            assert!(holds, "{name}, seed {seed}: {measured:?}");
        }
    }
}
