//! `harvestman fleet status`: where a fleet stands.

use std::io::{self, Write};

use crate::cli::exit::Failure;
use crate::cli::log;
use crate::cli::settings::SettingArgs;
use harvestman_pipeline as pipeline;

/// Arguments of `harvestman fleet status`.
#[derive(Debug, Clone, clap::Args)]
#[command(after_help = AFTER_HELP)]
pub struct StatusArgs {
    /// The fleet's NATS servers, with commas between them [fleet.servers]
    #[arg(value_name = "nats://HOST:PORT")]
    servers: String,

    /// How it is told
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,

    /// How the servers are reached.
    #[command(flatten)]
    settings: SettingArgs,
}

/// How a status is told.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Format {
    /// For people
    Text,
    /// Everything, as JSON
    Json,
}

const AFTER_HELP: &str = "\
Examples:
    harvestman fleet status nats://10.0.0.1:4222
    harvestman fleet status nats://10.0.0.1:4222 --fleet-name forum --format json

A row a node: its weight, its share of the load (URLs that are known of what it holds) and how far that is from what its weight
says, partitions that it holds, URLs that wait, requests under way, pages and requests of its session, and how many messages of
other nodes it has yet to take in. `silent` is a node that says nothing; after `fleet.lease` the
others take over what it holds.";

/// Tells where the fleet stands.
pub fn run(args: &StatusArgs) -> Result<(), Failure> {
    let own = super::settings(&args.settings, &args.servers)?;
    log::start_brief(&own.log);
    let status = pipeline::runtime(&own).block_on(pipeline::fleet_status(&own))?;
    let text = match args.format {
        Format::Text => status.to_string(),
        Format::Json => serde_json::to_string_pretty(&status).map_err(anyhow::Error::from)? + "\n",
    };
    // Nobody may be reading any more.
    let _ = io::stdout().write_all(text.as_bytes());
    Ok(())
}
