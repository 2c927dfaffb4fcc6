//! `harvestman export`: what a crawl brought, in forms that other tools read.

mod cdxj;
mod output;
mod progress;
mod site;
mod tables;
mod warcs;

use std::path::PathBuf;

use super::exit::{Exit, Failure};

/// What to export. Each is documented with its arguments.
#[derive(Debug, clap::Subcommand)]
#[command(after_help = "\
Examples:
  An index, for pywb to replay the crawl without indexing it:
    harvestman export cdxj forum
  All pages and links as tables, and what became of the pages, by DuckDB:
    harvestman export pages forum
    harvestman export links forum
    duckdb -c \"SELECT fate, reason, count(*) FROM 'forum/pages.parquet' GROUP BY ALL\"
  What the crawl learnt of the site, as a graph:
    harvestman export site forum
    harvestman export site forum --format dot --out - | dot -Tsvg > forum.svg")]
pub enum Export {
    Cdxj(cdxj::CdxjArgs),
    Pages(tables::PagesArgs),
    Links(tables::LinksArgs),
    Site(site::SiteGraphArgs),
}

/// Where an export goes.
#[derive(Debug, Clone, clap::Args)]
struct OutputArgs {
    /// The file to write, or - for standard output [default: in the crawl directory, named after what it holds]
    #[arg(long, value_name = "FILE", value_hint = clap::ValueHint::FilePath)]
    out: Option<PathBuf>,
    /// Replace a file that is there
    #[arg(long)]
    force: bool,
    /// Say nothing but warnings and errors
    #[arg(long)]
    quiet: bool,
}

impl OutputArgs {
    /// Says what was done, unless it is to be quiet.
    fn say(&self, text: &str) {
        if !self.quiet {
            eprintln!("{text}");
        }
    }
}

/// Exports what the user named.
pub fn run(what: &Export) -> Result<Exit, Failure> {
    match what {
        Export::Cdxj(args) => cdxj::run(args),
        Export::Pages(args) => tables::pages(args),
        Export::Links(args) => tables::links(args),
        Export::Site(args) => site::run(args),
    }
}
