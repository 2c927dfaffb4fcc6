//! `harvestman inspect posts`: the posts of a page, and where they were found.

mod answer;
mod input;
mod listing;

use std::io::Write;
use std::path::PathBuf;

use jiff::civil::DateTime;

use self::answer::Answer;
use self::input::{InspectedPage, PageFile};
use crate::cli::exit::Failure;
use harvestman_report::terminal;

/// Show the posts of a page, and from which places of the page they were taken
///
/// Posts are found without a rule for the site's software: a date that recurs at one place of the page parts it into
/// records, and what is in the same place of all records is a field. Of each field, the element that it was taken from
/// is shown as a CSS selector, or the markup for machines that has it. A single page tells less than several: with
/// --crawl, the page is one of a crawl, read from its WARC files, and is read by what all pages of its host teach, as
/// `harvestman export posts` does.
///
/// Where no posts are found, the reason is shown. `harvestman posts teach` corrects what is wrong.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  harvestman inspect posts thread.html
  harvestman inspect posts https://forum.example.org/t/17 --crawl forum
  harvestman inspect posts - --url https://forum.example.org/t/17 < thread.html
  harvestman inspect posts thread.html --json | jq -r '.posts[].places[] | [.field, .path] | @tsv'")]
pub struct PostsArgs {
    /// HTML file, or - for standard input; with --crawl, the URL of a page of the crawl
    #[arg(value_name = "FILE|URL", value_hint = clap::ValueHint::FilePath)]
    page: String,
    /// Directory of a crawl: shows a page of it as its posts are exported
    #[arg(long, value_name = "DIR", value_hint = clap::ValueHint::DirPath, conflicts_with_all = ["url", "content_type", "fetched"])]
    crawl: Option<PathBuf>,
    /// URL of the page, to resolve its links
    #[arg(long, value_name = "URL")]
    url: Option<url::Url>,
    /// Content-Type header of the page, which may contain the charset
    #[arg(long, value_name = "TYPE")]
    content_type: Option<String>,
    /// Local time at which the page was fetched, such as 2026-04-25T12:00, from which dates such as `yesterday` count;
    /// the default is now
    #[arg(long, value_name = "TIME")]
    fetched: Option<DateTime>,
    /// Print one JSON object, with complete texts
    #[arg(long)]
    json: bool,
}

/// Runs the subcommand.
///
/// # Errors
///
/// The page cannot be read, or exceeds the bounds on pages.
pub fn run(args: &PostsArgs) -> Result<(), Failure> {
    let input = match &args.crawl {
        Some(directory) => InspectedPage::of_crawl(directory, &args.page)?,
        None => InspectedPage::of_file(&PageFile {
            file: &args.page,
            url: args.url.as_ref(),
            content_type: args.content_type.as_deref(),
            fetched: args.fetched,
        })?,
    };
    let answer = Answer::of(&input);
    let mut output = terminal::stdout();
    // A closed pipe (`| head`) is not an error.
    let _ = if args.json {
        let json = serde_json::to_string(&answer).map_err(anyhow::Error::from)?;
        writeln!(output, "{json}")
    } else {
        listing::write(&answer, &mut output)
    };
    Ok(())
}
