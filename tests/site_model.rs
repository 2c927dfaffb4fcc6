//! A recorded forum is crawled, and crawled again with the model that the first crawl left.

use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use harvestman::config::ParseOptions;
use harvestman::lab::corpus::Corpus;
use harvestman::lab::measures::Task;
use harvestman::lab::replay::{Plan, replay};
use harvestman::page::ClassTokens;
use harvestman::parse::{Parser, Spelling};
use harvestman::policy::learned::{Goal, Learned, ReadPage, SiteModel, Tuning};
use harvestman::policy::{Needs, Observation, Policy, PolicySnapshot};

/// Requests of each crawl.
const BUDGET: usize = 300;

/// A policy that is still there when the crawl is over.
#[derive(Clone)]
struct Kept(Arc<Mutex<Learned>>);

impl Policy for Kept {
    fn observe(&mut self, seen: Observation) {
        self.0.lock().expect("no crawl panicked").observe(seen);
    }

    fn snapshot(&mut self) -> Arc<dyn PolicySnapshot> {
        self.0.lock().expect("no crawl panicked").snapshot()
    }

    fn needs(&self) -> Needs {
        self.0.lock().expect("no crawl panicked").needs()
    }
}

fn reader() -> Box<ReadPage> {
    let mut parser = Parser::with_spelling(&ParseOptions::default(), Spelling::On).with_token_list();
    Box::new(move |bytes: &[u8], content_type: Option<&str>, tokens: Option<&Arc<ClassTokens>>| {
        parser.set_class_tokens(tokens.cloned());
        parser.parse(bytes, content_type)
    })
}

fn corpus(name: &str) -> Option<Arc<Corpus>> {
    let folder = std::env::var_os("HARVESTMAN_CORPORA").map_or_else(|| "../shared/corpora".into(), PathBuf::from);
    let file = folder.join(format!("{name}.warc.gz"));
    if !file.exists() {
        eprintln!("SKIPPED: {} is missing; set HARVESTMAN_CORPORA to the folder of the corpora", file.display());
        return None;
    }
    let labels = folder.join(format!("{name}.labels.csv.gz"));
    Some(Arc::new(Corpus::load(&file, Some(&labels)).expect("the corpus can be read")))
}

/// Crawls the corpus; returns how many of the pages were wanted and no second view, and the model.
fn crawl(corpus: &Arc<Corpus>, policy: Learned) -> (usize, SiteModel) {
    let plan = Plan::new(corpus, Task::Ucc, BUDGET);
    let policy = Kept(Arc::new(Mutex::new(policy)));
    let done = replay(&plan, Box::new(policy.clone()), |_, _, _| {}).expect("the crawl can begin");
    assert_eq!(done.order.len(), BUDGET);
    let model = policy.0.lock().expect("no crawl panicked").model();
    (done.fetches.iter().filter(|fetched| fetched.valid_unique).count(), model)
}

#[test]
fn a_crawl_that_begins_with_the_model_of_an_earlier_one_finds_more() {
    for name in ["machina", "spirit"] {
        let Some(corpus) = corpus(name) else { continue };
        let (first, model) = crawl(&corpus, Learned::new(Goal::Content, Tuning::default(), 1, reader()));
        let bytes = model.to_bytes().expect("the model can be written");
        let read = SiteModel::from_bytes(&bytes).expect("the model can be read");
        assert_eq!(read, model);
        let again = Learned::from_model(Goal::Content, Tuning::default(), 1, reader(), read);
        let (second, _) = crawl(&corpus, again);
        let facts = &model.facts;
        eprintln!("{name}: {first} of {BUDGET} without, {second} with the model; its file has {} bytes", bytes.len());
        assert!(second > first, "{name}: {first} without, {second} with the model");
        assert!(facts.clusters.len() > 3 && facts.hosts.len() == 1, "{name}: {facts:?}");
        let classes = facts.clusters.iter().flat_map(|cluster| &cluster.classes);
        let spelt =
            classes.filter(|class| class.apath_text.as_deref().is_some_and(|text| text.starts_with("/html/body")));
        assert!(spelt.count() > 10, "{name}: places are spelt out");
    }
}
