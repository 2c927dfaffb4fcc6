//! `harvestman lab scale`: estimates the resources of a large fleet.

use std::path::PathBuf;

use super::common::corpus;
use crate::cli::exit::{Exit, Failure};
use crate::cli::output::print_text;
use harvestman_core::clock::Clock;
use harvestman_core::config::{Config, FleetOptions};
use harvestman_lab::scale::{Fleet, Sample, forecast, markdown, measure, text};

/// Arguments of `harvestman lab scale`.
#[derive(Debug, clap::Args)]
#[command(after_help = AFTER_HELP)]
pub struct ScaleArgs {
    /// Corpus for measuring the costs: a WARC file, compressed or plain; or sim for a simulated network of sites
    #[arg(value_name = "CORPUS", default_value = "sim")]
    corpus: PathBuf,
    /// Number of pages to measure
    #[arg(long, value_name = "N", default_value_t = 5_000, value_parser = clap::value_parser!(u32).range(64..=1_000_000))]
    sample: u32,

    /// Number of nodes
    #[arg(long, value_name = "N", default_value_t = 1_000, value_parser = clap::value_parser!(u32).range(1..=1_000_000), help_heading = "The fleet")]
    nodes: u32,
    /// Number of known URLs at the end, e.g. 100e9
    #[arg(long, value_name = "N", default_value_t = 1e11, value_parser = positive, help_heading = "The fleet")]
    urls: f64,
    /// Pages per second and node
    #[arg(long, value_name = "N", default_value_t = 100.0, value_parser = positive, help_heading = "The fleet")]
    pages: f64,
    /// Number of partitions [default: that of fleet.partitions, or four per node]
    #[arg(long, value_name = "N", value_parser = positive, help_heading = "The fleet")]
    partitions: Option<f64>,
    /// Number of exchange streams, and of log streams [default: that of fleet.shards]
    #[arg(long, value_name = "N", value_parser = positive, help_heading = "The fleet")]
    shards: Option<f64>,
    /// Seconds between two heartbeats of a node [default: that of fleet.renew]
    #[arg(long, value_name = "S", value_parser = positive, help_heading = "The fleet")]
    renew: Option<f64>,
    /// Seconds between two checkpoints [default: that of fleet.checkpoint]
    #[arg(long, value_name = "S", value_parser = positive, help_heading = "The fleet")]
    checkpoint: Option<f64>,

    /// Number of NATS servers
    #[arg(long, value_name = "N", default_value_t = 3.0, value_parser = positive, help_heading = "Available resources")]
    servers: f64,
    /// Number of replicas of all data
    #[arg(long, value_name = "N", default_value_t = 3.0, value_parser = positive, help_heading = "Available resources")]
    replicas: f64,
    /// Messages per second that the leader of a stream accepts
    #[arg(long, value_name = "N", default_value_t = 8e3, value_parser = positive, help_heading = "Available resources")]
    stream_messages: f64,
    /// Messages per second that a server delivers to subscribers
    #[arg(long, value_name = "N", default_value_t = 1e6, value_parser = positive, help_heading = "Available resources")]
    server_messages: f64,
    /// Network bandwidth of a server, in bytes per second
    #[arg(long, value_name = "N", default_value_t = 1.25e9, value_parser = positive, help_heading = "Available resources")]
    server_bytes: f64,
    /// Disk capacity of a server, in bytes
    #[arg(long, value_name = "N", default_value_t = 2e13, value_parser = positive, help_heading = "Available resources")]
    server_disk: f64,
    /// Network bandwidth of a node, in bytes per second
    #[arg(long, value_name = "N", default_value_t = 1.25e8, value_parser = positive, help_heading = "Available resources")]
    node_bytes: f64,
    /// Memory of a node available to the fleet, in bytes
    #[arg(long, value_name = "N", default_value_t = 1.6e10, value_parser = positive, help_heading = "Available resources")]
    node_memory: f64,

    /// Output format
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
}

/// The output format of a forecast.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Format {
    /// Text for people
    Text,
    /// Markdown for documents
    Markdown,
    /// Everything as JSON
    Json,
}

const AFTER_HELP: &str = "\
Examples:
  A thousand nodes and 100 billion URLs, with costs measured on a simulated network:
    harvestman lab scale
  Twenty nodes and a billion URLs, with costs measured on a recorded forum:
    harvestman lab scale forum.warc.gz --nodes 20 --urls 1e9 --pages 50

Costs are measured within seconds by writing and reading what nodes write and read. The capacities
of servers and machines are inputs, and the results are computed from them: `scarcest first` lists
what to add.";

/// Parses a positive number.
fn positive(text: &str) -> Result<f64, String> {
    let number: f64 = text.parse().map_err(|_| "not a number".to_owned())?;
    if number.is_finite() && number > 0.0 { Ok(number) } else { Err("must be greater than 0".to_owned()) }
}

/// Measures the costs and prints the forecast.
pub fn run(args: &ScaleArgs) -> Result<(), Failure> {
    let corpus = corpus(&args.corpus, None)?;
    let costs = measure(&Sample::of(&corpus, args.sample as usize), &Clock::system());
    let fleet = fleet(args);
    let outlook = forecast(&costs, &fleet);
    let text = match args.format {
        Format::Text => text(&costs, &fleet, &outlook),
        Format::Markdown => markdown(&costs, &fleet, &outlook),
        Format::Json => {
            let all = serde_json::json!({"costs": costs, "fleet": fleet, "forecast": outlook});
            serde_json::to_string_pretty(&all).map_err(anyhow::Error::from)? + "\n"
        }
    };
    print_text(&text).map_err(|error| Failure::new(Exit::Output, error))
}

fn fleet(args: &ScaleArgs) -> Fleet {
    let defaults = FleetOptions::default();
    let nodes = f64::from(args.nodes);
    Fleet {
        nodes,
        urls: args.urls,
        pages: args.pages,
        servers: args.servers,
        replicas: args.replicas.min(args.servers),
        partitions: args.partitions.unwrap_or_else(|| f64::from(defaults.partitions).max(4.0 * nodes)),
        shards: args.shards.unwrap_or(f64::from(defaults.shards)),
        renew: args.renew.unwrap_or(defaults.renew.0.as_secs_f64()),
        lease: defaults.lease.0.as_secs_f64(),
        commit_every: defaults.commit_every.0.as_secs_f64(),
        commit_pages: f64::from(Config::default().frontier.in_flight_max / 4),
        checkpoint: args.checkpoint.unwrap_or(defaults.checkpoint.0.as_secs_f64()),
        parts_max: 8.0,
        stream_messages: args.stream_messages,
        server_bytes: args.server_bytes,
        server_deliveries: args.server_messages,
        server_disk: args.server_disk,
        node_bytes: args.node_bytes,
        node_memory: args.node_memory,
    }
}
