//! `harvestman explain DIR URL`: the fate of a URL and the reasons for it.

mod directory;
mod judged;
mod page_text;
mod policy_log;
mod rendering;
mod story;
mod text;

use std::io::Write;
use std::path::PathBuf;

use super::exit::Failure;
use directory::CrawlDirectory;
use harvestman_library::program::seeds;
use harvestman_report::terminal;
use story::Story;

/// Arguments of `harvestman explain`.
#[derive(Debug, Clone, clap::Args)]
#[command(after_help = "\
For a page that was fetched under ucc, target, xcrawl or topic, it also shows how the page was
judged (the verdict of the validator, the tags of the topic), what was expected of it by what
stands around the link to it, and what its text added: how much was new, how much is stock text
of its page type, and which pages hold the rest. Of a link that waits it shows what is expected.
For this, what the policy learned from is replayed from DIR, and words are quoted from the archive.
With --render, it shows how the page was rendered, and what is known of pages like it.

Examples:
  Why a page was fetched, why at that moment, and what it added:
    harvestman explain forum https://forum.example.org/topic/17/
  As JSON:
    harvestman explain forum https://forum.example.org/topic/17/ --json")]
pub struct ExplainArgs {
    /// Directory of the crawl
    #[arg(value_name = "DIR", value_hint = clap::ValueHint::DirPath)]
    dir: PathBuf,
    /// URL, in any spelling
    #[arg(value_name = "URL")]
    url: String,
    /// Print the answer as one JSON object
    #[arg(long)]
    json: bool,
}

/// Runs the command.
pub fn run(args: &ExplainArgs) -> Result<(), Failure> {
    let directory = CrawlDirectory::open(&args.dir).map_err(Failure::usage)?;
    let written = seeds::parse(&args.url).map_err(|error| Failure::usage(error.replacen("seed ", "", 1)))?.url;
    let story = Story::of(&directory, written.as_str())?;
    let mut output = terminal::stdout();
    // A closed pipe (`| head`) is not an error.
    let _ = if args.json {
        let json = serde_json::to_string(&story).map_err(anyhow::Error::from)?;
        writeln!(output, "{json}")
    } else {
        write!(output, "{story}")
    };
    Ok(())
}
