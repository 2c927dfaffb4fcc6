//! `harvestman export site`: what was learnt of a site, as a graph.

use std::path::PathBuf;

use super::OutputArgs;
use super::output::{Output, WriteError};
use crate::cli::exit::{Exit, Failure};
use crate::cli::site::{Format, facts_of, model_file, shown};

/// Write what a crawl learnt of the site as a graph
///
/// Clusters of pages as nodes, with their pages and worth, and an edge for each link
/// class that led from one to another, as heavy as fetches followed it.
#[derive(Debug, Clone, clap::Args)]
#[command(after_help = "\
Examples:
  harvestman export site forum                                  # writes forum/site.graphml
  harvestman export site forum --format dot --out - | dot -Tsvg > forum.svg
  python3 -c \"import networkx; print(networkx.read_graphml('forum/site.graphml'))\"")]
pub struct SiteGraphArgs {
    /// The crawl directory, or a site model
    #[arg(value_name = "DIR|MODEL", value_hint = clap::ValueHint::AnyPath)]
    model: PathBuf,
    /// How it is written
    #[arg(long, value_enum, default_value_t = Form::Graphml)]
    format: Form,
    #[command(flatten)]
    output: OutputArgs,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Form {
    /// For graph editors and networkx
    Graphml,
    /// For Graphviz
    Dot,
    /// Everything that is known, for programs
    Json,
}

impl Form {
    const fn format_and_name(self) -> (Format, &'static str) {
        match self {
            Self::Graphml => (Format::Graphml, "site.graphml"),
            Self::Dot => (Format::Dot, "site.dot"),
            Self::Json => (Format::Json, "site.json"),
        }
    }
}

/// Runs the command.
pub(super) fn run(args: &SiteGraphArgs) -> Result<Exit, Failure> {
    let facts = facts_of(&args.model)?;
    let (format, name) = args.format.format_and_name();
    let text = shown(&facts, format)?;
    let output = Output::begin(&args.output, || Ok(model_file(&args.model).with_file_name(name)))?;
    let target = output.name();
    let written = output.write(|out| out.write_all(text.as_bytes()).map_err(WriteError::from))?;
    if written.is_some() {
        args.output.say(&format!("{target}: {} nodes", facts.clusters.len() + facts.kinds.len()));
    }
    Ok(Exit::Done)
}
