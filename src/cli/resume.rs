//! `harvestman resume`: resumes a crawl that was stopped or killed.

use std::path::{Path, PathBuf};

use super::crawl;
use super::exit::{Exit, Failure};
use super::settings::SettingArgs;
use harvestman_core::config::left_out;
use harvestman_library::program::{CONFIG_FILE, directory_flags};
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
whole crawl, all its runs together. Cookies, headers and a proxy are not in config.toml, because
they may be secret: give them again.

No discovered URL is lost, however the crawl ended. Pages that were in flight are fetched again. The
torn end of a WARC file is cut off and logged. Hosts get no request before their delay has passed. A
policy relearns from all earlier observations; a different policy, or different policy settings,
learn from scratch. Bans, pins and blocks stay in force.";

/// Resumes the crawl that `args` name.
pub fn run(args: &ResumeArgs) -> Result<Exit, Failure> {
    run_in(&args.directory, args.settings.clone(), args.quiet, Beginning::WhereStopped)
}

/// Crawls in an existing crawl directory, with the crawl's own configuration and the changes in `settings`.
pub(super) fn run_in(
    directory: &Path,
    mut settings: SettingArgs,
    quiet: bool,
    beginning: Beginning,
) -> Result<Exit, Failure> {
    let (text, fixed) = directory_flags(directory).map_err(Failure::usage)?;
    if let Some(other) = settings.config.replace(directory.join(CONFIG_FILE)) {
        return Err(Failure::usage(format!(
            "--config {}: a crawl resumes with its own configuration; change settings with flags or --set",
            other.display()
        )));
    }
    let config = settings.load(fixed)?;
    let missing: Vec<&str> = left_out(&text, &config).collect();
    let (config, progress) = crawl::prepare(config, quiet)?;
    if !missing.is_empty() {
        tracing::warn!("{} was set and is not in config.toml; the crawl resumes without it", missing.join(", "));
    }
    crawl::run_with(&config, &progress, beginning)
}
