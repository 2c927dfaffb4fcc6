//! `harvestman recrawl`: visits the pages of a crawl again.

use std::path::PathBuf;

use super::crawl::Begin;
use super::exit::{Exit, Failure};
use super::resume;
use super::settings::SettingArgs;

/// Arguments of `harvestman recrawl`.
#[derive(Debug, Clone, clap::Args)]
#[command(after_help = AFTER_HELP)]
pub struct RecrawlArgs {
    /// The crawl's directory
    #[arg(value_name = "DIR", help_heading = "What to visit again")]
    pub directory: PathBuf,

    /// What is to be different from now on.
    #[command(flatten)]
    pub settings: SettingArgs,

    /// Show no progress
    #[arg(long, short, help_heading = "Output and log")]
    pub quiet: bool,
}

const AFTER_HELP: &str = "\
Examples:
  Follow a forum: crawl it once, then look for what has changed as often as you like:
    harvestman crawl https://forum.example.org/ --out forum
    harvestman recrawl forum
  With at most 500 requests; or with at most half of what all pages would take:
    harvestman recrawl forum --requests 500
    harvestman recrawl forum --share 0.5
  Which pages have changed:
    jq -r 'select(.changed) | .url' forum/pages.jsonl

A recrawl learns how often which kind of page changes, from its own visits and those before, and
asks for the pages that have most likely changed, until nearly all that has changed is expected to
be found. Pages are asked for by If-None-Match and If-Modified-Since where the server gave an ETag
or a date; what is unchanged becomes a revisit record in the WARC files. Links that are new are
followed as in any crawl, and so are URLs that still waited.

Each recrawl goes by what all before it have seen. Budgets count this recrawl alone, and report.json
is about it alone; the report of the run before it is kept as report-N.json. A recrawl that was
stopped or killed goes on by `harvestman resume DIR`; `harvestman recrawl DIR` begins another one.
Settings are those of the crawl's config.toml, as for `harvestman resume`.";

/// Visits the pages of the crawl that `args` name again.
pub fn run(args: &RecrawlArgs) -> Result<Exit, Failure> {
    resume::run_in(&args.directory, args.settings.clone(), args.quiet, Begin::AnotherRound)
}
