//! Makes policies by name.

use std::sync::Arc;

use super::ExamplePage;
use super::names::{PolicyName, Variant};
use crate::config::ParseOptions;
use crate::page::ClassTokens;
use crate::parse::Parser;
use crate::policy::baselines::{
    IRobot, IRobotOptions, Opic, OpicOptions, Random, SbOptions, SleepingBandit, Spelling, Tpm, Wanted,
};
use crate::policy::learned::{Example, Goal, Learned, ReadPage, Tuning};
use crate::policy::source::{SampleOrder, SourceGoal, SourceOptions, SourcePolicy};
use crate::policy::{BreadthFirst, Policy};
use crate::seed::Seed;
use crate::site::{AdjacencyWeight, EpsRule, Norm, OutlierDestinations};

/// Pages that SOUrCe, TPM and iRobot sample (SOUrCe 2018, section 5), unless told otherwise.
const SAMPLE_PAGES: usize = 1000;

/// What a policy is made with.
#[derive(Clone)]
pub struct Making<'a> {
    /// Which form of it.
    pub variant: Variant,
    /// Where its random draws start.
    pub seed: Seed,
    /// The page that others shall be like; without one, the baselines look for what users wrote.
    pub example: Option<&'a ExamplePage>,
    /// Pages to sample, where a policy learns from a sample; none: 1,000.
    pub sample_pages: Option<usize>,
    /// Spells Apaths out, for `sb`.
    pub spelling: Option<Spelling>,
}

impl Making<'_> {
    /// The defaults, with this seed and no example.
    pub const fn new(seed: Seed) -> Self {
        Self { variant: Variant::Default, seed, example: None, sample_pages: None, spelling: None }
    }

    fn wanted(&self) -> Wanted {
        self.example.map_or(Wanted::Content, |example| Wanted::Like(example.bag.clone()))
    }
}

/// Makes a policy that knows nothing yet.
pub fn make(name: PolicyName, making: &Making<'_>) -> Box<dyn Policy> {
    let seed = making.seed;
    let sample_pages = making.sample_pages.unwrap_or(SAMPLE_PAGES);
    match name {
        PolicyName::Bfs => Box::new(BreadthFirst),
        PolicyName::Random => Box::new(Random::new(seed)),
        PolicyName::Ucc | PolicyName::Target => learned(name, making),
        PolicyName::Opic => Box::new(Opic::new(OpicOptions::default())),
        PolicyName::IRobot => {
            let options = IRobotOptions { sample_pages, ..IRobotOptions::default() };
            Box::new(IRobot::new(making.wanted(), options, seed))
        }
        PolicyName::Tpm => Box::new(Tpm::new(making.wanted(), sample_pages)),
        PolicyName::Sb => {
            let spelling = making.spelling.clone();
            Box::new(SleepingBandit::new(making.wanted(), SbOptions::default(), spelling, seed))
        }
    }
}

fn learned(name: PolicyName, making: &Making<'_>) -> Box<dyn Policy> {
    if making.variant != Variant::Default {
        return Box::new(SourcePolicy::new(source_options(name, making), making.seed));
    }
    let goal = match making.example.filter(|_| name == PolicyName::Target) {
        Some(example) => Goal::Like(Example { url: example.url.as_str().to_owned(), duplicate_worth: 0.5 }),
        None => Goal::Content,
    };
    Box::new(Learned::new(goal, Tuning::default(), making.seed.0, reader()))
}

/// The options of a variant after the paper.
pub fn source_options(name: PolicyName, making: &Making<'_>) -> SourceOptions {
    let mut options = SourceOptions::paper(match making.example.filter(|_| name == PolicyName::Target) {
        Some(example) => SourceGoal::Like { url: example.url.fingerprint(), bag: example.bag.clone() },
        None => SourceGoal::Content,
    });
    options.sampling.pages_max = making.sample_pages.unwrap_or(SAMPLE_PAGES);
    match making.variant {
        Variant::Default | Variant::Paper => {}
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

/// Reads a page again, as a policy asks for it when it learns templates.
pub fn reader() -> Box<ReadPage> {
    let mut parser = Parser::new(&ParseOptions::default()).with_token_list();
    Box::new(move |bytes: &[u8], content_type: Option<&str>, tokens: Option<&Arc<ClassTokens>>| {
        parser.set_class_tokens(tokens.cloned());
        parser.parse(bytes, content_type)
    })
}
