//! `harvestman report DIR...`: what came of a crawl, as a page to read; of a fleet, from the directories of its nodes.

mod directory;
mod merge;
mod output;
mod progress;
mod several;
#[cfg(test)]
mod tests;

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use super::exit::{Exit, Failure};
use harvestman_core::clock::Clock;
use harvestman_report::document::Document;
use harvestman_report::render;

/// Arguments of `harvestman report`.
#[derive(Debug, Clone, clap::Args)]
#[command(after_help = AFTER_HELP)]
pub struct ReportArgs {
    /// The crawl directory, or those of all nodes of a fleet
    #[arg(value_name = "DIR", required = true, value_hint = clap::ValueHint::DirPath)]
    dirs: Vec<PathBuf>,
    /// Where the report goes, `-` for standard output; else it goes into the crawl directory. It must be named where there are several
    #[arg(long, short, value_name = "FILE", value_hint = clap::ValueHint::FilePath)]
    out: Option<PathBuf>,
    /// What it is written as
    #[arg(long, short, value_enum, default_value_t = Format::Html)]
    format: Format,
    /// Show no progress
    #[arg(long, short)]
    quiet: bool,
}

/// What a report is written as.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Format {
    /// One page that needs nothing but itself: DIR/report.html
    Html,
    /// Markdown with tables: DIR/report.md
    Markdown,
    /// Everything for programs, report.json within it: DIR/full-report.json
    Json,
}

impl Format {
    /// Its file in the crawl directory. `report.json` is the crawl's own.
    const fn file(self) -> &'static str {
        match self {
            Self::Html => "report.html",
            Self::Markdown => "report.md",
            Self::Json => "full-report.json",
        }
    }
}

const AFTER_HELP: &str = "\
Examples:
  A page to read, forum/report.html:
    harvestman report forum
  To pass on, or to keep beside others:
    harvestman report forum --out ~/reports/forum-november.html
  The harvest curve for a program:
    harvestman report forum --format json --out - | jq '.log.curve'
  As text in a terminal:
    harvestman report forum --format markdown --out - | less
  Of a fleet, from copies of its nodes' directories:
    harvestman report node-a node-b node-c --out fleet.html

The page tells what was asked and what came of it: the harvest over requests and over time, kinds
of pages with examples, what became of every link, how hosts were spared, errors and what helps,
the archive, and commands for what can come next. It needs no network and runs no script.

It can be made of any crawl directory, at any time: the crawl may have ended, may have been killed
or may still run, and what is missing or damaged is told. The directory is only read; the report
replaces the one before. The page log is read once, in bounded memory, however long it is.

Of several directories one report is made. Its numbers are sums over them: a page that two nodes
fetched is two pages, and two requests. A table says what each node did. Curves and waits are of
all requests in the order of their times, by the clocks of the nodes. Of each directory all
sessions are counted: those that reported by their reports (report.json, report-N.json), those
that were killed by the page log alone, and what is missing of these is told. Kinds of pages are told
by their places alone where the directories have learnt each for itself.";

/// Runs the command.
pub fn run(args: &ReportArgs) -> Result<(), Failure> {
    several::check_all(&args.dirs).map_err(Failure::usage)?;
    let to_stdout = args.out.as_deref() == Some(Path::new("-"));
    let path = destination(args)?;
    if !to_stdout {
        for dir in &args.dirs {
            output::check(dir, &path).map_err(Failure::usage)?;
        }
    }
    let document = Document::of(several::read(&args.dirs, Clock::system().now(), args.quiet));
    let text = match args.format {
        Format::Html => render::html(&document),
        Format::Markdown => render::markdown(&document),
        Format::Json => render::json(&document).map_err(anyhow::Error::from)?,
    };
    // A reader that has seen enough (`| head`) is no failure.
    if to_stdout {
        let _ = io::stdout().write_all(text.as_bytes());
        return Ok(());
    }
    output::write(&path, text.as_bytes()).map_err(|error| {
        let path = path.display();
        Failure::new(Exit::Output, format!("cannot write {path}: {error}; name another file with --out FILE"))
    })?;
    let _ = writeln!(io::stdout(), "{}", path.display());
    Ok(())
}

/// Where the report goes.
fn destination(args: &ReportArgs) -> Result<PathBuf, Failure> {
    match (&args.out, args.dirs.as_slice()) {
        (Some(out), _) => Ok(out.clone()),
        (None, [dir]) => Ok(dir.join(args.format.file())),
        (None, _) => Err(Failure::usage(
            "name the file of a report of several directories by --out FILE (- for standard output)",
        )),
    }
}
