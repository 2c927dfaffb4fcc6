//! `harvestman export`: exports a crawl in formats of other tools.

mod cdxj;
mod output;
pub mod pages;
mod site;
mod tables;
mod text;
mod wacz;

use std::path::PathBuf;

use super::exit::{Exit, Failure};
use super::posts::{self, ExportPostsArgs};

/// The exports. Each is documented with its arguments.
#[derive(Debug, clap::Subcommand)]
#[command(after_help = "\
Examples:
  An index with which pywb can replay the crawl:
    harvestman export cdxj forum
  The crawl as one file, for ReplayWeb.page:
    harvestman export wacz forum
  All pages and links as tables, and the fates of the pages with DuckDB:
    harvestman export pages forum
    harvestman export links forum
    duckdb -c \"SELECT fate, reason, count(*) FROM 'forum/pages.parquet' GROUP BY ALL\"
  The main text of the pages, as JSON lines and as Markdown files:
    harvestman export text forum
    harvestman export text forum --format markdown
  The site model of the crawl as a graph:
    harvestman export site forum
    harvestman export site forum --format dot --out - | dot -Tsvg > forum.svg
  The posts, threads and users that the pages show:
    harvestman export posts forum --format sqlite")]
#[expect(missing_docs, reason = "a description here would replace the one that stands with the arguments")]
pub enum Export {
    Cdxj(cdxj::CdxjArgs),
    Wacz(wacz::WaczArgs),
    Pages(tables::PagesArgs),
    Links(tables::LinksArgs),
    Text(text::TextArgs),
    Site(site::SiteGraphArgs),
    Posts(ExportPostsArgs),
}

/// The output of an export.
#[derive(Debug, Clone, clap::Args)]
struct OutputArgs {
    /// Output file, or - for standard output [default: a file in the crawl directory, named after the export]
    #[arg(long, value_name = "FILE", value_hint = clap::ValueHint::FilePath)]
    out: Option<PathBuf>,
    /// Replace an existing file
    #[arg(long)]
    force: bool,
    /// Print warnings and errors only
    #[arg(long)]
    quiet: bool,
}

impl OutputArgs {
    /// Prints what was done, unless quiet.
    fn say(&self, text: &str) {
        if !self.quiet {
            tell!("{text}");
        }
    }
}

/// Runs the export.
pub fn run(what: &Export) -> Result<Exit, Failure> {
    match what {
        Export::Cdxj(args) => cdxj::run(args),
        Export::Wacz(args) => wacz::run(args),
        Export::Pages(args) => tables::pages(args),
        Export::Links(args) => tables::links(args),
        Export::Text(args) => text::run(args),
        Export::Site(args) => site::run(args),
        Export::Posts(args) => posts::run_export(args),
    }
}
