//! `harvestman fleet rebalance`: spreads a fleet's load evenly, now.

use std::io::{self, Write};

use crate::cli::exit::Failure;
use crate::cli::log;
use crate::cli::settings::SettingArgs;
use harvestman_pipeline as pipeline;

/// Arguments of `harvestman fleet rebalance`.
#[derive(Debug, Clone, clap::Args)]
#[command(after_help = AFTER_HELP)]
pub struct RebalanceArgs {
    /// The fleet's NATS servers, with commas between them [fleet.servers]
    #[arg(value_name = "nats://HOST:PORT")]
    servers: String,

    /// Everything, as JSON
    #[arg(long)]
    json: bool,

    /// How the servers are reached.
    #[command(flatten)]
    settings: SettingArgs,
}

const AFTER_HELP: &str = "\
Examples:
    harvestman fleet rebalance nats://10.0.0.1:4222
    harvestman fleet rebalance nats://10.0.0.1:4222 --fleet-name forum

Hosts are divided into partitions, and each node holds some of them. The load of a partition is how many URLs are known
of it. The fleet looks by itself, every `fleet.balance`, whether nodes have too much or too little for their weight
(`fleet.weight`), and moves partitions where that pays. This command has it look now and move what it would let be else,
waits until everything is where it is to be, and says what was moved and how the load stands.

A partition is the least that can be moved: a host that has more URLs than a node's share stays where it is, and what else
its node holds goes to others. Nothing is fetched twice; a host whose partition moves rests for its delay.";

/// Has the load spread.
pub fn run(args: &RebalanceArgs) -> Result<(), Failure> {
    let own = super::settings(&args.settings, &args.servers)?;
    log::start_brief(&own.log);
    let rebalanced = pipeline::runtime(&own).block_on(pipeline::fleet_rebalance(&own))?;
    let text = match args.json {
        true => serde_json::to_string_pretty(&rebalanced).map_err(anyhow::Error::from)? + "\n",
        false => rebalanced.to_string(),
    };
    // Nobody may be reading any more.
    let _ = io::stdout().write_all(text.as_bytes());
    Ok(())
}
