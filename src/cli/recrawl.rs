//! `harvestman recrawl`: revisits the pages of a crawl.

use std::path::PathBuf;

use super::exit::{Exit, Failure};
use super::resume;
use super::settings::SettingArgs;
use harvestman_pipeline::Beginning;

/// Arguments of `harvestman recrawl`.
#[derive(Debug, Clone, clap::Args)]
#[command(after_help = AFTER_HELP)]
pub struct RecrawlArgs {
    /// Directory of the crawl
    #[arg(value_name = "DIR", help_heading = "What to revisit")]
    pub directory: PathBuf,

    /// Settings that change from now on.
    #[command(flatten)]
    pub settings: SettingArgs,

    /// Crawl in the directory although it belongs to another user, whom you trust
    #[arg(long, help_heading = "What to revisit")]
    pub trust_owner: bool,

    /// Hide the progress
    #[arg(long, short, help_heading = "Output and log")]
    pub quiet: bool,
}

const AFTER_HELP: &str = "\
Examples:
  Follow a forum: crawl it once, then fetch the changes as often as you like:
    harvestman crawl https://forum.example.org/ --out forum
    harvestman recrawl forum
  With at most 500 requests, or at most half of the requests that all pages would take:
    harvestman recrawl forum --requests 500
    harvestman recrawl forum --share 0.5
  List the changed pages:
    jq -r 'select(.changed) | .url' forum/pages.jsonl

A recrawl learns how often each type of page changes, from its own visits and earlier ones, and
requests the pages that have most probably changed, until it expects to have found nearly all
changes. Where the server sent an ETag or a date, requests are conditional (If-None-Match,
If-Modified-Since); an unchanged page becomes a revisit record in the WARC files. New links are
followed as in any crawl, and URLs that were still queued are fetched.

Each recrawl uses what all earlier runs have observed. Budgets and report.json cover this recrawl
only; the previous report is kept as report-N.json. `harvestman resume DIR` resumes a stopped or
killed recrawl; `harvestman recrawl DIR` begins a new one. Settings are those of the crawl's
config.toml, as for `harvestman resume`.";

/// Revisits the pages of the crawl that `args` name.
pub fn run(args: &RecrawlArgs) -> Result<Exit, Failure> {
    let owner = resume::owner(args.trust_owner);
    let further = resume::FurtherRun { quiet: args.quiet, owner, beginning: Beginning::WithRevisits };
    resume::run_in(&args.directory, &args.settings, further)
}
