//! Crawls a recorded forum, and crawls it again with the site model of the first crawl.

use std::path::PathBuf;
use std::sync::Arc;

use harvestman::config::ParseOptions;
use harvestman::pipeline::spelling_reader;
use harvestman::policy::learned::{Goal, LearnedPolicy, ReadPage, SiteModel, Tuning};
use harvestman_lab::corpus::Corpus;
use harvestman_lab::measures::Task;
use harvestman_lab::replay::{Plan, replay_keeping};

/// Requests per crawl.
const BUDGET: usize = 300;

fn reader() -> Box<ReadPage> {
    spelling_reader(&ParseOptions::default())
}

fn corpus(name: &str) -> Option<Arc<Corpus>> {
    let folder = std::env::var_os("HARVESTMAN_CORPORA")
        .map_or_else(|| concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/corpora").into(), PathBuf::from);
    let file = folder.join(format!("{name}.warc.gz"));
    if !file.exists() {
        eprintln!("SKIPPED: {} is missing; set HARVESTMAN_CORPORA to the folder of the corpora", file.display());
        return None;
    }
    let labels = folder.join(format!("{name}.labels.csv.gz"));
    Some(Arc::new(Corpus::load(&file, Some(&labels)).expect("the corpus can be read")))
}

/// Crawls the corpus. Returns the number of wanted pages that are not duplicate views, and the model.
fn crawl(corpus: &Arc<Corpus>, policy: LearnedPolicy) -> (usize, SiteModel) {
    let plan = Plan::new(corpus, Task::Ucc, BUDGET);
    let (done, mut policy) = replay_keeping(&plan, Box::new(policy), |_, _, _| {}).expect("the crawl can begin");
    assert_eq!(done.order.len(), BUDGET);
    let model = policy.site_model(&mut *reader()).expect("it has learned");
    (done.fetches.iter().filter(|fetched| fetched.valid_unique).count(), model)
}

#[test]
fn a_crawl_with_the_model_of_an_earlier_one_finds_more() {
    for name in ["machina", "spirit"] {
        let Some(corpus) = corpus(name) else { continue };
        let (first, model) = crawl(&corpus, LearnedPolicy::new(Goal::Content, Tuning::default(), 1, reader()));
        let bytes = model.to_bytes().expect("the model can be written");
        let read = SiteModel::from_bytes(&bytes).expect("the model can be read");
        assert_eq!(read, model);
        let again = LearnedPolicy::from_model(Goal::Content, Tuning::default(), 1, reader(), read);
        let (second, _) = crawl(&corpus, again);
        let facts = &model.facts;
        eprintln!("{name}: {first} of {BUDGET} without, {second} with the model; its file has {} bytes", bytes.len());
        assert!(second > first, "{name}: {first} without, {second} with the model");
        assert!(facts.clusters.len() >= 3 && facts.hosts.len() == 1, "{name}: {facts:?}");
        let classes = facts.clusters.iter().flat_map(|cluster| &cluster.classes);
        let spelt =
            classes.filter(|class| class.apath_text.as_deref().is_some_and(|text| text.starts_with("/html/body")));
        assert!(spelt.count() > 10, "{name}: places are spelt out");
    }
}
