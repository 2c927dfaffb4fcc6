//! Creates policies by name.

use parking_lot::Mutex;
use std::sync::{Arc, OnceLock};

use super::awaiting::Begin;
use super::learned::{
    EXAMPLES_MAX, ExampleLink, Goal, LearnedPolicy, ReadPage, SiteModel, TopicTerms, Tuning, shared_tags,
};
use super::sites::SitesPolicy;
use super::{AwaitsExamples, BreadthFirst, ExamplePage, Observation, Outcome, Policy};
use harvestman_core::config::{self, PolicyKind, PolicyOptions};
use harvestman_core::model::{Apath, LinkClass};
use harvestman_core::seed::Seed;

/// Default number of sampled pages (SOUrCe 2018, section 5).
const SAMPLE_PAGES: usize = 1_000;
/// The worth of a near-duplicate of a wanted page to `target`.
const DUPLICATE_WORTH: f64 = 0.5;
/// The worth of a further address of an item to `topic`: an item counts once.
const ITEM_VIEW_WORTH: f64 = 0.0;

/// The chance of a wanted page, by itself or behind it, from which on `cluster-graph` follows a link.
const FOLLOWED_FROM: f64 = 0.25;

/// Returns the links of an example whose facts include its body.
pub type ReadLinks = dyn Fn(&ExamplePage) -> Vec<ExampleLink> + Send + Sync;

/// The inputs that a policy is made from.
#[derive(Clone)]
pub struct PolicyInputs<'a> {
    /// The seed of its random draws.
    pub seed: Seed,
    /// The pages of which wanted pages resemble at least one; without any, all policies look for content that users
    /// wrote. At most [`EXAMPLES_MAX`](crate::learned::EXAMPLES_MAX) are used.
    pub examples: &'a [ExamplePage],
    /// The number of pages to sample, for policies that learn from a sample; `None`: the number in their paper.
    pub sample_pages: Option<usize>,
    /// Whether a validator says which pages are wanted ([`PageFacts::accepted`](super::PageFacts::accepted)), rather
    /// than the examples.
    pub validated: bool,
    /// The topic, for `topic`; if it has no terms, it is that of the examples.
    pub topic: TopicTerms,
    /// Reads the links of examples, from whose tags `topic` takes its topic.
    pub read_links: Option<Arc<ReadLinks>>,
    /// Whether addresses of wanted pages may be made from others.
    pub derives: bool,
    /// What an earlier crawl learned of the site.
    pub model: Option<&'a SiteModel>,
}

impl PolicyInputs<'_> {
    /// The defaults, with this seed and no examples.
    pub fn new(seed: Seed) -> Self {
        Self {
            topic: TopicTerms::default(),
            read_links: None,
            seed,
            examples: &[],
            sample_pages: None,
            validated: false,
            derives: true,
            model: None,
        }
    }

    /// The number of pages to sample.
    pub fn sample_max(&self) -> usize {
        self.sample_pages.unwrap_or(SAMPLE_PAGES)
    }

    fn tuning(&self) -> Tuning {
        Tuning { sample_max: self.sample_max(), derives: self.derives, ..Tuning::default() }
    }

    /// Makes a learning policy, which starts from the model if there is one.
    fn learned(&self, goal: Goal, read: Box<ReadPage>) -> LearnedPolicy {
        self.learner(self.tuning())(goal, read)
    }

    /// The parameters of the policy that rejects links by the cluster graph.
    fn refusing_tuning(&self) -> Tuning {
        Tuning { followed_from: Some(FOLLOWED_FROM), ..self.tuning() }
    }

    /// Makes a policy for content of several sites, which starts from the model if there is one.
    fn of_sites(&self, tuning: Tuning, read: Box<ReadPage>) -> SitesPolicy {
        let seed = self.seed.0;
        let read = Arc::new(Mutex::new(read));
        let shared = move || -> Box<ReadPage> {
            let read = Arc::clone(&read);
            Box::new(move |bytes, content_type, tokens| (*read.lock())(bytes, content_type, tokens))
        };
        let known = match self.model.cloned().map(SiteModel::split) {
            None => vec![(LearnedPolicy::new(Goal::Content, tuning, seed, shared()), Vec::new())],
            Some(models) => {
                let each =
                    |(model, places)| (LearnedPolicy::from_model(Goal::Content, tuning, seed, shared(), model), places);
                models.into_iter().map(each).collect()
            }
        };
        SitesPolicy::new(known, Box::new(move || LearnedPolicy::new(Goal::Content, tuning, seed, shared())))
    }

    /// Makes a learning policy later.
    fn learner(&self, tuning: Tuning) -> impl FnOnce(Goal, Box<ReadPage>) -> LearnedPolicy + Send + use<> {
        let (seed, model) = (self.seed.0, self.model.cloned());
        move |goal, read| match model {
            Some(model) => LearnedPolicy::from_model(goal, tuning, seed, read, model),
            None => LearnedPolicy::new(goal, tuning, seed, read),
        }
    }

    /// Returns the topic: the terms, or else what the examples share that are at hand.
    fn topic_at_hand(&self) -> TopicTerms {
        match &self.read_links {
            Some(links) if self.topic.is_empty() => topic_of_examples(self.examples, &**links),
            _ => self.topic.clone(),
        }
    }

    /// Makes a policy for the topic: of the terms, or else of the tags that the examples share.
    fn about(&self, read: Box<ReadPage>) -> Box<dyn Policy> {
        let examples = &self.examples[..self.examples.len().min(EXAMPLES_MAX)];
        match &self.read_links {
            Some(links) if self.topic.is_empty() && !examples.is_empty() => {
                let (links, learner) = (Arc::clone(links), self.learner(self.tuning()));
                let begin = move |known: &[ExamplePage]| learner(topic(topic_of_examples(known, &*links)), read);
                if examples.iter().all(|example| example.facts.is_some()) {
                    return Box::new(begin(examples));
                }
                let begin: Begin = Box::new(move |known| Box::new(begin(&known)));
                Box::new(AwaitsExamples::new(examples.to_vec(), begin).with_bodies())
            }
            _ => Box::new(self.learned(topic(self.topic.clone()), read)),
        }
    }
}

/// Makes a policy that knows only the examples and the model; the function parses a page again.
pub type MakeWith = Arc<dyn Fn(&PolicyInputs<'_>, Box<ReadPage>) -> Box<dyn Policy> + Send + Sync>;

/// Policies that a program adds to those of this crate.
#[derive(Debug, Clone, Copy)]
pub struct AddedPolicies {
    /// Their names.
    pub names: &'static [&'static str],
    /// Returns how one of them is made. Settings that it cannot use are an error, whose text says what to do.
    pub maker: fn(&'static str, &PolicyOptions) -> Result<MakeWith, String>,
}

static ADDED: OnceLock<AddedPolicies> = OnceLock::new();

/// Adds policies to those that settings can name. A program calls it before it reads settings; later calls change
/// nothing.
pub fn add_policies(added: AddedPolicies) {
    let _ = ADDED.set(added);
    config::add_policies(added.names);
}

/// Returns how the policy that the settings name is made.
///
/// # Errors
/// The settings are not usable for a policy that the program added.
pub fn maker(kind: PolicyKind, options: &PolicyOptions) -> Result<MakeWith, String> {
    match (kind, ADDED.get()) {
        (PolicyKind::Added(name), Some(added)) => (added.maker)(name, options),
        _ => Ok(Arc::new(move |inputs, read| make(kind, inputs, read))),
    }
}

/// Makes a policy of this crate that knows only the examples and the model; breadth-first for one that was added.
/// `read` parses a page again.
pub fn make(kind: PolicyKind, inputs: &PolicyInputs<'_>, read: Box<ReadPage>) -> Box<dyn Policy> {
    match kind {
        PolicyKind::Bfs | PolicyKind::Added(_) => Box::new(BreadthFirst),
        PolicyKind::Ucc => Box::new(inputs.of_sites(inputs.tuning(), read)),
        PolicyKind::Target | PolicyKind::Xcrawl => Box::new(target(inputs, read)),
        PolicyKind::Topic => inputs.about(read),
        PolicyKind::ClusterGraph => Box::new(inputs.of_sites(inputs.refusing_tuning(), read)),
    }
}

/// Makes a policy that learns page by page what each adds; `None` where the policy `kind` does not.
pub fn make_learner(kind: PolicyKind, inputs: &PolicyInputs<'_>, read: Box<ReadPage>) -> Option<LearnedPolicy> {
    match kind {
        PolicyKind::Ucc => Some(inputs.learned(Goal::Content, read)),
        PolicyKind::Target | PolicyKind::Xcrawl => Some(target(inputs, read)),
        PolicyKind::Topic => Some(inputs.learned(topic(inputs.topic_at_hand()), read)),
        PolicyKind::ClusterGraph => Some(inputs.learner(inputs.refusing_tuning())(Goal::Content, read)),
        PolicyKind::Bfs | PolicyKind::Added(_) => None,
    }
}

/// Returns the topic that examples share: their common tags ([`shared_tags`]). It has no terms if they share none.
pub fn topic_of_examples(examples: &[ExamplePage], links: &ReadLinks) -> TopicTerms {
    let known: Vec<_> = examples.iter().filter(|example| example.facts.is_some()).map(links).collect();
    TopicTerms::new(shared_tags(&known).iter().map(String::as_str))
}

const fn topic(terms: TopicTerms) -> Goal {
    Goal::Topic { terms, duplicate_worth: ITEM_VIEW_WORTH }
}

fn target(inputs: &PolicyInputs<'_>, read: Box<ReadPage>) -> LearnedPolicy {
    let urls = inputs.examples.iter().map(|example| example.url.as_str().to_owned());
    let (examples, duplicate_worth) = (urls.collect::<Vec<_>>(), DUPLICATE_WORTH);
    let goal = match &examples[..] {
        _ if inputs.validated => Goal::Accepted { examples, duplicate_worth },
        [] => Goal::Content,
        _ => Goal::Like { examples, duplicate_worth },
    };
    let mut policy = inputs.learned(goal, read);
    let at_hand = inputs.examples.iter().filter_map(|ExamplePage { url, facts }| Some((url, facts.as_ref()?)));
    for (url, facts) in at_hand.filter(|(_, facts)| facts.body.is_some()).take(EXAMPLES_MAX) {
        // They are the first pages of the sample: they belong to clusters as soon as clusters exist.
        let outcome = Outcome::Page(Box::new(facts.clone()));
        let class = LinkClass::unclassified(Apath::SEED);
        policy.observe(Observation { url: url.clone(), class, via: None, outcome, new: Vec::new() });
    }
    policy
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::PageFacts;
    use harvestman_core::model::ParsedPage;
    use harvestman_core::url::CanonicalUrl;

    fn read() -> Box<ReadPage> {
        Box::new(|_, _, _| ParsedPage::default())
    }

    #[test]
    fn every_policy_is_made_with_and_without_an_example_and_only_breadth_first_never_learns() {
        let url = CanonicalUrl::from_canonical("http://h.test/topic/1/");
        let elsewhere = ExamplePage { url: url.clone(), facts: None };
        let at_hand = ExamplePage { url, facts: Some(PageFacts::default()) };
        let both = [elsewhere, at_hand];
        for kind in PolicyKind::ALL {
            for examples in [&[], &both[..1], &both[1..], &both] {
                let mut policy = make(kind, &PolicyInputs { examples, ..PolicyInputs::new(Seed(1)) }, read());
                assert_eq!(policy.learns(), kind != PolicyKind::Bfs, "{}", kind.name());
                let score = policy.snapshot().score(LinkClass::unclassified(Apath::SEED));
                assert!(!score.is_nan(), "{}", kind.name());
            }
        }
    }
}
