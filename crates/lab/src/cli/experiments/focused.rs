//! Experiments with crawls for pages that a test accepts, and for a topic.

use clap::Args;
use harvestman_core::config::PolicyKind;
use harvestman_papers::{APPRENTICE, OPIC};

use super::common::{Common, run_experiment};
use crate::experiments::{Contender, Form, Profiles, Target};
use crate::replay::{Variant, policy_named};
use harvestman::cli::exit::Failure;

const PROFILES_POLICIES: [PolicyKind; 3] = [PolicyKind::Bfs, OPIC, PolicyKind::Topic];
const PROFILES_FORMS: [Form; 4] =
    [Form::PAPER, Form::of(Variant::PaperCash), Form::of(Variant::PaperByPattern), Form::DEFAULT];
const XCRAWL_POLICIES: [PolicyKind; 3] = [PolicyKind::Bfs, APPRENTICE, PolicyKind::Xcrawl];
const XCRAWL_FORMS: [Form; 6] = [
    Form::PAPER,
    Form::of(Variant::PaperHits),
    Form::of(Variant::PaperHitsPageRank),
    Form::of(Variant::PaperRepaired),
    Form::of(Variant::PaperRepeated),
    Form::DEFAULT,
];

/// What `--sweep` varies: the restart probability as in figure 10 of the paper, in thousandths, and the number of
/// walks.
const RESTARTS: [u16; 6] = [50, 100, 150, 200, 250, 300];
const ITERATIONS: [u32; 5] = [5, 20, 50, 100, 200];

/// Arguments of `lab xcrawl`.
#[derive(Debug, Args)]
#[command(after_help = "\
The wanted pages are those of a labelled type, as in lab target; the validator is the label. The
examples are pages of the type, drawn by the seed; for every policy, their URLs are further starts of
the crawl, and fetching them counts as a request. The budget is the number of wanted pages. of_oracle
is the harvest as a share of that of a crawl with full knowledge. seconds is the time that passes where
each host is asked once a second: the number of requests to the busiest host.

A parameter of the printed walks follows a variant: paper+restart=0.3, paper+iterations=20. --sweep
adds restart probabilities from 0.05 to 0.3, as in figure 10 of the paper, and 5 to 200 iterations.

Examples:
  harvestman-lab lab xcrawl forum.warc.gz --out results
  harvestman-lab lab xcrawl forum.warc.gz --types forum:thread --whole
  harvestman-lab lab xcrawl forum.warc.gz --policies xcrawl --variants paper --sweep
  harvestman-lab lab xcrawl one.warc.gz two.warc.gz blogs.warc.gz --queries --sites 2")]
pub struct XcrawlArgs {
    #[command(flatten)]
    pub(super) common: Common,
    /// Policies
    #[arg(long, value_name = "NAMES", value_parser = policy_named, value_delimiter = ',', default_values_t = XCRAWL_POLICIES)]
    pub(super) policies: Vec<PolicyKind>,
    /// Variants of the policies that have any
    #[arg(long, value_name = "NAMES", value_delimiter = ',', default_values_t = XCRAWL_FORMS)]
    pub(super) variants: Vec<Form>,
    /// Maximum number of requests of a crawl
    #[arg(long, value_name = "N")]
    pub(super) budget: Option<usize>,
    /// Wanted types, regardless of their content
    #[arg(long, value_name = "TYPES", value_delimiter = ',')]
    pub(super) types: Vec<String>,
    /// Minimum number of pages of a type to be wanted without being named
    #[arg(long, value_name = "N", default_value_t = 200)]
    pub(super) type_pages: u64,
    /// Number of example pages
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = examples)]
    pub(super) examples: usize,
    /// Also vary the restart probability and the number of iterations of each of the printed variants
    #[arg(long)]
    pub(super) sweep: bool,
    /// Also crawl until the frontier is empty, to measure the share of wanted pages that can be reached
    #[arg(long)]
    whole: bool,
    /// Crawl the first recordings together, from queries only; all recordings are searched
    #[arg(long)]
    pub(super) queries: bool,
    /// With --queries: an example page, instead of drawn ones; may be repeated
    #[arg(long, value_name = "URL", requires = "queries")]
    pub(super) example: Vec<String>,
    /// With --queries: guard against traps as a crawl does
    #[arg(long, requires = "queries")]
    pub(super) trap_guard: bool,
    /// With --queries: number of recordings whose pages are wanted
    #[arg(long, value_name = "N", default_value_t = 3)]
    pub(super) sites: usize,
}

impl XcrawlArgs {
    pub(super) fn run(self) -> Result<(), Failure> {
        let contenders = self.contenders();
        let Self { common, budget, types, type_pages, examples, whole, .. } = self;
        let (seeds, validated) = (common.seeds, true);
        run_experiment(&Target { contenders, seeds, budget, types, type_pages, whole, examples, validated }, &common)
    }
}

impl XcrawlArgs {
    /// Returns the policies in their variants, and with `--sweep` the printed ones with other parameters.
    pub(super) fn contenders(&self) -> Vec<Contender> {
        let mut forms = self.variants.clone();
        if self.sweep {
            let printed = self.variants.iter().filter(|form| form.variant != Variant::Default);
            let varied = printed.flat_map(|form| {
                let restarts = RESTARTS.map(|restart| form.with_restart(restart));
                restarts.into_iter().chain(ITERATIONS.map(|iterations| form.with_iterations(iterations)))
            });
            forms.extend(varied);
        }
        Contender::all(&self.policies, &forms)
    }
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
  harvestman-lab lab profiles gallery.warc.gz --topics 3 --out results")]
pub struct ProfilesArgs {
    #[command(flatten)]
    common: Common,
    /// Policies
    #[arg(long, value_name = "NAMES", value_parser = policy_named, value_delimiter = ',', default_values_t = PROFILES_POLICIES)]
    policies: Vec<PolicyKind>,
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

impl ProfilesArgs {
    pub(super) fn run(self) -> Result<(), Failure> {
        let Self { common, policies, variants, budget, topics } = self;
        let contenders = Contender::all(&policies, &variants);
        run_experiment(&Profiles { contenders, seeds: common.seeds, budget, topics }, &common)
    }
}

/// Reads a number of examples.
fn examples(text: &str) -> Result<usize, String> {
    let count = text.parse::<usize>().map_err(|error| error.to_string())?;
    if count == 0 { Err("at least one example is needed".to_owned()) } else { Ok(count) }
}
