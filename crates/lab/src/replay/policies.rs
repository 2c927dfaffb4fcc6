//! Creates policies by name.

use super::ExamplePage;
use super::names::Variant;
use super::topic::TopicInputs;
use super::walks::WalkParameters;
use harvestman_core::config::{ParseOptions, PolicyKind};
use harvestman_core::seed::Seed;
use harvestman_papers::baseline;
use harvestman_papers::baselines::Spelling;
use harvestman_papers::cluster_graph::{ClusterGraphOptions, ClusterGraphPolicy};
use harvestman_papers::site::{AdjacencyWeight, Norm, OutlierDestinations};
use harvestman_papers::source::{SampleOrder, SourceOptions, SourcePolicy};
use harvestman_papers::xcrawl::{Phases, Proximity, XCrawl, XCrawlOptions};
use harvestman_pipeline as pipeline;
use harvestman_policy::learned::TopicTerms;
use harvestman_policy::{self as policy, PageFacts, Policy};
use harvestman_structure::site::EpsRule;

/// The parameters of a policy.
#[derive(Clone)]
pub struct PolicyInputs<'a> {
    /// The variant.
    pub variant: Variant,
    /// The parameters of the walks, for variants of `xcrawl`.
    pub walks: WalkParameters,
    /// The random seed.
    pub seed: Seed,
    /// The example page; without one, the baselines look for user-created content.
    pub example: Option<&'a ExamplePage>,
    /// Number of pages of the sample, or maximum number of pages to learn templates from; `None` means 1,000.
    pub sample_pages: Option<usize>,
    /// The topic, for `topic`.
    pub topic: Option<&'a TopicInputs>,
    /// Whether the replay has a validator.
    pub validated: bool,
    /// The spelling of Apaths, for `sb`.
    pub spelling: Option<Spelling>,
}

impl PolicyInputs<'_> {
    /// Returns the defaults, with this seed and no example.
    pub const fn new(seed: Seed) -> Self {
        Self {
            topic: None,
            variant: Variant::Default,
            walks: WalkParameters { restart: None, iterations: None },
            seed,
            example: None,
            sample_pages: None,
            validated: false,
            spelling: None,
        }
    }

    /// Converts them for a crawl. The example is a seed of the replay, so it is learned from when it is fetched.
    fn with<T>(&self, then: impl FnOnce(&policy::PolicyInputs<'_>) -> T) -> T {
        let example = self.example.map(|example| policy::ExamplePage {
            url: example.url.clone(),
            facts: Some(PageFacts { bag: example.bag.clone(), ..PageFacts::default() }),
        });
        then(&policy::PolicyInputs {
            examples: example.as_slice(),
            sample_pages: self.sample_pages,
            topic: TopicTerms::new(self.topic.into_iter().flat_map(|topic| &topic.terms).map(|term| &**term)),
            validated: self.validated,
            ..policy::PolicyInputs::new(self.seed)
        })
    }
}

/// Creates a policy without knowledge.
pub fn make(name: PolicyKind, making: &PolicyInputs<'_>) -> Box<dyn Policy> {
    let topic = making.topic.filter(|_| name == PolicyKind::Topic && making.variant != Variant::Default);
    if let Some(topic) = topic {
        return Box::new(topic.paper(making.variant));
    }
    making.with(|inputs| {
        let read = pipeline::reader(&ParseOptions::default());
        printed(name, making.variant, making.walks, inputs)
            .or_else(|| baseline(name, inputs, making.spelling.clone()))
            .unwrap_or_else(|| policy::make(name, inputs, read))
    })
}

/// Creates a policy as printed, in this variant; `None` where the variant is the default one, or is not of the policy.
pub fn printed(
    name: PolicyKind,
    variant: Variant,
    walks: WalkParameters,
    inputs: &policy::PolicyInputs<'_>,
) -> Option<Box<dyn Policy>> {
    if variant == Variant::Default {
        return None;
    }
    Some(match name {
        PolicyKind::Ucc => Box::new(SourcePolicy::new(source_options(variant, None, inputs), inputs.seed)),
        PolicyKind::Target => {
            Box::new(SourcePolicy::new(source_options(variant, inputs.examples.first(), inputs), inputs.seed))
        }
        PolicyKind::Xcrawl => Box::new(XCrawl::new(walks.apply(xcrawl_options(variant)), inputs.seed)),
        PolicyKind::ClusterGraph => {
            Box::new(ClusterGraphPolicy::new(ClusterGraphOptions::paper(inputs.sample_max()), inputs.seed))
        }
        _ => return None,
    })
}

/// Returns the options of a variant of xCrawl.
pub fn xcrawl_options(variant: Variant) -> XCrawlOptions {
    let paper = XCrawlOptions::paper();
    match variant {
        Variant::PaperHits => XCrawlOptions { proximity: Proximity::Hits, ..paper },
        Variant::PaperHitsPageRank => XCrawlOptions { proximity: Proximity::HitsWithPageRank, ..paper },
        Variant::PaperRepaired => XCrawlOptions::default(),
        Variant::PaperRepeated => XCrawlOptions { phases: Phases::Repeat, ..XCrawlOptions::default() },
        _ => paper,
    }
}

/// Returns the options of a variant of SOUrCe, for pages like the example or for text that users wrote.
pub fn source_options(
    variant: Variant,
    example: Option<&policy::ExamplePage>,
    inputs: &policy::PolicyInputs<'_>,
) -> SourceOptions {
    let mut options = harvestman_papers::source_options(example, inputs);
    match variant {
        Variant::Default | Variant::Paper => {}
        Variant::PaperHits
        | Variant::PaperHitsPageRank
        | Variant::PaperRepaired
        | Variant::PaperRepeated
        | Variant::PaperCash
        | Variant::PaperByPattern => {}
        Variant::PaperLiteralEps => options.eps.rule = EpsRule::PaperLiteral,
        Variant::PaperQuantileEps => options.eps.rule = EpsRule::Quantile(0.95),
        Variant::PaperLinksPerPage => options.navigation.weight = AdjacencyWeight::LinksPerPage,
        Variant::PaperOutliersWorthNothing => {
            options.navigation.outlier_destinations = OutlierDestinations::WorthNothing;
        }
        Variant::PaperL1 => options.norm = Norm::L1,
        Variant::PaperFirstPlace => options.moved_per_fetch = 0,
        Variant::PaperBfsSample => options.sampling.order = SampleOrder::BreadthFirst,
        Variant::PaperWithoutInfo => options.score.info = false,
        Variant::PaperWithoutDsim => options.score.dsim = false,
        Variant::PaperWithoutBalance => options.score.balance = false,
    }
    options
}
