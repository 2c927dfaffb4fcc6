//! `harvestman export text`: the main text of pages.

#[cfg(feature = "text")]
mod export;
#[cfg(feature = "text")]
mod markdown;

use std::path::PathBuf;

use super::OutputArgs;
#[cfg(not(feature = "text"))]
use crate::cli::exit::{Exit, Failure};

#[cfg(feature = "text")]
pub(super) use export::run;

/// Export the main text of pages, as plain text and Markdown
///
/// Reads HTML pages with status 200 from WARC files, without menus, headers, footers and comments around the main text.
/// The main text is what the markup of a page names as such (h-entry, schema.org), or else what Mozilla's Readability
/// takes for it. Pages without main text, and pages too large or nested too deep, are counted and skipped.
///
/// With --format jsonl, one JSON object per visit with new content: url, title, author, time (when it was published),
/// text, markdown, warc_file, warc_offset, crawl_time. Title, author and time are what the page says of itself, and
/// null where it does not: author and time also on pages with texts of several. Times are in UTC, unless the page does
/// not tell the distance from it.
///
/// With --format markdown, one file per URL, with the newest visit: the same fields as YAML, then the Markdown.
///
/// Files that a crawl is still writing (.open) are skipped. A torn or broken file is read up to the damage; the exit
/// code is 1 then.
#[derive(Debug, Clone, clap::Args)]
#[command(after_help = "\
Examples:
  harvestman export text forum                                  # writes forum/text.jsonl
  harvestman export text *.warc.gz --out - | jq -r .title       # any WARC files, of any tool
  harvestman export text forum --format markdown                # writes forum/text/*.md
  harvestman export text forum --format markdown --out notes
  duckdb -c \"SELECT author, count(*), sum(length(text)) FROM 'forum/text.jsonl' GROUP BY ALL\"

Needs the cargo feature `text`: packages have it, a build from source needs `--features full`.")]
pub struct TextArgs {
    /// Crawl directories, or WARC files: compressed or plain, of any tool
    #[arg(value_name = "DIR|WARC", required = true, value_hint = clap::ValueHint::AnyPath)]
    inputs: Vec<PathBuf>,
    /// Output format; with markdown, --out names a directory
    #[arg(long, value_enum, default_value_t = TextFormat::Jsonl)]
    format: TextFormat,
    #[command(flatten)]
    output: OutputArgs,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum TextFormat {
    /// One JSON object per line
    Jsonl,
    /// One Markdown file per page
    Markdown,
}

impl TextFormat {
    /// Returns the name of the output in a crawl directory.
    #[cfg(feature = "text")]
    const fn default_name(self) -> &'static str {
        match self {
            Self::Jsonl => "text.jsonl",
            Self::Markdown => "text",
        }
    }
}

/// Fails: this build has no extractor.
#[cfg(not(feature = "text"))]
pub(super) fn run(_: &TextArgs) -> Result<Exit, Failure> {
    let what = "this build of harvestman has no text export; enable it with `cargo build --release --features text`";
    Err(Failure::usage(what))
}
