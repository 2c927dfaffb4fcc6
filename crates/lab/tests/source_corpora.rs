//! SOUrCe as printed on recorded forums, if the corpora are available.

use harvestman::config::PolicyKind;
use std::path::PathBuf;
use std::sync::Arc;

use harvestman::seed::Seed;
use harvestman_lab::corpus::Corpus;
use harvestman_lab::measures::{Harvest, Judge, Task};
use harvestman_lab::replay::{Plan, PolicyInputs, Replay, Variant, make, replay};

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

fn crawl(corpus: &Arc<Corpus>, name: PolicyKind, variant: Variant, sample_free: Option<usize>) -> (Replay, f64) {
    let plan = Plan { sample_free, ..Plan::new(corpus, Task::Ucc, 498) };
    let making = PolicyInputs { variant, ..PolicyInputs::new(Seed(1)) };
    let done = replay(&plan, make(name, &making), |_, _, _| {}).expect("the default settings hold");
    let wanted = Judge::new(corpus, Task::Ucc).wanted();
    let valid = Harvest::of(&done.fetches, wanted).valid_ratio.expect("the corpus has labels");
    (done, valid)
}

#[test]
fn with_a_free_sample_a_crawl_is_better_than_breadth_first() {
    let Some(corpus) = corpus("spirit") else { return };
    let (_, breadth_first) = crawl(&corpus, PolicyKind::Bfs, Variant::Default, None);
    let (done, paper) = crawl(&corpus, PolicyKind::Ucc, Variant::Paper, Some(20_000));
    assert!(done.sampled > 200 && done.order.len() == 498, "{} and {}", done.sampled, done.order.len());
    assert!(paper > breadth_first + 0.05, "{paper} against {breadth_first}");
    let note = done.note.unwrap();
    assert!(note.starts_with("learned from "), "{note}");
}

#[test]
fn the_radius_by_the_printed_rule_gives_many_more_outliers() {
    let Some(corpus) = corpus("spirit") else { return };
    let outliers = |variant| {
        let note = crawl(&corpus, PolicyKind::Ucc, variant, Some(20_000)).0.note.unwrap();
        let words: Vec<&str> = note.split(' ').collect();
        let at = words.iter().position(|word| *word == "outliers").unwrap();
        words[at - 1].parse::<u32>().unwrap()
    };
    let (distinct, letter) = (outliers(Variant::Paper), outliers(Variant::PaperLiteralEps));
    assert!(letter > 2 * distinct, "{letter} against {distinct}");
}

#[test]
fn the_same_seed_gives_the_same_crawl() {
    let Some(corpus) = corpus("spirit") else { return };
    let order = || crawl(&corpus, PolicyKind::Ucc, Variant::Paper, None).0.order;
    assert_eq!(order(), order());
}
