//! `harvestman crawl`: crawls sites into a directory.

use std::io::{self, Write};
use std::path::Path;
use std::sync::Arc;

use parking_lot::Mutex;
use url::Url;

use super::exit::{Exit, Failure};
use super::settings::SettingArgs;
use super::upload::uploaded_beside;
use super::watchers::Doors;
use super::{identity, log, seeds, signals};
use harvestman_core::config::{Config, Flag, FlagValue, LogFormat};
use harvestman_core::seed::Seed;
use harvestman_metrics::Metrics;
use harvestman_pipeline as pipeline;
use harvestman_report::live::Live;
use harvestman_report::progress::Progress;
use harvestman_report::{CrawlStatus, Hooks, Report, StopReason};

/// Arguments of `harvestman crawl`.
#[derive(Debug, Clone, clap::Args)]
#[command(after_help = AFTER_HELP)]
pub struct CrawlArgs {
    /// URLs to start from; without a scheme https:// is taken [crawl.seeds]
    #[arg(value_name = "SEED", help_heading = "What to crawl")]
    pub seeds: Vec<String>,

    /// What to crawl, and how.
    #[command(flatten)]
    pub settings: SettingArgs,

    /// Show no progress
    #[arg(long, short, help_heading = "Output and log")]
    pub quiet: bool,
}

const AFTER_HELP: &str = "\
Examples:
  A whole forum, politely, with a way for its operators to reach you:
    harvestman crawl https://forum.example.org/ --out forum --contact you@example.org
  One section only, at most 1,000 pages or ten minutes:
    harvestman crawl https://forum.example.org/rust/ --scope prefix \\
        --pages 1000 --time 10m --out rust
  What users wrote, as much of it as 5,000 pages can hold:
    harvestman crawl https://forum.example.org/ --policy ucc --pages 5000 --out posts
  The same by what `harvestman learn`, or a crawl before, has learnt of the site:
    harvestman crawl https://forum.example.org/ --policy ucc --model forum.model \\
        --pages 5000 --out more
  Pages like one that you name:
    harvestman crawl https://forum.example.org/ --policy target \\
        --example https://forum.example.org/user/17/ --out users
  A site behind a login, served by a machine that is not in the DNS:
    harvestman crawl https://forum.example.org/ --cookies cookies.txt \\
        --resolve forum.example.org:127.0.0.1 --out dev

The output directory gets report.json (what came of it), pages.jsonl (a line a page),
WARC files (what was sent and received), config.toml (the configuration; without secrets),
state/ (what `harvestman resume` goes on from) and, where the policy learns, policy.jsonl (what was learnt, step by step) and
site-model.json.gz (what is known in the end, for --model of another crawl and for
`harvestman site`). `harvestman --help` names the exit codes, `harvestman config` all settings.";

/// Runs the crawl that `args` describe.
pub fn run(args: &CrawlArgs) -> Result<Exit, Failure> {
    let more = (!args.seeds.is_empty()).then(|| Flag {
        flag: "SEED".to_owned(),
        name: "crawl.seeds".to_owned(),
        value: FlagValue::List(args.seeds.clone()),
    });
    let (config, progress) = begin(args.settings.load(more.into_iter().collect())?, args.quiet)?;
    run_with(&config, &progress, Begin::Anew)
}

/// Reads the seeds, starts the log and tells what is amiss with both; the configuration is complete then.
pub(super) fn begin(config: Config, quiet: bool) -> Result<(Config, Arc<Progress>), Failure> {
    let seeds = seeds::gather(&config.crawl.seeds, &config.crawl.seeds_file)?;
    let progress = start_log(&config, quiet);
    Ok((completed(config, &seeds), progress))
}

/// The same where the log has been started.
pub(super) fn begin_logged(config: Config) -> Result<Config, Failure> {
    let seeds = seeds::gather(&config.crawl.seeds, &config.crawl.seeds_file)?;
    Ok(completed(config, &seeds))
}

fn completed(config: Config, seeds: &[seeds::Seed]) -> Config {
    let urls: Vec<Url> = seeds.iter().map(|seed| seed.url.clone()).collect();
    for seed in seeds.iter().filter(|seed| seed.guessed) {
        tracing::warn!("a seed has no scheme; taking {}", seed.url);
    }
    if let Some(warning) = identity::missing_contact(&config.fetch.user_agent, &config.fetch.contact, &urls) {
        tracing::warn!("{warning}");
    }
    complete(with_whole_example(config), &urls)
}

/// Crawls as `config` says, with a log and a progress line as the `crawl` command has them.
pub fn crawl_with(config: Config, quiet: bool) -> Result<Exit, Failure> {
    let progress = start_log(&config, quiet);
    run_with(&config, &progress, Begin::Anew)
}

/// Starts the log, beside a progress line.
pub(super) fn start_log(config: &Config, quiet: bool) -> Arc<Progress> {
    let progress = Arc::new(Progress::new(quiet, config.log.format == LogFormat::Json));
    log::start(&config.log, Arc::clone(&progress));
    progress
}

/// Crawls and prints the report.
pub(super) fn run_with(config: &Config, progress: &Arc<Progress>, begin: Begin) -> Result<Exit, Failure> {
    let report = to_report(config, progress, begin, Until::Over)?;
    // Nobody may be reading; that changes nothing about the crawl.
    let out = &config.crawl.out;
    let more = config.state.enabled && report.stop_reason != StopReason::FrontierEmpty;
    let go_on = if more { format!("\ngo on     harvestman resume {out}") } else { String::new() };
    let _ = writeln!(io::stdout(), "{report}output    {out}\nread      harvestman report {out}{go_on}");
    Ok(Exit::after(&report))
}

/// Where a crawl begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Begin {
    /// At its seeds.
    Anew,
    /// Where the run before it ended.
    Again,
    /// At the pages that were fetched before.
    AnotherRound,
}

/// When a crawl ends, if nothing else ends it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Until {
    /// When nothing is left.
    Over,
    /// When the policy has learnt something from what it sampled.
    Learnt,
}

/// Crawls as `config` says; its failures are in the log's format.
pub(super) fn to_report(
    config: &Config,
    progress: &Arc<Progress>,
    begin: Begin,
    until: Until,
) -> Result<Report, Failure> {
    let result = uploaded_beside(config, |metrics| {
        pipeline::runtime(config).block_on(crawl(config, metrics, progress, begin, until))
    });
    match config.log.format {
        LogFormat::Text => result,
        LogFormat::Json => result.map_err(Failure::logged),
    }
}

/// An example page that is named by a URL without a scheme gets one, as a seed does.
fn with_whole_example(mut config: Config) -> Config {
    let example = &mut config.policy.example;
    if !example.is_empty()
        && !Path::new(example.as_str()).exists()
        && let Ok(seed) = seeds::parse(example)
    {
        *example = seed.url.to_string();
    }
    config
}

/// The configuration as the crawl needs it: seeds as URLs, files read, a seed drawn; so it repeats the run.
fn complete(mut config: Config, seeds: &[Url]) -> Config {
    config.crawl.seeds = seeds.iter().map(Url::to_string).collect();
    config.crawl.seeds_file.clear();
    if config.crawl.seed == 0 {
        // 53 bits: TOML cannot write more than 63, and many readers of JSON round what is beyond 53.
        config.crawl.seed = (Seed::from_system().0 >> 11).max(1);
    }
    config
}

async fn crawl(
    config: &Config,
    metrics: Metrics,
    progress: &Arc<Progress>,
    begin: Begin,
    until: Until,
) -> Result<Report, Failure> {
    let latest = Arc::new(Mutex::new(CrawlStatus::default()));
    let live = Live::open();
    let hooks = Hooks { live: live.clone(), metrics, ..Hooks::none() };
    signals::listen(hooks.stop.clone()).map_err(|error| Failure::new(Exit::Internal, error))?;
    let doors = Arc::new(Doors::open(config, &hooks, &latest).await?);

    let (shown, opening) = (Arc::clone(progress), Arc::clone(&doors));
    let (learning, enough) = (Arc::clone(&hooks.metrics.policy), hooks.stop.clone());
    let on_status = move |status: &CrawlStatus| {
        if until == Until::Learnt && learning.lessons.get() > 0 {
            enough.request();
        }
        shown.show(status);
        latest.lock().clone_from(status);
        // With the first status the crawl has its directory.
        opening.open_inside();
    };
    let hooks = Hooks { on_status: Arc::new(on_status), ..hooks };
    let result = match begin {
        Begin::Anew => pipeline::run(config, hooks).await,
        Begin::Again => pipeline::go_on(config, hooks).await,
        Begin::AnotherRound => pipeline::recrawl(config, hooks).await,
    };
    progress.finish();
    live.end(&result.as_ref().map_or_else(ToString::to_string, |report| report.stop_reason.describe().to_owned()));
    doors.close().await;
    Ok(result?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_configuration_of_a_crawl_stands_on_its_own_and_repeats_its_draws() {
        let mut config = Config::default();
        config.crawl.seeds_file = "seeds.txt".to_owned();
        let config = complete(config, &[Url::parse("https://example.org").unwrap()]);
        assert_eq!(
            (config.crawl.seeds.as_slice(), config.crawl.seeds_file.as_str()),
            (&["https://example.org/".to_owned()][..], "")
        );
        assert!(config.crawl.seed > 0 && config.crawl.seed < 1 << 53);
        assert_eq!(complete(config.clone(), &[]).crawl.seed, config.crawl.seed);
    }
}
