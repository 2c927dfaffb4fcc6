//! `harvestman export site`: a site model as a graph.

use std::path::PathBuf;

use super::OutputArgs;
use super::output::{Output, WriteError};
use crate::cli::exit::{Exit, Failure};
use crate::cli::site::{Format, facts_of, model_file, shown};

/// Export what a crawl learned about the site as a graph
///
/// Nodes are clusters of pages, with their number of pages and worth. Each link class that led from one cluster to
/// another is an edge, weighted by the number of fetches that followed it.
#[derive(Debug, Clone, clap::Args)]
#[command(after_help = "\
Examples:
  harvestman export site forum                                  # writes forum/site.graphml
  harvestman export site forum --format dot --out - | dot -Tsvg > forum.svg
  python3 -c \"import networkx; print(networkx.read_graphml('forum/site.graphml'))\"")]
pub struct SiteGraphArgs {
    /// Crawl directory or site model
    #[arg(value_name = "DIR|MODEL", value_hint = clap::ValueHint::AnyPath)]
    model: PathBuf,
    /// Output format
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
    /// Everything, as JSON
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
    let output = Output::create(&args.output, || Ok(model_file(&args.model).with_file_name(name)))?;
    let target = output.name();
    let written = output.write(|out| out.write_all(text.as_bytes()).map_err(WriteError::from))?;
    if written.is_some() {
        args.output.say(&format!("{target}: {} nodes", facts.clusters.len()));
    }
    Ok(Exit::Done)
}
