//! `harvestman fleet join`: one more node for a crawl that is there.

use crate::cli::crawl::{self, Begin};
use crate::cli::exit::{Exit, Failure};
use crate::cli::settings::SettingArgs;
use harvestman_core::config::Config;
use harvestman_pipeline as pipeline;

/// Arguments of `harvestman fleet join`.
#[derive(Debug, Clone, clap::Args)]
#[command(after_help = AFTER_HELP)]
pub struct JoinArgs {
    /// The fleet's NATS servers, with commas between them [fleet.servers]
    #[arg(value_name = "nats://HOST:PORT")]
    pub servers: String,

    /// What this machine has for itself.
    #[command(flatten)]
    pub settings: SettingArgs,

    /// Let the crawl go on that was stopped, or whose budget was used up, with the budgets given here
    #[arg(long)]
    pub go_on: bool,

    /// Show no progress
    #[arg(long, short, help_heading = "Output and log")]
    pub quiet: bool,
}

const AFTER_HELP: &str = "\
Examples:
  The first machine begins the crawl, others join it:
    harvestman crawl https://forum.example.org/ --fleet nats://10.0.0.1:4222 --node a --out a
    harvestman fleet join nats://10.0.0.1:4222 --node b --out b

What is crawled, and how, is the fleet's: seeds, scope, budgets, politeness and the like are those that
the crawl was begun with. This machine's own are its name, its directory, its threads, its log, its
metrics and how it reaches the servers; other settings that are given here do nothing.

A crawl that was stopped (`harvestman stop DIR`, at any of its machines), or whose budget was used
up, is kept by the servers. With --go-on it goes on where it was; other machines join it as before.

The directory gets what this machine fetches. Ctrl-C or SIGTERM lets the machine leave: what it holds
is handed over, and the others go on. If it dies, they notice after `fleet.lease`, and nothing is
lost. The same command, with the same directory, lets it take part again.";

/// Takes part in a crawl until it is over or this machine is to leave.
pub fn run(args: &JoinArgs) -> Result<Exit, Failure> {
    let own = super::settings(&args.settings, &args.servers)?;
    // Before the servers are asked, which may take a while.
    let progress = crawl::start_log(&own, args.quiet);
    let config = pipeline::runtime(&own).block_on(configuration(&own, args.go_on))?;
    let config = crawl::begin_logged(config)?;
    crawl::run_with(&config, &progress, Begin::Anew)
}

async fn configuration(own: &Config, go_on: bool) -> Result<Config, pipeline::Error> {
    let config = pipeline::fleet_configuration(own).await?;
    if go_on {
        pipeline::fleet_go_on(own).await?;
    }
    Ok(config)
}
