//! `harvestman lab`: experiments over labelled corpora.

mod common;
mod progress;
mod scale;

use clap::{Args, Subcommand};

use super::exit::Failure;
use super::rows::{LABELS_HELP, share};
use common::{Common, carry_out};
use harvestman_core::config::EARLY_STOP_REQUESTS;
use harvestman_lab::experiments::{
    Ablation, Classify, Cluster, Contender, EarlyStops, Form, Method, Order, Samples, StoreKind, Target, Ucc,
};
use harvestman_lab::replay::{PolicyName, Variant};

/// The experiments.
#[derive(Debug, Subcommand)]
#[command(after_help = after_help())]
pub enum Lab {
    /// Do clusters of a sample agree with page types?
    ///
    /// Clusters an Apath sample (breadth-first, of all links at one place of a page one at random) by several methods, and
    /// measures purity, micro and macro F, and the precision with which other pages of the corpus are classified by it.
    Cluster(ClusterArgs),
    /// Are pages classified that were not clustered?
    ///
    /// Learns clusters from three quarters of an Apath sample and classifies the last quarter by them, each quarter once: the
    /// share of pages whose cluster stands for their type, by pages (micro) and by clusters (macro).
    Classify(ClassifyArgs),
    /// How much of what users made does a crawl bring?
    ///
    /// Crawls each corpus for what users made, by several policies, and measures valid ratio, recall, F and entropy.
    Ucc(UccArgs),
    /// How many pages like an example does a crawl bring?
    ///
    /// Crawls each corpus for the pages of a type, given one of them as an example, and measures harvest rate, recall and F.
    Target(TargetArgs),
    /// How many pages must be learnt from?
    ///
    /// Crawls each corpus for what users made, with templates learnt from samples of several sizes.
    Samples(SamplesArgs),
    /// What does each term of the paper's score do?
    ///
    /// Crawls each corpus for what users made by the paper's score, whole and without one of its terms.
    Ablation(AblationArgs),
    /// When is a crawl not worth its requests any more?
    ///
    /// Crawls each corpus to the end, by ucc for what users made and by target for each type of pages, looks ahead all the time,
    /// and compares what was expected of the next requests with what came. A row more for each share below which
    /// --early-stop would have ended the crawl: what it had then, and what it left.
    EarlyStop(EarlyStopArgs),
    /// What does it save to filter links before the dedup?
    ///
    /// Crawls each corpus to the end by the cluster graph, with the filter before the dedup, after it, and without a filter; measures
    /// what came of it (valuable pages, duplicates, uninformative pages, what the filter lost) and the time that filter,
    /// canonicalisation and dedup take, over several stores of the URLs seen.
    Order(OrderArgs),
    /// What would a fleet of a thousand nodes ask for?
    ///
    /// Measures on a corpus what a page, a link and a known URL cost nodes and servers, with the code that crawls, and reckons
    /// from that what a fleet of any size asks for: messages, bytes, disks, memory, how long a take-over is, and what gives way first.
    Scale(scale::ScaleArgs),
}

fn after_help() -> String {
    format!(
        "\
Examples:
  What a crawl of a recorded forum brings, policy by policy, ten runs of each, with plots:
    harvestman lab ucc forum.warc.gz --out results
  Two corpora at once, as JSON:
    harvestman lab cluster forum.warc.gz blogs.warc.gz --json -

The recording is crawled with the code that crawls sites, from its first page, and every request
counts, whatever it brings. Tables show mean and standard deviation over the seeds, and the figures
of the paper (Xu, Gao, Callan 2018) beside, which were measured on other sites.

Variants of ucc and target: {}.
Those after the paper start with a sample of 1,000 pages, which counts like all else; with
+free-sample added to the name it is taken before, without counting, as the paper measured.

{LABELS_HELP}",
        Variant::ALL.map(Variant::name).join(", ")
    )
}

/// Arguments of `lab cluster`.
#[derive(Debug, Args)]
#[command(after_help = "\
Methods:
  paper            leaf paths; eps by the paper's rule, over distinct vectors
  literal-eps      the same by the rule as printed
  rich-q95         paths with class names; eps is the 0.95-quantile of K-dist
  rich-silhouette  paths with class names; eps with the best silhouette times coverage
  default          what crawls learn: rich-q95, split by the patterns of the URLs' paths
  mdl              by schema and description length (Crescenzi 2005)
  irobot           by repetitive regions (Cai 2008)

Example:
  harvestman lab cluster forum.warc.gz --methods paper,default --sample 400")]
pub struct ClusterArgs {
    #[command(flatten)]
    common: Common,
    /// How pages are clustered
    #[arg(long, value_name = "NAMES", value_delimiter = ',', default_values_t = Method::ALL)]
    methods: Vec<Method>,
    /// Pages of the sample
    #[arg(long, value_name = "N", default_value_t = 1_000)]
    sample: usize,
    /// Other pages to classify at most, drawn at random
    #[arg(long, value_name = "N", default_value_t = 2_000)]
    others: usize,
}

/// Arguments of `lab classify`.
#[derive(Debug, Args)]
#[command(after_help = "\
Example:
  harvestman lab classify forum.warc.gz --seeds 10")]
pub struct ClassifyArgs {
    #[command(flatten)]
    common: Common,
    /// How pages are clustered, as in lab cluster
    #[arg(long, value_name = "NAMES", value_delimiter = ',', default_values_t = Method::ALL)]
    methods: Vec<Method>,
    /// Pages of the sample
    #[arg(long, value_name = "N", default_value_t = 1_000)]
    sample: usize,
}

/// Arguments of `lab ucc`.
#[derive(Debug, Args)]
#[command(after_help = "\
The budget is min(5,000, N/4, W/2), N being the URLs of the corpus and W its pages that users made
(labelled so, HTML, status 200). valid_ratio is the share of the requests that brought such a page;
the _unique measures leave out duplicate views.

Examples:
  harvestman lab ucc forum.warc.gz --out results
  harvestman lab ucc forum.warc.gz --policies bfs,ucc --variants default --seeds 3 --json -")]
pub struct UccArgs {
    #[command(flatten)]
    common: Common,
    /// The policies
    #[arg(long, value_name = "NAMES", value_delimiter = ',', default_values_t = UCC_POLICIES)]
    policies: Vec<PolicyName>,
    /// The variants of those policies that have any
    #[arg(long, value_name = "NAMES", value_delimiter = ',', default_values_t = FORMS)]
    variants: Vec<Form>,
    /// Requests that a crawl may send
    #[arg(long, value_name = "N")]
    budget: Option<usize>,
}

/// Arguments of `lab target`.
#[derive(Debug, Args)]
#[command(after_help = "\
The targets are the labelled types most of whose pages show what users made, with 200 pages or more.
The example is a page of the type, drawn by the seed; its URL is a second start of the crawl, for
every policy alike, and fetching it costs a request like any other. The budget is the number of
targets, so that a perfect crawl has harvest rate and recall 1.

Examples:
  harvestman lab target forum.warc.gz --out results
  harvestman lab target forum.warc.gz --types forum:thread,forum:profile --whole")]
pub struct TargetArgs {
    #[command(flatten)]
    common: Common,
    /// The policies
    #[arg(long, value_name = "NAMES", value_delimiter = ',', default_values_t = TARGET_POLICIES)]
    policies: Vec<PolicyName>,
    /// The variants of those policies that have any
    #[arg(long, value_name = "NAMES", value_delimiter = ',', default_values_t = FORMS)]
    variants: Vec<Form>,
    /// Requests that a crawl may send
    #[arg(long, value_name = "N")]
    budget: Option<usize>,
    /// The types that are targets, whatever they show
    #[arg(long, value_name = "TYPES", value_delimiter = ',')]
    types: Vec<String>,
    /// Pages that a type must have to be a target without being named
    #[arg(long, value_name = "N", default_value_t = 200)]
    type_pages: u64,
    /// Crawl until nothing is left, too: the share of all targets that can be reached
    #[arg(long)]
    whole: bool,
}

/// Arguments of `lab samples`.
#[derive(Debug, Args)]
#[command(after_help = "\
Example:
  harvestman lab samples forum.warc.gz --sizes 50,200,1000")]
pub struct SamplesArgs {
    #[command(flatten)]
    common: Common,
    /// Pages that templates are learnt from
    #[arg(long, value_name = "N", value_delimiter = ',', default_values_t = [100, 200, 400, 1_000])]
    sizes: Vec<usize>,
    /// The variants of the policy ucc
    #[arg(long, value_name = "NAMES", value_delimiter = ',', default_values_t = SAMPLED)]
    variants: Vec<Form>,
    /// Requests that a crawl may send
    #[arg(long, value_name = "N")]
    budget: Option<usize>,
}

/// Arguments of `lab ablation`.
#[derive(Debug, Args)]
#[command(after_help = "\
Example:
  harvestman lab ablation forum.warc.gz --out results")]
pub struct AblationArgs {
    #[command(flatten)]
    common: Common,
    /// The variants of the policy ucc
    #[arg(long, value_name = "NAMES", value_delimiter = ',', default_values_t = TERMS)]
    variants: Vec<Form>,
    /// Requests that a crawl may send
    #[arg(long, value_name = "N")]
    budget: Option<usize>,
}

/// Arguments of `lab early-stop`.
#[derive(Debug, Args)]
#[command(after_help = "\
expected_yield is the share of the next requests that was expected, where the crawl would have
stopped, to bring a wanted page that is no duplicate view; next_yield is the share that did.
yield_error is the mean distance of the two over the whole crawl, yield_bias by how much the
expectation was too high.

Example:
  harvestman lab early-stop forum.warc.gz --shares 0.5,0.1 --out results")]
pub struct EarlyStopArgs {
    #[command(flatten)]
    common: Common,
    /// Stop where a smaller share of the next requests is expected to bring something
    #[arg(long, value_name = "SHARES", value_delimiter = ',', value_parser = share, default_values_t = [0.5, 0.3, 0.2, 0.1, 0.05])]
    shares: Vec<f64>,
    /// Requests that are looked ahead to
    #[arg(long, value_name = "N", default_value_t = EARLY_STOP_REQUESTS, value_parser = clap::value_parser!(u32).range(1..))]
    requests: u32,
    /// Pages that a type must have to be a target
    #[arg(long, value_name = "N", default_value_t = 200)]
    type_pages: u64,
}

/// Arguments of `lab order`.
#[derive(Debug, Args)]
#[command(after_help = "\
Orders:
  dup-only          every link is canonicalised and looked up; no filter
  dup-graph         what is new is judged by the graph
  graph-dup         links are judged by their place before they are canonicalised, by the form of
                    their URL before they are looked up
  graph-dup by URL  the same without the judgement by place, as in the paper

Stores of the URLs seen:
  bloom        a Bloom filter in memory, wrong once in a thousand
  bloom+exact  the same, confirmed by an exact set on disk
  exact-disk   the exact set on disk alone, as in the paper

relative_time compares whole crawls, each timed by itself: filter, canonicalisation and dedup of all
links that a crawl in this order meets until its end, by the same of the crawl with dedup alone,
which also fetches what the filter keeps out. relative_time_same_links compares the same links in
all orders: of the pages that graph-dup fetches, page by page side by side. Each store holds --seen
URLs of an earlier time, so that it is as slow as in a long crawl. Valuable is what users made, and
lists by the names of their types; false_positives is the share of the requests that brought
something else, false_negatives the share of valuable pages among the URLs that were met and left
out.

Examples:
  harvestman lab order forum.warc.gz --out results
  harvestman lab order sim --seeds 3 --json -
  The same by addresses and templates together (default+structure: by templates alone):
    harvestman lab order forum.warc.gz --variants default+both+free-sample")]
pub struct OrderArgs {
    #[command(flatten)]
    common: Common,
    /// The forms of the policy cluster-graph
    #[arg(long, value_name = "NAMES", value_delimiter = ',', default_values_t = ORDERED)]
    variants: Vec<Form>,
    /// The stores
    #[arg(long, value_name = "NAMES", value_delimiter = ',', default_values_t = StoreKind::ALL)]
    stores: Vec<StoreKind>,
    /// URLs that each store holds before
    #[arg(long, value_name = "N", default_value_t = 10_000_000, value_parser = clap::value_parser!(u64).range(..=1_000_000_000))]
    seen: u64,
    /// Sizes of the sample to crawl with besides, to see what is enough
    #[arg(long, value_name = "N", value_delimiter = ',')]
    samples: Vec<usize>,
}

/// Samples don't count, as in the paper.
const ORDERED: [Form; 2] = [Form::DEFAULT.with_free_sample(), Form::PAPER_FREE];

const UCC_POLICIES: [PolicyName; 5] =
    [PolicyName::Bfs, PolicyName::Random, PolicyName::IRobot, PolicyName::Opic, PolicyName::Ucc];
const TARGET_POLICIES: [PolicyName; 4] = [PolicyName::Bfs, PolicyName::Tpm, PolicyName::Sb, PolicyName::Target];

/// The paper's, with its sample counted and free, and the default.
const FORMS: [Form; 3] = [Form::PAPER, Form::PAPER_FREE, Form::DEFAULT];
/// Where the sample's size is what varies, it must not eat the budget.
const SAMPLED: [Form; 3] = [Form::PAPER_FREE, Form::of(Variant::PaperBfsSample).with_free_sample(), Form::DEFAULT];
const TERMS: [Form; 4] = [
    Form::of(Variant::PaperWithoutInfo).with_free_sample(),
    Form::of(Variant::PaperWithoutDsim).with_free_sample(),
    Form::of(Variant::PaperWithoutBalance).with_free_sample(),
    Form::PAPER_FREE,
];

/// Carries out an experiment.
pub fn run(lab: Lab) -> Result<(), Failure> {
    match lab {
        Lab::Scale(args) => scale::run(&args),
        Lab::Cluster(ClusterArgs { common, methods, sample, others }) => {
            carry_out(&Cluster { methods, sample, others_max: others, seeds: common.seeds }, &common)
        }
        Lab::Classify(ClassifyArgs { common, methods, sample }) => {
            carry_out(&Classify { methods, sample, seeds: common.seeds }, &common)
        }
        Lab::Ucc(UccArgs { common, policies, variants, budget }) => {
            let contenders = Contender::all(&policies, &variants);
            carry_out(&Ucc { contenders, seeds: common.seeds, budget }, &common)
        }
        Lab::Target(TargetArgs { common, policies, variants, budget, types, type_pages, whole }) => {
            let contenders = Contender::all(&policies, &variants);
            carry_out(&Target { contenders, seeds: common.seeds, budget, types, type_pages, whole }, &common)
        }
        Lab::Samples(SamplesArgs { common, sizes, variants, budget }) => {
            let contenders = Contender::all(&[PolicyName::Ucc], &variants);
            carry_out(&Samples { contenders, sizes, seeds: common.seeds, budget }, &common)
        }
        Lab::Ablation(AblationArgs { common, variants, budget }) => {
            carry_out(&Ablation::new(&variants, common.seeds, budget), &common)
        }
        Lab::EarlyStop(EarlyStopArgs { common, shares, requests, type_pages }) => {
            carry_out(&EarlyStops { shares, requests, seeds: common.seeds, type_pages }, &common)
        }
        Lab::Order(OrderArgs { common, variants, stores, seen, samples }) => {
            carry_out(&Order { forms: variants, stores, seen, samples, seeds: common.seeds }, &common)
        }
    }
}
