//! Creates policies by name.

use super::baselines::{
    Apprentice, IRobot, IRobotOptions, Opic, OpicOptions, Random, SbOptions, SleepingBandit, Spelling, Tpm, Wanted,
};
use super::cluster_graph::{ClusterGraphOptions, ClusterGraphPolicy};
use super::learned::{Example, Goal, Learned, ReadPage, SiteModel, TopicTerms, Tuning};
use super::source::{SourceGoal, SourceOptions, SourcePolicy};
use super::xcrawl::{XCrawl, XCrawlOptions};
use super::{AwaitsExample, BreadthFirst, Observation, Outcome, PageFacts, Policy};
use harvestman_core::config::{ClusterBy, PolicyKind, PolicyVariant};
use harvestman_core::model::{Apath, LinkClass};
use harvestman_core::seed::Seed;
use harvestman_core::url::CanonicalUrl;

/// Default number of pages that SOUrCe, TPM and iRobot sample (SOUrCe 2018, section 5).
const SAMPLE_PAGES: usize = 1_000;
/// The worth of a near-duplicate of a wanted page to `target`.
const DUPLICATE_WORTH: f64 = 0.5;
/// The worth of a further address of an item to `topic`: an item counts once.
const ITEM_VIEW_WORTH: f64 = 0.0;

/// A page like those that are wanted.
#[derive(Debug, Clone)]
pub struct ExamplePage {
    /// The address of the page.
    pub url: CanonicalUrl,
    /// The page's facts, where it is available; they include its body unless the page is a seed of the crawl.
    pub facts: Option<PageFacts>,
}

/// The inputs that a policy is made from.
#[derive(Clone)]
pub struct PolicyInputs<'a> {
    /// The form of the policy; `ucc`, `target` and `cluster-graph` have both forms, the others only the default one.
    pub variant: PolicyVariant,
    /// The seed of its random draws.
    pub seed: Seed,
    /// The page that wanted pages resemble; without one, all policies look for content that users wrote.
    pub example: Option<&'a ExamplePage>,
    /// The number of pages to sample, for policies that learn from a sample; `None`: the number in their paper.
    pub sample_pages: Option<usize>,
    /// Whether a validator says which pages are wanted ([`PageFacts::accepted`]), rather than the example.
    pub validated: bool,
    /// The topic, for `topic`.
    pub topic: TopicTerms,
    /// What `cluster-graph` tells page clusters apart by.
    pub by: ClusterBy,
    /// Spells Apaths out, for `sb`.
    pub spelling: Option<Spelling>,
    /// What an earlier crawl learnt of the site: for `ucc` and `target` in their default form, and for `cluster-graph`,
    /// which then takes its variant and its clusters from the model.
    pub model: Option<&'a SiteModel>,
}

impl PolicyInputs<'_> {
    /// The defaults, with this seed and no example.
    pub fn new(seed: Seed) -> Self {
        Self {
            topic: TopicTerms::default(),
            variant: PolicyVariant::Default,
            seed,
            example: None,
            sample_pages: None,
            validated: false,
            by: ClusterBy::Url,
            spelling: None,
            model: None,
        }
    }

    fn tuning(&self) -> Tuning {
        Tuning { sample_max: self.sample_pages.unwrap_or(SAMPLE_PAGES), ..Tuning::default() }
    }

    /// Makes a learning policy, which starts from the model if there is one.
    fn learned(&self, goal: Goal, read: Box<ReadPage>) -> Learned {
        match self.model {
            Some(model) => Learned::from_model(goal, self.tuning(), self.seed.0, read, model.clone()),
            None => Learned::new(goal, self.tuning(), self.seed.0, read),
        }
    }

    /// Makes a policy that looks for pages like the example: at once where the page is available, otherwise once it has
    /// been fetched.
    fn looking_for(&self, policy: impl FnOnce(Wanted) -> Box<dyn Policy> + Send + 'static) -> Box<dyn Policy> {
        match self.example {
            None => policy(Wanted::Content),
            Some(ExamplePage { facts: Some(facts), .. }) => policy(Wanted::Like(facts.bag.clone())),
            Some(ExamplePage { url, facts: None }) => {
                Box::new(AwaitsExample::new(url.clone(), Box::new(move |bag| policy(Wanted::Like(bag)))))
            }
        }
    }
}

/// Makes a policy that knows only the example and the model. `read` parses a page again.
pub fn make(kind: PolicyKind, inputs: &PolicyInputs<'_>, read: Box<ReadPage>) -> Box<dyn Policy> {
    let seed = inputs.seed;
    let paper = inputs.variant == PolicyVariant::Paper;
    let sample_pages = inputs.sample_pages.unwrap_or(SAMPLE_PAGES);
    match kind {
        PolicyKind::Bfs => Box::new(BreadthFirst),
        PolicyKind::Random => Box::new(Random::new(seed)),
        PolicyKind::Opic => Box::new(Opic::new(OpicOptions::default())),
        PolicyKind::Ucc | PolicyKind::Target if paper => Box::new(SourcePolicy::new(paper_options(kind, inputs), seed)),
        PolicyKind::Ucc => Box::new(inputs.learned(Goal::Content, read)),
        PolicyKind::Xcrawl if paper => Box::new(XCrawl::new(XCrawlOptions::paper(), seed)),
        PolicyKind::Target | PolicyKind::Xcrawl => Box::new(target(inputs, read)),
        PolicyKind::Topic => {
            let goal = Goal::Topic { terms: inputs.topic.clone(), duplicate_worth: ITEM_VIEW_WORTH };
            Box::new(inputs.learned(goal, read))
        }
        PolicyKind::Irobot => {
            let options = IRobotOptions { sample_pages, ..IRobotOptions::default() };
            inputs.looking_for(move |wanted| Box::new(IRobot::new(wanted, options, seed)))
        }
        PolicyKind::Apprentice => inputs.looking_for(move |wanted| Box::new(Apprentice::new(wanted))),
        PolicyKind::Tpm => inputs.looking_for(move |wanted| Box::new(Tpm::new(wanted, sample_pages))),
        PolicyKind::Sb => {
            let spelling = inputs.spelling.clone();
            let options = SbOptions::default();
            inputs.looking_for(move |wanted| Box::new(SleepingBandit::new(wanted, options, spelling, seed)))
        }
        PolicyKind::ClusterGraph => {
            if let Some((facts, graph)) = inputs.model.and_then(|model| Some((&model.facts, model.graph()?))) {
                return Box::new(ClusterGraphPolicy::from_model(facts.clone(), graph.clone()));
            }
            let options = if paper {
                ClusterGraphOptions::paper(sample_pages)
            } else {
                ClusterGraphOptions::default_form(inputs.by, sample_pages)
            };
            Box::new(ClusterGraphPolicy::new(options, seed, read))
        }
    }
}

/// Makes a policy that learns what the text of each page adds; `None` where the policy `kind` does not.
pub fn make_learner(kind: PolicyKind, inputs: &PolicyInputs<'_>, read: Box<ReadPage>) -> Option<Learned> {
    match kind {
        _ if inputs.variant == PolicyVariant::Paper => None,
        PolicyKind::Ucc => Some(inputs.learned(Goal::Content, read)),
        PolicyKind::Target | PolicyKind::Xcrawl => Some(target(inputs, read)),
        _ => None,
    }
}

/// The options of SOUrCe as printed, for `ucc` or `target`.
pub fn paper_options(kind: PolicyKind, inputs: &PolicyInputs<'_>) -> SourceOptions {
    let example = inputs.example.filter(|_| kind == PolicyKind::Target);
    let mut options = SourceOptions::paper(example.map_or(SourceGoal::Content, |example| {
        let bag = example.facts.as_ref().map(|facts| facts.bag.clone()).unwrap_or_default();
        SourceGoal::Like { url: example.url.fingerprint(), bag }
    }));
    options.sampling.pages_max = inputs.sample_pages.unwrap_or(SAMPLE_PAGES);
    options
}

fn target(inputs: &PolicyInputs<'_>, read: Box<ReadPage>) -> Learned {
    let (example, duplicate_worth) = (inputs.example.map(|example| example.url.as_str().to_owned()), DUPLICATE_WORTH);
    let goal = match example {
        _ if inputs.validated => Goal::Accepted { example, duplicate_worth },
        Some(url) => Goal::Like(Example { url, duplicate_worth }),
        None => Goal::Content,
    };
    let mut policy = inputs.learned(goal, read);
    if let Some(ExamplePage { url, facts: Some(facts) }) = inputs.example
        && facts.body.is_some()
    {
        // It is the first page of the sample: it belongs to a cluster as soon as clusters exist.
        let outcome = Outcome::Page(Box::new(facts.clone()));
        let class = LinkClass::unclassified(Apath::SEED);
        policy.observe(Observation { url: url.clone(), class, via: None, outcome, new: Vec::new() });
    }
    policy
}

#[cfg(test)]
mod tests {
    use super::*;
    use harvestman_core::model::ParsedPage;

    fn read() -> Box<ReadPage> {
        Box::new(|_, _, _| ParsedPage::default())
    }

    #[test]
    fn every_policy_is_made_with_and_without_an_example_and_only_breadth_first_never_learns() {
        let url = CanonicalUrl::from_canonical("http://h.test/topic/1/");
        let elsewhere = ExamplePage { url: url.clone(), facts: None };
        let at_hand = ExamplePage { url, facts: Some(PageFacts::default()) };
        for kind in PolicyKind::ALL {
            for example in [None, Some(&elsewhere), Some(&at_hand)] {
                for variant in [PolicyVariant::Default, PolicyVariant::Paper] {
                    let mut policy =
                        make(kind, &PolicyInputs { example, variant, ..PolicyInputs::new(Seed(1)) }, read());
                    assert_eq!(policy.learns(), kind != PolicyKind::Bfs, "{}", kind.name());
                    let score = policy.snapshot().score(LinkClass::unclassified(Apath::SEED));
                    assert!(!score.is_nan(), "{}", kind.name());
                }
            }
        }
    }
}
