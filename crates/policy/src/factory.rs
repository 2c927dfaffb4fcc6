//! Policies by name.

use super::baselines::{
    IRobot, IRobotOptions, Opic, OpicOptions, Random, SbOptions, SleepingBandit, Spelling, Tpm, Wanted,
};
use super::cluster_graph::{ClusterGraphOptions, ClusterGraphPolicy};
use super::learned::{Example, Goal, Learned, ReadPage, SiteModel, Tuning};
use super::source::{SourceGoal, SourceOptions, SourcePolicy};
use super::{AwaitsExample, BreadthFirst, Observation, Outcome, PageFacts, Policy};
use harvestman_core::config::{ClusterBy, PolicyKind, PolicyVariant};
use harvestman_core::model::{Apath, LinkClass};
use harvestman_core::seed::Seed;
use harvestman_core::url::CanonicalUrl;

/// Pages that SOUrCe, TPM and iRobot sample (SOUrCe 2018, section 5), unless told otherwise.
const SAMPLE_PAGES: usize = 1_000;
/// What a near-duplicate of a wanted page is worth to `target`.
const DUPLICATE_WORTH: f64 = 0.5;

/// A page like those that are wanted.
#[derive(Debug, Clone)]
pub struct ExamplePage {
    /// Its address.
    pub url: CanonicalUrl,
    /// What it is, where it is at hand: with its body, if it is not a seed of the crawl besides.
    pub facts: Option<PageFacts>,
}

/// What a policy is made with.
#[derive(Clone)]
pub struct Making<'a> {
    /// Which form of it; `ucc`, `target` and `cluster-graph` have both, the others the default alone.
    pub variant: PolicyVariant,
    /// Where its random draws start.
    pub seed: Seed,
    /// The page that others shall be like; without one, all look for what users wrote.
    pub example: Option<&'a ExamplePage>,
    /// Pages to sample, where a policy learns from a sample; none: what its paper says.
    pub sample_pages: Option<usize>,
    /// What `cluster-graph` tells kinds of pages by.
    pub by: ClusterBy,
    /// Spells Apaths out, for `sb`.
    pub spelling: Option<Spelling>,
    /// What an earlier crawl learnt of the site: for `ucc` and `target` in their default form, and for `cluster-graph`, which then
    /// takes variant and kinds from it.
    pub model: Option<&'a SiteModel>,
}

impl Making<'_> {
    /// The defaults, with this seed and no example.
    pub const fn new(seed: Seed) -> Self {
        Self {
            variant: PolicyVariant::Default,
            seed,
            example: None,
            sample_pages: None,
            by: ClusterBy::Url,
            spelling: None,
            model: None,
        }
    }

    fn tuning(&self) -> Tuning {
        Tuning { sample_max: self.sample_pages.unwrap_or(SAMPLE_PAGES), ..Tuning::default() }
    }

    /// A policy that learns: from the model on, where there is one.
    fn learned(&self, goal: Goal, read: Box<ReadPage>) -> Learned {
        match self.model {
            Some(model) => Learned::from_model(goal, self.tuning(), self.seed.0, read, model.clone()),
            None => Learned::new(goal, self.tuning(), self.seed.0, read),
        }
    }

    /// A policy that looks for pages like the example: at once where that is at hand, otherwise once it has been fetched.
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

/// Makes a policy that knows nothing yet but the example and the model. `read` reads a page again.
pub fn make(kind: PolicyKind, making: &Making<'_>, read: Box<ReadPage>) -> Box<dyn Policy> {
    let seed = making.seed;
    let paper = making.variant == PolicyVariant::Paper;
    let sample_pages = making.sample_pages.unwrap_or(SAMPLE_PAGES);
    match kind {
        PolicyKind::Bfs => Box::new(BreadthFirst),
        PolicyKind::Random => Box::new(Random::new(seed)),
        PolicyKind::Opic => Box::new(Opic::new(OpicOptions::default())),
        PolicyKind::Ucc | PolicyKind::Target if paper => Box::new(SourcePolicy::new(paper_options(kind, making), seed)),
        PolicyKind::Ucc => Box::new(making.learned(Goal::Content, read)),
        PolicyKind::Target => Box::new(target(making, read)),
        PolicyKind::Irobot => {
            let options = IRobotOptions { sample_pages, ..IRobotOptions::default() };
            making.looking_for(move |wanted| Box::new(IRobot::new(wanted, options, seed)))
        }
        PolicyKind::Tpm => making.looking_for(move |wanted| Box::new(Tpm::new(wanted, sample_pages))),
        PolicyKind::Sb => {
            let spelling = making.spelling.clone();
            let options = SbOptions::default();
            making.looking_for(move |wanted| Box::new(SleepingBandit::new(wanted, options, spelling, seed)))
        }
        PolicyKind::ClusterGraph => {
            if let Some((facts, graph)) = making.model.and_then(|model| Some((&model.facts, model.graph()?))) {
                return Box::new(ClusterGraphPolicy::from_model(facts.clone(), graph.clone()));
            }
            let options = if paper {
                ClusterGraphOptions::paper(sample_pages)
            } else {
                ClusterGraphOptions::default_form(making.by, sample_pages)
            };
            Box::new(ClusterGraphPolicy::new(options, seed, read))
        }
    }
}

/// The options of SOUrCe as printed, for `ucc` or `target`.
pub fn paper_options(kind: PolicyKind, making: &Making<'_>) -> SourceOptions {
    let example = making.example.filter(|_| kind == PolicyKind::Target);
    let mut options = SourceOptions::paper(example.map_or(SourceGoal::Content, |example| {
        let bag = example.facts.as_ref().map(|facts| facts.bag.clone()).unwrap_or_default();
        SourceGoal::Like { url: example.url.fingerprint(), bag }
    }));
    options.sampling.pages_max = making.sample_pages.unwrap_or(SAMPLE_PAGES);
    options
}

fn target(making: &Making<'_>, read: Box<ReadPage>) -> Learned {
    let goal = making.example.map_or(Goal::Content, |example| {
        Goal::Like(Example { url: example.url.as_str().to_owned(), duplicate_worth: DUPLICATE_WORTH })
    });
    let mut policy = making.learned(goal, read);
    if let Some(ExamplePage { url, facts: Some(facts) }) = making.example
        && facts.body.is_some()
    {
        // It is the first page of the sample: it belongs to a cluster as soon as there are clusters.
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
    fn every_kind_is_made_with_and_without_an_example_and_only_breadth_first_never_learns() {
        let url = CanonicalUrl::from_canonical("http://h.test/topic/1/");
        let elsewhere = ExamplePage { url: url.clone(), facts: None };
        let at_hand = ExamplePage { url, facts: Some(PageFacts::default()) };
        for kind in PolicyKind::ALL {
            for example in [None, Some(&elsewhere), Some(&at_hand)] {
                for variant in [PolicyVariant::Default, PolicyVariant::Paper] {
                    let mut policy = make(kind, &Making { example, variant, ..Making::new(Seed(1)) }, read());
                    assert_eq!(policy.learns(), kind != PolicyKind::Bfs, "{}", kind.name());
                    let score = policy.snapshot().score(LinkClass::unclassified(Apath::SEED));
                    assert!(!score.is_nan(), "{}", kind.name());
                }
            }
        }
    }
}
