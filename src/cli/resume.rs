//! `harvestman resume`: goes on with a crawl that was stopped or killed.

use std::path::{Path, PathBuf};

use super::crawl::{self, Begin};
use super::exit::{Exit, Failure};
use super::settings::SettingArgs;
use harvestman_core::config::{Flag, FlagValue, left_out};

/// Arguments of `harvestman resume`.
#[derive(Debug, Clone, clap::Args)]
#[command(after_help = AFTER_HELP)]
pub struct ResumeArgs {
    /// The crawl's directory
    #[arg(value_name = "DIR", help_heading = "What to go on with")]
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
  After an interruption, a crash or a power failure:
    harvestman resume forum
  With more pages to fetch, or another pace:
    harvestman resume forum --pages 100000 --delay 2s

Settings are those of the crawl's config.toml; flags change them from now on. Budgets count the
whole crawl, all its runs together. Cookies, headers and a proxy are not in config.toml, as they
may be secret: give them again.

Nothing that was discovered is lost, whatever ended the crawl. Pages that were being fetched are
fetched again. A torn end of a WARC file is cut off, and the log says so. Hosts are left alone for
their delay at least. A policy is shown again what it has seen, and knows what it knew; with another
policy, or other settings of it, it learns anew. What was banned, pinned and blocked stays so.";

/// Goes on with the crawl that `args` name.
pub fn run(args: &ResumeArgs) -> Result<Exit, Failure> {
    run_in(&args.directory, args.settings.clone(), args.quiet, Begin::Again)
}

/// Crawls in a directory that holds a crawl, by its own configuration and what `settings` change of it.
pub(super) fn run_in(directory: &Path, mut settings: SettingArgs, quiet: bool, begin: Begin) -> Result<Exit, Failure> {
    let file = directory.join("config.toml");
    let text = match std::fs::read_to_string(&file) {
        Ok(text) => text,
        Err(error) => {
            let directory = directory.display();
            return Err(Failure::usage(format!("{directory} holds no crawl: cannot read its config.toml: {error}")));
        }
    };
    if let Some(other) = settings.config.replace(file) {
        return Err(Failure::usage(format!(
            "--config {}: a crawl goes on with its own configuration; change settings by flags or --set",
            other.display()
        )));
    }
    let fixed = |name: &str, value: String| Flag {
        flag: "DIR".to_owned(),
        name: name.to_owned(),
        value: FlagValue::Text(value),
    };
    let directory = directory.to_string_lossy().into_owned();
    let more = vec![fixed("crawl.out", directory), fixed("state.enabled", "true".to_owned())];
    let config = settings.load(more)?;
    let missing: Vec<&str> = left_out(&text, &config).collect();
    let (config, progress) = crawl::begin(config, quiet)?;
    if !missing.is_empty() {
        tracing::warn!("{} was set and is not in config.toml; the crawl goes on without", missing.join(", "));
    }
    crawl::run_with(&config, &progress, begin)
}
