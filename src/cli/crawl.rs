//! `harvestman crawl`: crawls sites into a directory.

use std::io::Write;
use std::sync::Arc;

use super::endpoints::Endpoints;
use super::exit::{Exit, Failure};
use super::posts::following::{FollowSignal, with_posts};
use super::settings::SettingArgs;
use super::upload::with_uploads;
use super::{log, new_directory, signals};
use harvestman_core::config::{Config, Flag, FlagValue, LogFormat};
use harvestman_library::ReadyCrawl;
use harvestman_library::program::{complete, read_seeds};
use harvestman_metrics::Metrics;
use harvestman_pipeline::{self as pipeline, Beginning};
use harvestman_report::document::{flag_to_go_on, quoted};
use harvestman_report::live::Live;
use harvestman_report::progress::Progress;
use harvestman_report::{CrawlStatus, Hooks, Report, terminal};
use parking_lot::Mutex;

/// Arguments of `harvestman crawl`.
#[derive(Debug, Clone, clap::Args)]
#[command(after_help = AFTER_HELP)]
pub struct CrawlArgs {
    /// URLs to start from; https:// is assumed where the scheme is missing [crawl.seeds]
    #[arg(value_name = "SEED", help_heading = "What to crawl", display_order = 0)]
    pub seeds: Vec<String>,

    /// The settings of the crawl.
    #[command(flatten)]
    pub settings: SettingArgs,

    /// Hide the progress
    #[arg(long, short, help_heading = "Output and log")]
    pub quiet: bool,
}

const AFTER_HELP: &str = "\
Examples:
  A whole forum, politely, with a contact for its operators:
    harvestman crawl https://forum.example.org/ --out forum --contact you@example.org
  One section only, at most 1,000 pages or ten minutes:
    harvestman crawl https://forum.example.org/rust/ --scope prefix \\
        --pages 1000 --time 10m --out rust
  As much user-created content as possible within 5,000 pages:
    harvestman crawl https://forum.example.org/ --policy ucc --pages 5000 --out posts
  The same, starting from the site model of an earlier crawl:
    harvestman crawl https://forum.example.org/ --policy ucc \\
        --model posts/site-model.json.gz --pages 5000 --out more
  Pages of a kind on any site, found by a search engine from an example:
    harvestman crawl --policy xcrawl --example thread.html --want 'selector:article.post' \\
        --search 'https://search.example.org/search?q={query}&format=json' --out threads
  The same on one site, also by the site's own search:
    harvestman crawl https://forum.example.org/ --policy xcrawl \\
        --want 'selector:article.post' --search site --out posts
  Pages similar to an example:
    harvestman crawl https://forum.example.org/ --policy target \\
        --example https://forum.example.org/user/17/ --out users
  Who wrote what, in posts.jsonl while the crawl runs:
    harvestman crawl https://forum.example.org/ --policy ucc --posts --out forum
  A site behind a login, on a server that is not in the DNS:
    harvestman crawl https://forum.example.org/ --cookies cookies.txt \\
        --resolve forum.example.org:127.0.0.1 --out dev

Without --out, a new directory in the current one is named after the host of the first seed.

Files in the output directory:
  report.json            results and statistics
  pages.jsonl            one line per URL
  warc/                  requests and responses
  config.toml            the configuration, without secrets
  state/                 the state for `harvestman resume`
  policy.jsonl           the log of a learning policy
  site-model.json.gz     its final site model, for --model and `harvestman inspect site`

`harvestman --help` lists the exit codes, `harvestman config` all settings.";

/// Runs the crawl described by `args`.
pub fn run(args: &CrawlArgs) -> Result<Exit, Failure> {
    let more = seeds_flag(&args.seeds);
    let (mut config, progress) = prepare(args.settings.load(more.into_iter().collect())?, args.quiet)?;
    if config.crawl.out.is_empty() {
        config.crawl.out = new_directory::named_after(&config.crawl.seeds).map_err(Failure::usage)?;
        tracing::info!("no --out is given: the output goes to the new directory {}", config.crawl.out);
    }
    run_with(&config, &progress, Beginning::AtSeeds)
}

/// Returns the setting of the seeds on the command line, if there are any.
pub(super) fn seeds_flag(seeds: &[String]) -> Option<Flag> {
    let value = FlagValue::List(seeds.to_vec());
    (!seeds.is_empty()).then(|| Flag { flag: "SEED".to_owned(), name: "crawl.seeds".to_owned(), value })
}

/// Reads the seeds, starts the log and warns about problems. The returned configuration is complete.
pub fn prepare(config: Config, quiet: bool) -> Result<(Config, Arc<Progress>), Failure> {
    let seeds = read_seeds(&config).map_err(Failure::usage)?;
    let progress = start_log(&config, quiet);
    Ok((complete(config, &seeds), progress))
}

/// Completes the configuration like [`prepare`], but does not start the log.
pub(super) fn prepare_logged(config: Config) -> Result<Config, Failure> {
    let seeds = read_seeds(&config).map_err(Failure::usage)?;
    Ok(complete(config, &seeds))
}

/// Runs the crawl described by `config`, with the log and the progress line of the `crawl` command.
pub fn crawl_with(config: Config, quiet: bool) -> Result<Exit, Failure> {
    let progress = start_log(&config, quiet);
    run_with(&config, &progress, Beginning::AtSeeds)
}

/// Starts the log and the progress line beside it.
pub(super) fn start_log(config: &Config, quiet: bool) -> Arc<Progress> {
    let progress = Arc::new(Progress::new(quiet, config.log.format == LogFormat::Json));
    log::start(&config.log, Arc::clone(&progress));
    progress
}

/// Crawls and prints the report.
pub(super) fn run_with(config: &Config, progress: &Arc<Progress>, beginning: Beginning) -> Result<Exit, Failure> {
    let report = to_report(config, progress, beginning)?;
    // Standard output may be closed; the crawl is complete nevertheless.
    let out = &config.crawl.out;
    let more = config.state.enabled && report.leaves_some();
    let resume = if more { resume_line(&report, out) } else { String::new() };
    let _ =
        writeln!(terminal::stdout(), "{report}output    {out}\nread      harvestman report {}{resume}", quoted(out));
    Ok(Exit::after(&report))
}

/// Returns the line that says how the crawl goes on.
fn resume_line(report: &Report, out: &str) -> String {
    let flag = flag_to_go_on(report.stop_reason, report.pages, report.requests);
    let why = if flag.is_empty() { "" } else { "   (budgets cover all runs of the crawl together)" };
    format!("\nresume    harvestman resume {}{flag}{why}", quoted(out))
}

/// Crawls and returns the report. Failures are logged where the log is JSON.
pub fn to_report(config: &Config, progress: &Arc<Progress>, beginning: Beginning) -> Result<Report, Failure> {
    let result = with_uploads(config, |metrics| {
        with_posts(config, &metrics.clone(), |posts| {
            let ready = ReadyCrawl::of_program(config.clone(), beginning);
            let crawl = crawl(ready, metrics, progress, posts);
            pipeline::runtime(config).block_on(crawl)
        })
    });
    match config.log.format {
        LogFormat::Text => result,
        LogFormat::Json => result.map_err(Failure::logged),
    }
}

async fn crawl(
    ready: ReadyCrawl,
    metrics: Metrics,
    progress: &Arc<Progress>,
    posts: &FollowSignal,
) -> Result<Report, Failure> {
    let latest = Arc::new(Mutex::new(CrawlStatus::default()));
    let live = Live::open();
    let (board, trees, stop) = (posts.board.clone(), posts.trees.clone(), posts.stop.clone());
    let hooks = Hooks { live: live.clone(), metrics, posts: board, trees, stop, ..Hooks::none() };
    signals::listen(hooks.stop.clone()).map_err(|error| Failure::new(Exit::Internal, error))?;
    let endpoints = Arc::new(Endpoints::open(ready.config(), &hooks, &latest).await?);

    let (shown, opening) = (Arc::clone(progress), Arc::clone(&endpoints));
    let posts = posts.clone();
    let on_status = move |status: &CrawlStatus| {
        shown.show(status);
        latest.lock().clone_from(status);
        // The crawl directory exists once the first status arrives.
        opening.open_inside();
        posts.begin();
    };
    let hooks = Hooks { on_status: Arc::new(on_status), ..hooks };
    let result = Box::pin(ready.run_here(hooks)).await;
    progress.finish();
    live.end(&result.as_ref().map_or_else(ToString::to_string, |report| report.stop_reason.describe().to_owned()));
    endpoints.close().await;
    Ok(result?)
}
