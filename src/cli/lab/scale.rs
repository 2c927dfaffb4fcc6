//! `harvestman lab scale`: what a fleet of any size asks for.

use std::path::PathBuf;

use super::common::corpus;
use crate::cli::exit::{Exit, Failure};
use crate::cli::rows::print_text;
use harvestman_core::clock::Clock;
use harvestman_core::config::{Config, FleetOptions};
use harvestman_lab::scale::{Fleet, Sample, forecast, markdown, measure, text};

/// Arguments of `harvestman lab scale`.
#[derive(Debug, clap::Args)]
#[command(after_help = AFTER_HELP)]
pub struct ScaleArgs {
    /// What costs are measured on: a WARC file, compressed or plain; or sim, a simulated network of sites
    #[arg(value_name = "CORPUS", default_value = "sim")]
    corpus: PathBuf,
    /// Pages that are measured
    #[arg(long, value_name = "N", default_value_t = 5_000, value_parser = clap::value_parser!(u32).range(64..=1_000_000))]
    sample: u32,

    /// Nodes
    #[arg(long, value_name = "N", default_value_t = 1_000, value_parser = clap::value_parser!(u32).range(1..=1_000_000), help_heading = "The fleet")]
    nodes: u32,
    /// URLs that are known in the end, as in 100e9
    #[arg(long, value_name = "N", default_value_t = 1e11, value_parser = positive, help_heading = "The fleet")]
    urls: f64,
    /// Pages a second that a node fetches
    #[arg(long, value_name = "N", default_value_t = 100.0, value_parser = positive, help_heading = "The fleet")]
    pages: f64,
    /// Partitions [default: that of fleet.partitions, or four a node]
    #[arg(long, value_name = "N", value_parser = positive, help_heading = "The fleet")]
    partitions: Option<f64>,
    /// Streams of the exchange, and as many of the logs [default: that of fleet.shards]
    #[arg(long, value_name = "N", value_parser = positive, help_heading = "The fleet")]
    shards: Option<f64>,
    /// Seconds between two heartbeats of a node [default: that of fleet.renew]
    #[arg(long, value_name = "S", value_parser = positive, help_heading = "The fleet")]
    renew: Option<f64>,
    /// Seconds between two checkpoints [default: that of fleet.checkpoint]
    #[arg(long, value_name = "S", value_parser = positive, help_heading = "The fleet")]
    checkpoint: Option<f64>,

    /// NATS servers
    #[arg(long, value_name = "N", default_value_t = 3.0, value_parser = positive, help_heading = "What there is")]
    servers: f64,
    /// Copies of everything
    #[arg(long, value_name = "N", default_value_t = 3.0, value_parser = positive, help_heading = "What there is")]
    replicas: f64,
    /// Messages a second that the leader of a stream takes
    #[arg(long, value_name = "N", default_value_t = 8e3, value_parser = positive, help_heading = "What there is")]
    stream_messages: f64,
    /// Messages a second that a server hands to those who listen
    #[arg(long, value_name = "N", default_value_t = 1e6, value_parser = positive, help_heading = "What there is")]
    server_messages: f64,
    /// Bytes a second that the network of a server carries
    #[arg(long, value_name = "N", default_value_t = 1.25e9, value_parser = positive, help_heading = "What there is")]
    server_bytes: f64,
    /// Bytes of disk of a server
    #[arg(long, value_name = "N", default_value_t = 2e13, value_parser = positive, help_heading = "What there is")]
    server_disk: f64,
    /// Bytes a second that the network of a node carries
    #[arg(long, value_name = "N", default_value_t = 1.25e8, value_parser = positive, help_heading = "What there is")]
    node_bytes: f64,
    /// Bytes of memory of a node that the fleet may take
    #[arg(long, value_name = "N", default_value_t = 1.6e10, value_parser = positive, help_heading = "What there is")]
    node_memory: f64,

    /// How it is told
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
}

/// How a forecast is told.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Format {
    /// For people
    Text,
    /// For documents
    Markdown,
    /// Everything, as JSON
    Json,
}

const AFTER_HELP: &str = "\
Examples:
  A thousand nodes and a hundred billion URLs, by costs measured on a simulated network:
    harvestman lab scale
  Twenty nodes and a billion URLs, by costs measured on a recorded forum:
    harvestman lab scale forum.warc.gz --nodes 20 --urls 1e9 --pages 50

Costs are measured in some seconds by writing and reading what nodes write and read. What servers and machines can do
is taken as it is given, and what comes out is reckoned: `scarcest first` says what to have more of.";

/// A number above 0.
fn positive(text: &str) -> Result<f64, String> {
    let number: f64 = text.parse().map_err(|_| "it is no number".to_owned())?;
    if number.is_finite() && number > 0.0 { Ok(number) } else { Err("it must be above 0".to_owned()) }
}

/// Measures, and tells what follows.
pub fn run(args: &ScaleArgs) -> Result<(), Failure> {
    let corpus = corpus(&args.corpus, None)?;
    let costs = measure(&Sample::of(&corpus, args.sample as usize), &Clock::system());
    let fleet = fleet(args);
    let told = forecast(&costs, &fleet);
    let text = match args.format {
        Format::Text => text(&costs, &fleet, &told),
        Format::Markdown => markdown(&costs, &fleet, &told),
        Format::Json => {
            let all = serde_json::json!({"costs": costs, "fleet": fleet, "forecast": told});
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
