//! Arguments of `harvestman-lab replay`.

use crate::replay::{policies, policy_named, variant_names};
use harvestman_core::config::{EARLY_STOP_REQUESTS, FilterOrder, PolicyKind};
use std::path::PathBuf;

use crate::cli::recordings::{LABELS_HELP, share};
use crate::experiments::Form;

/// Crawl a recorded site at memory speed and print the results
///
/// Parser, classifier, policy, filter, dedup and frontier are those of a live crawl; only the responses come from the
/// recording. The crawl starts at the first page of the recording; URLs that it does not contain do not exist. Every
/// request counts, including those that yield an error, a redirect or a page again. The same seed gives the same order.
#[derive(Debug, clap::Args)]
#[command(after_help = after_help())]
pub struct ReplayArgs {
    /// Recording: a WARC file, compressed or plain, of any tool
    #[arg(value_name = "CORPUS")]
    pub(super) corpus: PathBuf,

    #[arg(help = policy_help())]
    #[arg(long, value_name = "NAME", value_parser = policy_named, default_value_t = PolicyKind::Ucc, help_heading = "The crawl")]
    pub(super) policy: PolicyKind,
    /// Variant of ucc and target: default, paper, or one of those listed below
    #[arg(long, value_name = "NAME", default_value_t = Form::DEFAULT, help_heading = "The crawl")]
    pub(super) variant: Form,
    /// Maximum number of pages to learn templates from [default: 1000]
    #[arg(long, value_name = "N", help_heading = "The crawl")]
    pub(super) sample: Option<usize>,
    /// Maximum number of requests [default: see below]
    #[arg(long, value_name = "B", value_parser = clap::value_parser!(u32).range(1..), help_heading = "The crawl")]
    pub(super) pages: Option<u32>,
    /// Stop when a smaller share of the next requests is expected to yield a wanted page, e.g. 0.1 (policies ucc,
    /// target)
    #[arg(long, value_name = "SHARE", value_parser = share, help_heading = "The crawl")]
    pub(super) early_stop: Option<f64>,
    /// Number of requests of a forecast
    #[arg(long, value_name = "N", default_value_t = EARLY_STOP_REQUESTS, value_parser = clap::value_parser!(u32).range(1..), requires = "early_stop", help_heading = "The crawl")]
    pub(super) early_stop_requests: u32,
    /// When the learned link filter runs: before the dedup (graph-dup), after it (dup-graph) or never (dup-only)
    #[arg(long, value_name = "ORDER", default_value_t = FilterOrder::GraphDup, help_heading = "The crawl")]
    pub(super) filter_order: FilterOrder,
    /// Guard against traps as a crawl does, and list the detected URL patterns
    #[arg(long, help_heading = "The crawl")]
    pub(super) trap_guard: bool,
    /// Seed of the random number generator
    #[arg(long, value_name = "S", default_value_t = 1, help_heading = "The crawl")]
    pub(super) seed: u64,
    /// Another start of the crawl, for a recording of several sites; may be repeated
    #[arg(long, value_name = "URL", help_heading = "The crawl")]
    pub(super) start: Vec<String>,
    /// Example of a wanted page; also a start of the crawl
    #[arg(long, value_name = "URL", help_heading = "The crawl")]
    pub(super) example: Option<String>,
    /// Which pages are wanted, for target, xcrawl and apprentice: like (the example), regex:PATTERN,
    /// selector:CSS, schema:TYPE, table:HEADING,HEADING, posts:NUMBER; may be repeated
    #[arg(long, value_name = "TEST")]
    pub(super) want: Vec<String>,
    /// Tag of the topic, for topic, or @FILE with one a line; may be repeated. Wanted are then the items with one of
    /// the tags: the labels need the columns role and tags
    #[arg(long, value_name = "TAG", conflicts_with = "target", help_heading = "The crawl")]
    pub(super) topic: Vec<String>,

    /// Labels of the pages [default: NAME.labels.csv.gz or NAME.labels.csv beside NAME.warc.gz]
    #[arg(long, value_name = "CSV", help_heading = "What is measured")]
    pub(super) labels: Option<PathBuf>,
    /// Measure only what needs no labels
    #[arg(long, conflicts_with_all = ["labels", "target"], help_heading = "What is measured")]
    pub(super) no_labels: bool,
    /// Labelled type of the wanted pages [default: the type of the example, or user-created content]
    #[arg(long, value_name = "TYPE", help_heading = "What is measured")]
    pub(super) target: Option<String>,

    /// Write {"rows": [...]}; - writes to standard output instead of the table
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub(super) json: Option<PathBuf>,
    /// Write the requests in order, one per line, with URL, value (valid, view, page or -) and type
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub(super) order: Option<PathBuf>,
    /// Write what the policy learned of the site, for a crawl to start from (`--model`) or `inspect site` to show
    #[arg(long, value_name = "FILE", value_hint = clap::ValueHint::FilePath, help_heading = "Output")]
    pub(super) write_model: Option<PathBuf>,
}

fn policy_help() -> String {
    format!("Policy: {}", policies().map(PolicyKind::name).collect::<Vec<_>>().join(", "))
}

fn after_help() -> String {
    format!(
        "\
Budget:
  For user-created content: min(5,000, N/4, W/2), where N is the number of URLs of the recording and
  W its number of user-created pages (labelled so, HTML, status 200); without labels min(5,000,
  N/4). For a target: the number of pages of the type. For a topic: the number of its items.

Examples:
  Crawl a recorded forum with the default policy:
    harvestman-lab replay forum.warc.gz
  The same breadth-first, for comparison, as JSON:
    harvestman-lab replay forum.warc.gz --policy bfs --json -
  Pages similar to an example, and the order in which they were requested:
    harvestman-lab replay forum.warc.gz --policy target \\
        --example https://forum.example.org/user/7 --order order.tsv
  Pages of a labelled type, with the example drawn by the seed:
    harvestman-lab replay forum.warc.gz --policy target --target forum:profile
  Items about birds, after 2,000 requests:
    harvestman-lab replay board.warc.gz --policy topic --topic bird --topic wader --pages 2000

Variants of ucc and target: {}.
Variants of xcrawl: {}.
The variants of the first paper (Xu, Gao, Callan 2018) start with a sample whose requests count; with
+free-sample appended to the name they do not count, as in the paper.

Values in --order: valid is a new wanted page; view is another address or order of a known page
(duplicate view); page is any other new page; - is an error, a redirect or a page fetched before.

{LABELS_HELP}",
        variant_names(PolicyKind::Ucc),
        variant_names(PolicyKind::Xcrawl)
    )
}
