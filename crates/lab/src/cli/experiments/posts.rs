//! `harvestman-lab lab posts`: measures how well the posts of a recording are found.

use std::path::{Path, PathBuf};

use crate::cli::output::write_json;
use crate::corpus::{Limits, html_pages, name_of};
use crate::posts::{LEARN_PAGES, MeasuredPosts, PostMeasurement, load_truth, measure_posts, post_rows, post_tables};
use crate::tables::Table;
use harvestman::cli::exit::{Exit, Failure};
use harvestman::cli::output::{is_stdout, print_text};
use harvestman::cli::warcs;
use harvestman_core::clock::Clock;

/// Arguments of `harvestman-lab lab posts`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  A recorded forum with the truth from its database:
    harvestman-lab lab posts forum.warc.gz --truth forum.truth.jsonl
  The pages to look at first:
    harvestman-lab lab posts forum --truth truth.jsonl --worst 20
  Without schema.org and other markup for machines:
    harvestman-lab lab posts forum --truth truth.jsonl --no-markup --json -

The truth is a file with one JSON object per post; docs/how-to/posts-truth.md describes it and the
measures. A found post is right if F1 of its words and those of a post of the page is 0.9 or more.")]
pub struct PostsTruthArgs {
    /// Recording: a crawl directory, or WARC files of any tool, compressed or plain
    #[arg(value_name = "CORPUS", required = true)]
    corpus: Vec<PathBuf>,
    /// The truth about the posts (JSON Lines, compressed if the name ends in .gz)
    #[arg(long, value_name = "FILE")]
    truth: PathBuf,
    /// Remove JSON-LD, microdata, RDFa, Open Graph and microformats from the pages first
    #[arg(long)]
    no_markup: bool,
    /// Maximum number of pages of each host to learn from
    #[arg(long, value_name = "N", default_value_t = LEARN_PAGES)]
    learn: usize,
    /// List so many of the pages with the most flaws, each with its first one
    #[arg(long, value_name = "N", default_value_t = 0)]
    worst: usize,
    /// Write {"rows": [...]}, one row for all pages and one per type of pages; - writes to standard output instead of
    /// the tables
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    json: Option<PathBuf>,
}

/// Measures and prints the tables.
pub fn run(args: &PostsTruthArgs) -> Result<(), Failure> {
    let truth = load_truth(&args.truth).map_err(Failure::usage)?;
    let files: Vec<PathBuf> = warcs::find(&args.corpus, None)?.files.into_values().collect();
    if files.is_empty() {
        return Err(Failure::usage(format!("no WARC file in {}", args.corpus[0].display())));
    }
    let pages = html_pages(&files, Limits::default()).map_err(anyhow::Error::from)?;
    let options = PostMeasurement { learn: args.learn, is_without_markup: args.no_markup, worst: args.worst };
    let measured = measure_posts(&pages, &truth, &options, &Clock::system()).map_err(anyhow::Error::from)?;
    if measured.scores.all.expected == 0 {
        let (pages, path) = (pages.len(), args.truth.display());
        let what =
            format!("none of the {pages} HTML pages shows a post of {path}: is it the truth of another recording?");
        return Err(Failure::usage(what));
    }
    let (name, variant) = (title(&args.corpus[0]), args.no_markup.then_some("no-markup"));
    write_json(&post_rows(&name, variant, &measured), args.json.as_ref())?;
    if args.json.as_deref().is_some_and(is_stdout) {
        return Ok(());
    }
    print_notes(&measured);
    let heading = format!("Posts of {name}{}", variant.map_or_else(String::new, |it| format!(" ({it})")));
    let tables = post_tables(&heading, &measured).iter().map(Table::to_text).collect::<Vec<_>>().join("\n");
    print_text(&tables).map_err(|error| Failure::new(Exit::Output, error))
}

fn print_notes(measured: &MeasuredPosts) {
    let counted = [
        (measured.missing as u64, "pages of the truth are not in the recording"),
        (measured.unparsed, "pages exceed the bounds of the parser: their posts count as missing"),
    ];
    for (count, what) in counted.into_iter().filter(|(count, _)| *count > 0) {
        tell!("note: {count} {what}");
    }
}

/// Returns the name of a recording: of its WARC file, or of its directory.
fn title(path: &Path) -> String {
    let name = name_of(path);
    if name == "crawl" { path.parent().map_or(name, name_of) } else { name }
}
