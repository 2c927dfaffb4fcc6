//! `harvestman resume`: resumes a crawl that was stopped or killed; and `harvestman recrawl`: revisits its pages.

use std::path::{Path, PathBuf};

use super::crawl;
use super::exit::{Exit, Failure};
use super::settings::SettingArgs;
use harvestman_core::config::{left_out, overridden};
use harvestman_library::program::{CONFIG_FILE, Owner, directory_flags};
use harvestman_pipeline::Beginning;

/// Arguments of `harvestman resume`.
#[derive(Debug, Clone, clap::Args)]
#[command(after_help = AFTER_HELP)]
pub struct ResumeArgs {
    /// Directory of the crawl
    #[arg(value_name = "DIR", help_heading = "What to resume")]
    pub directory: PathBuf,

    /// Settings that change from now on.
    #[command(flatten)]
    pub settings: SettingArgs,

    /// Crawl in the directory although it belongs to another user, whom you trust
    #[arg(long, help_heading = "What to resume")]
    pub trust_owner: bool,

    /// Hide the progress
    #[arg(long, short, help_heading = "Output and log")]
    pub quiet: bool,
}

const AFTER_HELP: &str = "\
Examples:
  After an interruption, a crash or a power failure:
    harvestman resume forum
  With a larger budget and a longer delay:
    harvestman resume forum --pages 100000 --delay 2s

Settings are those of the crawl's config.toml; flags change them from now on. Budgets cover the
whole crawl, all its runs together. Cookies, headers and the keys of searches are not in
config.toml, because they may be secret: give them again. A crawl directory may come from somebody
else, so it does not choose what is yours either: files, programs, proxies, log-ins, environment
variables and uploads must be given again, by flags, in the environment or by --config FILE, of
which only these settings are taken. A directory of another user, links in it and other special
files are refused.

No discovered URL is lost, however the crawl ended. Pages that were in flight are fetched again. The
torn end of a WARC file is cut off and logged. Hosts get no request before their delay has passed. A
policy relearns from all earlier observations; a different policy, or different policy settings,
learn from scratch. Bans, pins and blocks stay in force.";

/// Resumes the crawl that `args` name.
pub fn run(args: &ResumeArgs) -> Result<Exit, Failure> {
    let further = FurtherRun { quiet: args.quiet, owner: owner(args.trust_owner), beginning: Beginning::WhereStopped };
    run_in(&args.directory, &args.settings, further)
}

/// A further run in a crawl directory.
#[derive(Debug, Clone, Copy)]
pub(super) struct FurtherRun {
    /// Whether the progress is hidden.
    pub quiet: bool,
    /// Whose directory it may be.
    pub owner: Owner,
    /// Where it begins.
    pub beginning: Beginning,
}

/// Returns whose directories are crawled into.
pub(super) const fn owner(is_trusted: bool) -> Owner {
    if is_trusted { Owner::Anybody } else { Owner::User }
}

/// Crawls in an existing crawl directory, with the crawl's own configuration and the changes in `settings`.
pub(super) fn run_in(directory: &Path, settings: &SettingArgs, further: FurtherRun) -> Result<Exit, Failure> {
    let (text, fixed) = directory_flags(directory, further.owner).map_err(Failure::usage)?;
    let config = settings.load_in(Some((&directory.join(CONFIG_FILE), &text)), fixed)?;
    let missing: Vec<&str> = left_out(&text, &config).collect();
    if missing.contains(&"search.url") {
        return Err(Failure::usage(
            "search.url: the keys of the searches are not in config.toml, because they are secret: give all searches again with \
             --search, or --set search.url=[] to go on without them",
        ));
    }
    let (config, progress) = crawl::prepare(config, further.quiet)?;
    if !missing.is_empty() {
        tracing::warn!("{} was set and is not in config.toml; the crawl resumes without it", missing.join(", "));
    }
    for setting in overridden(&text) {
        tracing::warn!("config.toml: {setting}");
    }
    crawl::run_with(&config, &progress, further.beginning)
}

/// Arguments of `harvestman recrawl`.
#[derive(Debug, Clone, clap::Args)]
#[command(after_help = RECRAWL_HELP)]
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

const RECRAWL_HELP: &str = "\
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
pub fn recrawl(args: &RecrawlArgs) -> Result<Exit, Failure> {
    let owner = owner(args.trust_owner);
    let further = FurtherRun { quiet: args.quiet, owner, beginning: Beginning::WithRevisits };
    run_in(&args.directory, &args.settings, further)
}
