//! `harvestman fleet status`: the progress of a fleet and its nodes.

use std::io::Write;

use crate::cli::exit::Failure;
use crate::cli::log;
use crate::cli::settings::SettingArgs;
use harvestman_pipeline as pipeline;
use harvestman_report::terminal;

/// Arguments of `harvestman fleet status`.
#[derive(Debug, Clone, clap::Args)]
#[command(after_help = AFTER_HELP)]
pub struct FleetStatusArgs {
    /// NATS servers of the fleet, separated by commas [fleet.servers]
    #[arg(value_name = "nats://HOST:PORT")]
    servers: String,

    /// Output format
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,

    /// Connection settings.
    #[command(flatten)]
    settings: SettingArgs,
}

/// The output format of a status.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Format {
    /// Table for people
    Text,
    /// Everything as JSON
    Json,
}

const AFTER_HELP: &str = "\
Examples:
  harvestman fleet status tls://10.0.0.1:4222
  harvestman fleet status tls://10.0.0.1:4222 --fleet-name forum --format json

One row per node: its weight, its share of the load (known URLs of its partitions) and the
deviation from the share that its weight implies, its partitions, queued URLs, requests in flight,
pages and requests of its session, and the number of messages from other nodes that it has yet to
process. A `silent` node sends no heartbeats; after `fleet.lease` the others take over its
partitions.";

/// Prints the status of the fleet.
pub fn run(args: &FleetStatusArgs) -> Result<(), Failure> {
    let own = super::settings(&args.settings, &args.servers)?;
    log::start_brief(&own.log);
    let status = pipeline::runtime(&own).block_on(pipeline::fleet_status(&own))?;
    let text = match args.format {
        Format::Text => status.to_string(),
        Format::Json => serde_json::to_string_pretty(&status).map_err(anyhow::Error::from)? + "\n",
    };
    // Standard output may be closed.
    let _ = terminal::stdout().write_all(text.as_bytes());
    Ok(())
}
