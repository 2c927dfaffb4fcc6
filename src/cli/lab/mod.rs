//! `harvestman lab`: experiments on labelled corpora.

mod common;
mod from_queries;
mod progress;
mod record;
mod scale;

use clap::{Args, Subcommand};

use super::exit::Failure;
use super::recordings::{LABELS_HELP, share};
use common::{Common, run_experiment};
use harvestman_core::config::EARLY_STOP_REQUESTS;
use harvestman_lab::experiments::{
    Ablation, Classify, Cluster, Contender, EarlyStops, Form, Method, Oracle, Order, Profiles, Samples, StoreKind,
    Target, Ucc,
};
use harvestman_lab::replay::{PolicyName, Variant};

/// The experiments.
#[derive(Debug, Subcommand)]
#[command(after_help = after_help())]
pub enum Lab {
    /// Measure how well clusters of a sample agree with page types
    ///
    /// Clusters an Apath sample (breadth-first, one random link per position of a page) with several methods, and
    /// measures purity, micro and macro F, and the precision of classifying other pages of the corpus.
    Cluster(ClusterArgs),
    /// Measure how well pages outside the sample are classified
    ///
    /// Learns clusters from three quarters of an Apath sample and classifies the last quarter, each quarter once.
    /// Measures the share of pages whose cluster matches their type, by pages (micro) and by clusters (macro).
    Classify(ClassifyArgs),
    /// Measure how much user-created content a crawl yields
    ///
    /// Crawls each corpus for user-created content with several policies, and measures valid ratio, recall, F and
    /// entropy.
    Ucc(UccArgs),
    /// Measure how many pages similar to an example a crawl yields
    ///
    /// Crawls each corpus for the pages of a type, given one of them as an example, and measures harvest rate, recall
    /// and F.
    Target(TargetArgs),
    /// Measure the effect of the sample size
    ///
    /// Crawls each corpus for user-created content, with templates learnt from samples of several sizes.
    Samples(SamplesArgs),
    /// Measure the effect of each term of the paper's score
    ///
    /// Crawls each corpus for user-created content by the paper's score, complete and without one of its terms.
    Ablation(AblationArgs),
    /// Measure the accuracy of yield forecasts and early stopping
    ///
    /// Crawls each corpus completely, with ucc for user-created content and with target for each page type,
    /// continuously forecasts the yield of the next requests, and compares it with the actual yield. Adds one row per
    /// share below which --early-stop would have ended the crawl: what it had by then, and what it missed.
    EarlyStop(EarlyStopArgs),
    /// Compute the harvest of a crawl with full knowledge of the site
    ///
    /// Chooses requests with knowledge of all links and labels of each corpus, for user-created content and for the
    /// pages of each type, and computes a number that no crawl exceeds. Both are the reference for the policies in ucc
    /// and target.
    Oracle(OracleArgs),
    /// Measure how many pages that a validator accepts a crawl yields
    ///
    /// Crawls each corpus for the pages of a type from a few examples, and tells the policies of each fetched page whether
    /// it is one. Compares xcrawl with the apprentice, its baseline.
    Xcrawl(XcrawlArgs),
    /// Measure how many items of a topic a crawl yields
    ///
    /// Crawls each corpus for the items that carry a tag of a topic. Compares the policy topic with the crawl by profiles
    /// of users as printed, and with OPIC. Also measures how well page types are told, and how well the cotags of a topic are
    /// found.
    Profiles(ProfilesArgs),
    /// Measure what filtering links before the dedup saves
    ///
    /// Crawls each corpus completely with the cluster graph, with the filter before the dedup, after it, and without a
    /// filter. Measures the results (valuable pages, duplicates, uninformative pages, losses of the filter) and the
    /// time of filter, canonicalisation and dedup, over several stores of seen URLs.
    Order(OrderArgs),
    /// Estimate the resources of a large fleet
    ///
    /// Measures on a corpus what a page, a link and a known URL cost nodes and servers, with the code of a crawl, and
    /// extrapolates the demand of a fleet of any size: messages, bytes, disks, memory, duration of a take-over, and the
    /// first bottleneck.
    Scale(scale::ScaleArgs),
    /// Record a site of your own as a labelled corpus
    ///
    /// Crawls a site completely, breadth-first, and labels its pages by rules over their addresses. The result is a
    /// corpus for the other experiments.
    Record(record::RecordArgs),
}

fn after_help() -> String {
    format!(
        "\
Examples:
  Crawl a recorded forum with all policies, ten runs each, with plots:
    harvestman lab ucc forum.warc.gz --out results
  Two corpora, as JSON:
    harvestman lab cluster forum.warc.gz blogs.warc.gz --json -

A recording is crawled with the code of a real crawl, from its first page, and every request
counts, whatever its result. Tables show mean and standard deviation over the seeds, beside the
figures of the paper (Xu, Gao, Callan 2018), which were measured on other sites.

Variants of ucc and target: {}.
Variants of xcrawl: {}.
The variants of the first paper start with a sample of 1,000 pages whose requests count; with
+free-sample appended to the name they do not count, as in the paper.

{LABELS_HELP}",
        PolicyName::Ucc.variant_names(),
        PolicyName::Xcrawl.variant_names()
    )
}

/// Arguments of `lab cluster`.
#[derive(Debug, Args)]
#[command(after_help = "\
Methods:
  paper            leaf paths; eps by the paper's rule, over distinct vectors
  literal-eps      the same, eps by the rule as printed
  rich-q95         paths with class names; eps is the 0.95 quantile of K-dist
  rich-silhouette  paths with class names; eps with the best silhouette times coverage
  default          the method of crawls: rich-q95, split by URL path patterns
  mdl              by schema and description length (Crescenzi 2005)
  irobot           by repetitive regions (Cai 2008)

Example:
  harvestman lab cluster forum.warc.gz --methods paper,default --sample 400")]
pub struct ClusterArgs {
    #[command(flatten)]
    common: Common,
    /// Clustering methods
    #[arg(long, value_name = "NAMES", value_delimiter = ',', default_values_t = Method::ALL)]
    methods: Vec<Method>,
    /// Number of pages in the sample
    #[arg(long, value_name = "N", default_value_t = 1_000)]
    sample: usize,
    /// Maximum number of other pages to classify, drawn at random
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
    /// Clustering methods, as in lab cluster
    #[arg(long, value_name = "NAMES", value_delimiter = ',', default_values_t = Method::ALL)]
    methods: Vec<Method>,
    /// Number of pages in the sample
    #[arg(long, value_name = "N", default_value_t = 1_000)]
    sample: usize,
}

/// Arguments of `lab ucc`.
#[derive(Debug, Args)]
#[command(after_help = "\
The budget is min(5,000, N/4, W/2), where N is the number of URLs of the corpus and W its number of
user-created pages (labelled so, HTML, status 200). valid_ratio is the share of requests that
yielded such a page; the _unique measures exclude duplicate views.

Examples:
  harvestman lab ucc forum.warc.gz --out results
  harvestman lab ucc forum.warc.gz --policies bfs,ucc --variants default --seeds 3 --json -")]
pub struct UccArgs {
    #[command(flatten)]
    common: Common,
    /// Policies
    #[arg(long, value_name = "NAMES", value_delimiter = ',', default_values_t = UCC_POLICIES)]
    policies: Vec<PolicyName>,
    /// Variants of the policies that have any
    #[arg(long, value_name = "NAMES", value_delimiter = ',', default_values_t = FORMS)]
    variants: Vec<Form>,
    /// Maximum number of requests of a crawl
    #[arg(long, value_name = "N")]
    budget: Option<usize>,
}

/// Arguments of `lab target`.
#[derive(Debug, Args)]
#[command(after_help = "\
Targets are the labelled types with at least 200 pages, most of which show user-created content.
The example is a page of the type, drawn by the seed; for every policy, its URL is a second start of
the crawl, and fetching it counts as a request. The budget is the number of targets, so a perfect
crawl has harvest rate and recall 1.

Examples:
  harvestman lab target forum.warc.gz --out results
  harvestman lab target forum.warc.gz --types forum:thread,forum:profile --whole")]
pub struct TargetArgs {
    #[command(flatten)]
    common: Common,
    /// Policies
    #[arg(long, value_name = "NAMES", value_delimiter = ',', default_values_t = TARGET_POLICIES)]
    policies: Vec<PolicyName>,
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

/// Arguments of `lab xcrawl`.
#[derive(Debug, Args)]
#[command(after_help = "\
The wanted pages are those of a labelled type, as in lab target; the validator is the label. The
examples are pages of the type, drawn by the seed; for every policy, their URLs are further starts of
the crawl, and fetching them counts as a request. The budget is the number of wanted pages. of_oracle
is the harvest as a share of that of a crawl with full knowledge. Where a host is asked once a second,
as many seconds pass as requests are made.

Examples:
  harvestman lab xcrawl forum.warc.gz --out results
  harvestman lab xcrawl forum.warc.gz --types forum:thread --whole
  harvestman lab xcrawl one.warc.gz two.warc.gz blogs.warc.gz --queries --sites 2")]
pub struct XcrawlArgs {
    #[command(flatten)]
    common: Common,
    /// Policies
    #[arg(long, value_name = "NAMES", value_delimiter = ',', default_values_t = XCRAWL_POLICIES)]
    policies: Vec<PolicyName>,
    /// Variants of the policies that have any
    #[arg(long, value_name = "NAMES", value_delimiter = ',', default_values_t = XCRAWL_FORMS)]
    variants: Vec<Form>,
    /// Maximum number of requests of a crawl
    #[arg(long, value_name = "N")]
    budget: Option<usize>,
    /// Wanted types, regardless of their content
    #[arg(long, value_name = "TYPES", value_delimiter = ',')]
    types: Vec<String>,
    /// Minimum number of pages of a type to be wanted without being named
    #[arg(long, value_name = "N", default_value_t = 200)]
    type_pages: u64,
    /// Number of example pages
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = examples)]
    examples: usize,
    /// Also crawl until the frontier is empty, to measure the share of wanted pages that can be reached
    #[arg(long)]
    whole: bool,
    /// Crawl the first recordings together, from queries only; all recordings are searched
    #[arg(long)]
    queries: bool,
    /// With --queries: number of recordings whose pages are wanted
    #[arg(long, value_name = "N", default_value_t = 3)]
    sites: usize,
}

/// Arguments of `lab profiles`.
#[derive(Debug, Args)]
#[command(after_help = "\
The labels need the columns role, tags and author, as lab record writes them. The topics are the most
frequent tags that share few items, each with the tags that occur with it most above chance. Crawls
are measured after as many requests as the topic has items, and after a sixteenth, an eighth and a
quarter of the pages (HTML, status 200, duplicate views excluded); oracle is the crawl with full
knowledge. valid_ratio_unique is the harvest ratio of the paper: the share of requests that yielded
an item with a tag of the topic, duplicate views excluded.

Two more tables: types, the share of pages whose type ten labelled samples of each type tell, by
clusters and by path strings as printed; and cotags, those of the first tag that the fetched pages
show, compared with those by the tags of all items. --topics 0 measures types alone, which needs no
tags.

Example:
  harvestman lab profiles gallery.warc.gz --topics 3 --out results")]
pub struct ProfilesArgs {
    #[command(flatten)]
    common: Common,
    /// Policies
    #[arg(long, value_name = "NAMES", value_delimiter = ',', default_values_t = PROFILES_POLICIES)]
    policies: Vec<PolicyName>,
    /// Variants of the policies that have any
    #[arg(long, value_name = "NAMES", value_delimiter = ',', default_values_t = PROFILES_FORMS)]
    variants: Vec<Form>,
    /// Number of requests after which crawls are measured
    #[arg(long, value_name = "N")]
    budget: Option<usize>,
    /// Number of topics of each corpus; with 0, only page types are measured
    #[arg(long, value_name = "N", default_value_t = 2)]
    topics: usize,
}

/// Arguments of `lab samples`.
#[derive(Debug, Args)]
#[command(after_help = "\
Example:
  harvestman lab samples forum.warc.gz --sizes 50,200,1000")]
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

/// Arguments of `lab ablation`.
#[derive(Debug, Args)]
#[command(after_help = "\
Example:
  harvestman lab ablation forum.warc.gz --out results")]
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

/// Arguments of `lab early-stop`.
#[derive(Debug, Args)]
#[command(after_help = "\
expected_yield is the share of the next requests that was expected, when the crawl would have
stopped, to yield a wanted page that is not a duplicate view; next_yield is the actual share.
yield_error is their mean absolute difference over the whole crawl, yield_bias the mean
overestimate.

Example:
  harvestman lab early-stop forum.warc.gz --shares 0.5,0.1 --out results")]
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
  harvestman lab oracle forum.warc.gz --seeds 1")]
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

/// Arguments of `lab order`.
#[derive(Debug, Args)]
#[command(after_help = "\
Orders:
  dup-only          every link is canonicalised and looked up; no filter
  dup-graph         new URLs are filtered by the graph
  graph-dup         links are filtered by position before they are canonicalised, and by URL
                    pattern before they are looked up
  graph-dup by URL  the same without the filter by position, as in the paper

Stores of seen URLs:
  bloom        a Bloom filter in memory with a false positive rate of 1/1,000
  bloom+exact  the same, confirmed by an exact set on disk
  exact-disk   the exact set on disk only, as in the paper

relative_time compares whole crawls: the time of filter, canonicalisation and dedup of all links of
a crawl with this order, divided by that of the crawl with dedup only, which also fetches what the
filter rejects. relative_time_same_links compares the same links in all orders: those of the pages
that graph-dup fetches, page by page. Each store initially holds --seen URLs, so that it is as slow
as in a long crawl. Valuable pages are user-created content and lists, by the names of their types;
false_positives is the share of requests that yielded other pages, false_negatives the share of
valuable pages among the rejected URLs.

Examples:
  harvestman lab order forum.warc.gz --out results
  harvestman lab order sim --seeds 3 --json -
  By URL patterns and templates together (default+structure: by templates only):
    harvestman lab order forum.warc.gz --variants default+both+free-sample")]
pub struct OrderArgs {
    #[command(flatten)]
    common: Common,
    /// Variants of the policy cluster-graph
    #[arg(long, value_name = "NAMES", value_delimiter = ',', default_values_t = ORDERED)]
    variants: Vec<Form>,
    /// Stores
    #[arg(long, value_name = "NAMES", value_delimiter = ',', default_values_t = StoreKind::ALL)]
    stores: Vec<StoreKind>,
    /// Number of URLs that each store holds beforehand
    #[arg(long, value_name = "N", default_value_t = 10_000_000, value_parser = clap::value_parser!(u64).range(..=1_000_000_000))]
    seen: u64,
    /// Additional sample sizes, to find out how many pages suffice
    #[arg(long, value_name = "N", value_delimiter = ',')]
    samples: Vec<usize>,
}

/// Samples are not counted, as in the paper.
const ORDERED: [Form; 2] = [Form::DEFAULT.with_free_sample(), Form::PAPER_FREE];

const UCC_POLICIES: [PolicyName; 5] =
    [PolicyName::Bfs, PolicyName::Random, PolicyName::IRobot, PolicyName::Opic, PolicyName::Ucc];
const TARGET_POLICIES: [PolicyName; 4] = [PolicyName::Bfs, PolicyName::Tpm, PolicyName::Sb, PolicyName::Target];

const PROFILES_POLICIES: [PolicyName; 3] = [PolicyName::Bfs, PolicyName::Opic, PolicyName::Topic];
const PROFILES_FORMS: [Form; 4] =
    [Form::PAPER, Form::of(Variant::PaperCash), Form::of(Variant::PaperByPattern), Form::DEFAULT];
const XCRAWL_POLICIES: [PolicyName; 3] = [PolicyName::Bfs, PolicyName::Apprentice, PolicyName::Xcrawl];
const XCRAWL_FORMS: [Form; 6] = [
    Form::PAPER,
    Form::of(Variant::PaperHits),
    Form::of(Variant::PaperHitsPageRank),
    Form::of(Variant::PaperRepaired),
    Form::of(Variant::PaperRepeated),
    Form::DEFAULT,
];

/// The paper's variant with a counted and a free sample, and the default.
const FORMS: [Form; 3] = [Form::PAPER, Form::PAPER_FREE, Form::DEFAULT];
/// Where the sample size varies, the sample must not consume the budget.
const SAMPLED: [Form; 3] = [Form::PAPER_FREE, Form::of(Variant::PaperBfsSample).with_free_sample(), Form::DEFAULT];
const TERMS: [Form; 4] = [
    Form::of(Variant::PaperWithoutInfo).with_free_sample(),
    Form::of(Variant::PaperWithoutDsim).with_free_sample(),
    Form::of(Variant::PaperWithoutBalance).with_free_sample(),
    Form::PAPER_FREE,
];

/// Runs an experiment.
pub fn run(lab: Lab) -> Result<(), Failure> {
    match lab {
        Lab::Scale(args) => scale::run(&args),
        Lab::Record(args) => record::run(&args),
        Lab::Cluster(ClusterArgs { common, methods, sample, others }) => {
            run_experiment(&Cluster { methods, sample, others_max: others, seeds: common.seeds }, &common)
        }
        Lab::Classify(ClassifyArgs { common, methods, sample }) => {
            run_experiment(&Classify { methods, sample, seeds: common.seeds }, &common)
        }
        Lab::Ucc(UccArgs { common, policies, variants, budget }) => {
            let contenders = Contender::all(&policies, &variants);
            run_experiment(&Ucc { contenders, seeds: common.seeds, budget }, &common)
        }
        Lab::Target(TargetArgs { common, policies, variants, budget, types, type_pages, whole }) => {
            let contenders = Contender::all(&policies, &variants);
            let (seeds, examples, validated) = (common.seeds, 1, false);
            run_experiment(
                &Target { contenders, seeds, budget, types, type_pages, whole, examples, validated },
                &common,
            )
        }
        Lab::Xcrawl(args) if args.queries => from_queries::run(args),
        Lab::Xcrawl(XcrawlArgs { common, policies, variants, budget, types, type_pages, examples, whole, .. }) => {
            let contenders = Contender::all(&policies, &variants);
            let (seeds, validated) = (common.seeds, true);
            run_experiment(
                &Target { contenders, seeds, budget, types, type_pages, whole, examples, validated },
                &common,
            )
        }
        Lab::Profiles(ProfilesArgs { common, policies, variants, budget, topics }) => {
            let contenders = Contender::all(&policies, &variants);
            run_experiment(&Profiles { contenders, seeds: common.seeds, budget, topics }, &common)
        }
        Lab::Samples(SamplesArgs { common, sizes, variants, budget }) => {
            let contenders = Contender::all(&[PolicyName::Ucc], &variants);
            run_experiment(&Samples { contenders, sizes, seeds: common.seeds, budget }, &common)
        }
        Lab::Ablation(AblationArgs { common, variants, budget }) => {
            run_experiment(&Ablation::new(&variants, common.seeds, budget), &common)
        }
        Lab::EarlyStop(EarlyStopArgs { common, shares, requests, type_pages }) => {
            run_experiment(&EarlyStops { shares, requests, seeds: common.seeds, type_pages }, &common)
        }
        Lab::Oracle(OracleArgs { common, budget, type_pages }) => {
            run_experiment(&Oracle { seeds: common.seeds, budget, type_pages }, &common)
        }
        Lab::Order(OrderArgs { common, variants, stores, seen, samples }) => {
            run_experiment(&Order { forms: variants, stores, seen, samples, seeds: common.seeds }, &common)
        }
    }
}

/// Reads a number of examples.
fn examples(text: &str) -> Result<usize, String> {
    let count = text.parse::<usize>().map_err(|error| error.to_string())?;
    if count == 0 { Err("at least one example is needed".to_owned()) } else { Ok(count) }
}
