//! Policies by name.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use super::ExamplePage;
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

/// A policy that can be replayed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum PolicyName {
    /// Breadth-first.
    Bfs,
    /// In random order.
    Random,
    /// What users wrote.
    Ucc,
    /// Pages like an example.
    Target,
    /// By the cash that pages give their links.
    Opic,
    /// By paths through a sitemap, without its human.
    IRobot,
    /// By URL rules along the ways to the wanted pages.
    Tpm,
    /// By sleeping bandits over tag paths.
    Sb,
}

/// Which form of a policy. `ucc` and `target` have all of them, the others the default alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub enum Variant {
    /// The one that measures best.
    #[default]
    Default,
    /// SOUrCe as printed, with the radius by the printed rule over distinct pages.
    Paper,
    /// The same with the radius by the letter of the printed rule.
    PaperLiteralEps,
    /// The same with the radius that 95 % of the sample have their neighbours within.
    PaperQuantileEps,
    /// The same with links a page in eq. 6.
    PaperLinksPerPage,
    /// The same with links to outliers as links to something of no worth.
    PaperOutliersWorthNothing,
    /// The same with hubs and authorities that add up to 1.
    PaperL1,
    /// The same without moving a URL that is seen at a better place.
    PaperFirstPlace,
    /// The same with a sample that is taken breadth-first.
    PaperBfsSample,
    /// The same without Info in the score.
    PaperWithoutInfo,
    /// The same without Dsim in the score.
    PaperWithoutDsim,
    /// The same without Balance in the score.
    PaperWithoutBalance,
}

/// A name that is none.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("there is no {kind} {name}; there are {known}")]
pub struct Unknown {
    kind: &'static str,
    name: String,
    known: String,
}

impl PolicyName {
    /// All of them.
    pub const ALL: [Self; 8] =
        [Self::Bfs, Self::Random, Self::Ucc, Self::Target, Self::Opic, Self::IRobot, Self::Tpm, Self::Sb];

    /// Its name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Bfs => "bfs",
            Self::Random => "random",
            Self::Ucc => "ucc",
            Self::Target => "target",
            Self::Opic => "opic",
            Self::IRobot => "irobot",
            Self::Tpm => "tpm",
            Self::Sb => "sb",
        }
    }
}

impl fmt::Display for PolicyName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for PolicyName {
    type Err = Unknown;

    fn from_str(name: &str) -> Result<Self, Unknown> {
        by_name("policy", &Self::ALL, Self::name, name)
    }
}

impl Variant {
    /// All of them.
    pub const ALL: [Self; 12] = [
        Self::Default,
        Self::Paper,
        Self::PaperLiteralEps,
        Self::PaperQuantileEps,
        Self::PaperLinksPerPage,
        Self::PaperOutliersWorthNothing,
        Self::PaperL1,
        Self::PaperFirstPlace,
        Self::PaperBfsSample,
        Self::PaperWithoutInfo,
        Self::PaperWithoutDsim,
        Self::PaperWithoutBalance,
    ];

    /// Its name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Default => "default",
            Self::Paper => "paper",
            Self::PaperLiteralEps => "paper-literal-eps",
            Self::PaperQuantileEps => "paper-quantile-eps",
            Self::PaperLinksPerPage => "paper-links-per-page",
            Self::PaperOutliersWorthNothing => "paper-outliers-worth-nothing",
            Self::PaperL1 => "paper-l1",
            Self::PaperFirstPlace => "paper-first-place",
            Self::PaperBfsSample => "paper-bfs-sample",
            Self::PaperWithoutInfo => "paper-without-info",
            Self::PaperWithoutDsim => "paper-without-dsim",
            Self::PaperWithoutBalance => "paper-without-balance",
        }
    }
}

impl fmt::Display for Variant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Variant {
    type Err = Unknown;

    fn from_str(name: &str) -> Result<Self, Unknown> {
        by_name("variant", &Self::ALL, Self::name, name)
    }
}

fn by_name<T: Copy>(kind: &'static str, all: &[T], of: fn(T) -> &'static str, name: &str) -> Result<T, Unknown> {
    let unknown = || Unknown {
        kind,
        name: name.to_owned(),
        known: all.iter().map(|known| of(*known)).collect::<Vec<_>>().join(", "),
    };
    all.iter().copied().find(|known| of(*known) == name).ok_or_else(unknown)
}

/// What a policy is made with.
#[derive(Clone)]
pub struct Making<'a> {
    /// Which form of it.
    pub variant: Variant,
    /// Where its random draws start.
    pub seed: Seed,
    /// The page that others shall be like; without one, the baselines look for what users wrote.
    pub example: Option<&'a ExamplePage>,
    /// Pages to sample, where a policy learns from a sample, or to learn templates from at most; none: 1,000.
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
    let tuning = Tuning { sample_max: making.sample_pages.unwrap_or(SAMPLE_PAGES), ..Tuning::default() };
    Box::new(Learned::new(goal, tuning, making.seed.0, reader()))
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_policy_and_variant_is_found_by_its_name() {
        for policy in PolicyName::ALL {
            assert_eq!(policy.name().parse(), Ok(policy));
        }
        for variant in Variant::ALL {
            assert_eq!(variant.name().parse(), Ok(variant));
        }
    }

    #[test]
    fn an_unknown_name_is_answered_with_those_that_are_known() {
        let error = "dfs".parse::<PolicyName>().unwrap_err().to_string();
        assert_eq!(error, "there is no policy dfs; there are bfs, random, ucc, target, opic, irobot, tpm, sb");
    }
}
