//! Experiments with crawls for content and for pages like an example.

use clap::Args;
use harvestman_core::config::{EARLY_STOP_REQUESTS, PolicyKind};
use harvestman_papers::{IROBOT, OPIC, RANDOM, SB, TPM};

use super::common::{Common, run_experiment};
use crate::cli::recordings::share;
use crate::experiments::{Ablation, Contender, EarlyStops, Form, Oracle, Samples, Target, Ucc};
use crate::replay::{Variant, policy_named};
use harvestman::cli::exit::Failure;

const UCC_POLICIES: [PolicyKind; 5] = [PolicyKind::Bfs, RANDOM, IROBOT, OPIC, PolicyKind::Ucc];
const TARGET_POLICIES: [PolicyKind; 4] = [PolicyKind::Bfs, TPM, SB, PolicyKind::Target];
/// Where the sample size varies, the sample must not consume the budget.
const SAMPLED: [Form; 3] = [Form::PAPER_FREE, Form::of(Variant::PaperBfsSample).with_free_sample(), Form::DEFAULT];
const TERMS: [Form; 4] = [
    Form::of(Variant::PaperWithoutInfo).with_free_sample(),
    Form::of(Variant::PaperWithoutDsim).with_free_sample(),
    Form::of(Variant::PaperWithoutBalance).with_free_sample(),
    Form::PAPER_FREE,
];
/// The paper's variant with a counted and a free sample, and the default.
const FORMS: [Form; 3] = [Form::PAPER, Form::PAPER_FREE, Form::DEFAULT];

/// Arguments of `lab ucc`.
#[derive(Debug, Args)]
#[command(after_help = "\
The budget is min(5,000, N/4, W/2), where N is the number of URLs of the corpus and W its number of
user-created pages (labelled so, HTML, status 200). valid_ratio is the share of requests that
yielded such a page; the _unique measures exclude duplicate views.

Examples:
  harvestman-lab lab ucc forum.warc.gz --out results
  harvestman-lab lab ucc forum.warc.gz --policies bfs,ucc --variants default --seeds 3 --json -")]
pub struct UccArgs {
    #[command(flatten)]
    common: Common,
    /// Policies
    #[arg(long, value_name = "NAMES", value_parser = policy_named, value_delimiter = ',', default_values_t = UCC_POLICIES)]
    policies: Vec<PolicyKind>,
    /// Variants of the policies that have any
    #[arg(long, value_name = "NAMES", value_delimiter = ',', default_values_t = FORMS)]
    variants: Vec<Form>,
    /// Maximum number of requests of a crawl
    #[arg(long, value_name = "N")]
    budget: Option<usize>,
}

impl UccArgs {
    pub(super) fn run(self) -> Result<(), Failure> {
        let Self { common, policies, variants, budget } = self;
        let contenders = Contender::all(&policies, &variants);
        run_experiment(&Ucc { contenders, seeds: common.seeds, budget }, &common)
    }
}

/// Arguments of `lab target`.
#[derive(Debug, Args)]
#[command(after_help = "\
Targets are the labelled types with at least 200 pages, most of which show user-created content.
The example is a page of the type, drawn by the seed; for every policy, its URL is a second start of
the crawl, and fetching it counts as a request. The budget is the number of targets, so a perfect
crawl has harvest rate and recall 1.

Examples:
  harvestman-lab lab target forum.warc.gz --out results
  harvestman-lab lab target forum.warc.gz --types forum:thread,forum:profile --whole")]
pub struct TargetArgs {
    #[command(flatten)]
    common: Common,
    /// Policies
    #[arg(long, value_name = "NAMES", value_parser = policy_named, value_delimiter = ',', default_values_t = TARGET_POLICIES)]
    policies: Vec<PolicyKind>,
    /// Variants of the policies that have any
    #[arg(long, value_name = "NAMES", value_delimiter = ',', default_values_t = FORMS)]
    variants: Vec<Form>,
    /// Maximum number of requests of a crawl
    #[arg(long, value_name = "N")]
    budget: Option<usize>,
    /// Target types, regardless of their content
    #[arg(long, value_name = "TYPES", value_delimiter = ',')]
    types: Vec<String>,
    /// Minimum number of pages of a type to be a target without being named
    #[arg(long, value_name = "N", default_value_t = 200)]
    type_pages: u64,
    /// Also crawl until the frontier is empty, to measure the share of targets that can be reached
    #[arg(long)]
    whole: bool,
}

impl TargetArgs {
    pub(super) fn run(self) -> Result<(), Failure> {
        let Self { common, policies, variants, budget, types, type_pages, whole } = self;
        let contenders = Contender::all(&policies, &variants);
        let (seeds, examples, validated) = (common.seeds, 1, false);
        run_experiment(&Target { contenders, seeds, budget, types, type_pages, whole, examples, validated }, &common)
    }
}

/// Arguments of `lab samples`.
#[derive(Debug, Args)]
#[command(after_help = "\
Example:
  harvestman-lab lab samples forum.warc.gz --sizes 50,200,1000")]
pub struct SamplesArgs {
    #[command(flatten)]
    common: Common,
    /// Sample sizes
    #[arg(long, value_name = "N", value_delimiter = ',', default_values_t = [100, 200, 400, 1_000])]
    sizes: Vec<usize>,
    /// Variants of the policy ucc
    #[arg(long, value_name = "NAMES", value_delimiter = ',', default_values_t = SAMPLED)]
    variants: Vec<Form>,
    /// Maximum number of requests of a crawl
    #[arg(long, value_name = "N")]
    budget: Option<usize>,
}

impl SamplesArgs {
    pub(super) fn run(self) -> Result<(), Failure> {
        let Self { common, sizes, variants, budget } = self;
        let contenders = Contender::all(&[PolicyKind::Ucc], &variants);
        run_experiment(&Samples { contenders, sizes, seeds: common.seeds, budget }, &common)
    }
}

/// Arguments of `lab ablation`.
#[derive(Debug, Args)]
#[command(after_help = "\
Example:
  harvestman-lab lab ablation forum.warc.gz --out results")]
pub struct AblationArgs {
    #[command(flatten)]
    common: Common,
    /// Variants of the policy ucc
    #[arg(long, value_name = "NAMES", value_delimiter = ',', default_values_t = TERMS)]
    variants: Vec<Form>,
    /// Maximum number of requests of a crawl
    #[arg(long, value_name = "N")]
    budget: Option<usize>,
}

impl AblationArgs {
    pub(super) fn run(self) -> Result<(), Failure> {
        let Self { common, variants, budget } = self;
        run_experiment(&Ablation::new(&variants, common.seeds, budget), &common)
    }
}

/// Arguments of `lab early-stop`.
#[derive(Debug, Args)]
#[command(after_help = "\
expected_yield is the share of the next requests that was expected, when the crawl would have
stopped, to yield a wanted page that is not a duplicate view; next_yield is the actual share.
yield_error is their mean absolute difference over the whole crawl, yield_bias the mean
overestimate.

Example:
  harvestman-lab lab early-stop forum.warc.gz --shares 0.5,0.1 --out results")]
pub struct EarlyStopArgs {
    #[command(flatten)]
    common: Common,
    /// Stop when a smaller share of the next requests is expected to yield something
    #[arg(long, value_name = "SHARES", value_delimiter = ',', value_parser = share, default_values_t = [0.5, 0.3, 0.2, 0.1, 0.05])]
    shares: Vec<f64>,
    /// Number of requests of a forecast
    #[arg(long, value_name = "N", default_value_t = EARLY_STOP_REQUESTS, value_parser = clap::value_parser!(u32).range(1..))]
    requests: u32,
    /// Minimum number of pages of a target type
    #[arg(long, value_name = "N", default_value_t = 200)]
    type_pages: u64,
}

impl EarlyStopArgs {
    pub(super) fn run(self) -> Result<(), Failure> {
        let Self { common, shares, requests, type_pages } = self;
        run_experiment(&EarlyStops { shares, requests, seeds: common.seeds, type_pages }, &common)
    }
}

/// Arguments of `lab oracle`.
#[derive(Debug, Args)]
#[command(after_help = "\
A request costs 1, and yields a wanted page if its URL is labelled so: for ucc, user-created content
that is no duplicate view; for target, a page of the type. A URL can be requested if it is the first
page of the corpus or the example, or if a requested page links or redirects to it. harvested is what
a greedy choice of requests yields, bound a proven maximum for any choice.

Each corpus has two rows for ucc: with the budget of lab ucc, and with as many requests as there are
wanted pages.

Example:
  harvestman-lab lab oracle forum.warc.gz --seeds 1")]
pub struct OracleArgs {
    #[command(flatten)]
    common: Common,
    /// Maximum number of requests of a crawl
    #[arg(long, value_name = "N")]
    budget: Option<usize>,
    /// Minimum number of pages of a target type
    #[arg(long, value_name = "N", default_value_t = 200)]
    type_pages: u64,
}

impl OracleArgs {
    pub(super) fn run(self) -> Result<(), Failure> {
        let Self { common, budget, type_pages } = self;
        run_experiment(&Oracle { seeds: common.seeds, budget, type_pages }, &common)
    }
}
