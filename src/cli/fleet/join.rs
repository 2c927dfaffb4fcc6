//! `harvestman fleet join`: adds this machine to a running crawl.

use std::collections::BTreeSet;

use crate::cli::crawl;
use crate::cli::exit::{Exit, Failure};
use crate::cli::settings::SettingArgs;
use harvestman_core::config::Config;
use harvestman_pipeline::{self as pipeline, Beginning};

/// Arguments of `harvestman fleet join`.
#[derive(Debug, Clone, clap::Args)]
#[command(after_help = AFTER_HELP)]
pub struct JoinArgs {
    /// NATS servers of the fleet, separated by commas [fleet.servers]
    #[arg(value_name = "nats://HOST:PORT")]
    pub servers: String,

    /// The settings of this machine.
    #[command(flatten)]
    pub settings: SettingArgs,

    /// Resume a crawl that was stopped or whose budget was used up, with the budgets given here
    #[arg(long)]
    pub resume: bool,

    /// Hide the progress
    #[arg(long, short, help_heading = "Output and log")]
    pub quiet: bool,
}

const AFTER_HELP: &str = "\
Examples:
  The first machine begins the crawl, the others join it:
    harvestman crawl https://forum.example.org/ --fleet tls://10.0.0.1:4222 --node a --out a
    harvestman fleet join tls://10.0.0.1:4222 --node b --out b

The fleet defines what is crawled and how: seeds, scope, budgets, politeness and similar settings
are those with which the crawl began. A machine sets only its name, directory, threads, log, metrics
and connection to the servers, and what the servers must not choose for it: files, programs, a
proxy, addresses and uploads. Where the crawl began with one of these, it must be given here too;
the message names it. Other settings given here have no effect.

Servers that other machines reach must ask for a log-in (HARVESTMAN_FLEET_TOKEN, or fleet.user and
fleet.password), unless --open-fleet is given. With HARVESTMAN_FLEET_SEAL, a key of 64 hexadecimal
digits that all nodes have, all that is on the servers is sealed, and cookies and headers are shared.
Without it each machine gives them.

The servers keep a crawl that was stopped (`harvestman ctl DIR stop`, on any machine) or whose budget
was used up. --resume resumes it where it ended; other machines then join as before.

The directory receives what this machine fetches. On Ctrl-C or SIGTERM, the machine hands its work
over to the others and leaves. If it dies, the others take over after `fleet.lease`, and nothing is
lost. The same command with the same directory makes it rejoin.";

/// Takes part in a crawl until it ends or this machine leaves.
pub fn run(args: &JoinArgs) -> Result<Exit, Failure> {
    let own = super::settings(&args.settings, &args.servers)?;
    // The log starts before the servers are asked, which may take a while.
    let progress = crawl::start_log(&own, args.quiet);
    let config = pipeline::runtime(&own).block_on(configuration(&own, &args.settings.given()?, args.resume))?;
    let config = crawl::prepare_logged(config)?;
    crawl::run_with(&config, &progress, Beginning::AtSeeds)
}

async fn configuration(own: &Config, given: &BTreeSet<String>, resume: bool) -> Result<Config, pipeline::Error> {
    let config = pipeline::fleet_configuration(own, given).await?;
    if resume {
        pipeline::fleet_resume(own).await?;
    }
    Ok(config)
}
