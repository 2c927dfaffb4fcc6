//! `harvestman fleet rebalance`: rebalances the load of a fleet now.

use std::io::Write;

use crate::cli::exit::Failure;
use crate::cli::log;
use crate::cli::settings::SettingArgs;
use harvestman_pipeline as pipeline;
use harvestman_report::terminal;

/// Arguments of `harvestman fleet rebalance`.
#[derive(Debug, Clone, clap::Args)]
#[command(after_help = AFTER_HELP)]
pub struct RebalanceArgs {
    /// NATS servers of the fleet, separated by commas [fleet.servers]
    #[arg(value_name = "nats://HOST:PORT")]
    servers: String,

    /// Print everything as JSON
    #[arg(long)]
    json: bool,

    /// Connection settings.
    #[command(flatten)]
    settings: SettingArgs,
}

const AFTER_HELP: &str = "\
Examples:
  harvestman fleet rebalance tls://10.0.0.1:4222
  harvestman fleet rebalance tls://10.0.0.1:4222 --fleet-name forum

Hosts are divided into partitions, and each node owns some of them. The load of a partition is the
number of its known URLs. Every ten seconds, the fleet compares the load of each node with its
weight (`fleet.weight`) and moves partitions where that pays. This command does so now, including
moves that would otherwise not pay; it waits until they are complete, and prints them and the
resulting load.

A partition is the smallest unit that can be moved: a host with more URLs than the share of a node
stays on its node, and the other partitions of that node move. No page is fetched twice; a host
whose partition moves is paused for its delay.";

/// Rebalances the load and prints the moves.
pub fn run(args: &RebalanceArgs) -> Result<(), Failure> {
    let own = super::settings(&args.settings, &args.servers)?;
    log::start_brief(&own.log);
    let rebalanced = pipeline::runtime(&own).block_on(pipeline::fleet_rebalance(&own))?;
    let text = match args.json {
        true => serde_json::to_string_pretty(&rebalanced).map_err(anyhow::Error::from)? + "\n",
        false => rebalanced.to_string(),
    };
    // Standard output may be closed.
    let _ = terminal::stdout().write_all(text.as_bytes());
    Ok(())
}
