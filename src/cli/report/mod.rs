//! `harvestman report DIR...`: generates a report of a crawl, or of a fleet from the directories of its nodes. It is
//! written atomically, and never over a file of the crawl.

mod directory;
mod several;

use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::{fs, io};

use super::exit::{Exit, Failure};
use harvestman_core::clock::Clock;
use harvestman_report::document::Document;
use harvestman_report::{render, terminal};

/// Arguments of `harvestman report`.
#[derive(Debug, Clone, clap::Args)]
#[command(after_help = AFTER_HELP)]
pub struct ReportArgs {
    /// Crawl directory, or the directories of all nodes of a fleet
    #[arg(value_name = "DIR", required = true, value_hint = clap::ValueHint::DirPath)]
    dirs: Vec<PathBuf>,
    /// Output file, `-` for standard output [default: in the crawl directory]; required for several directories
    #[arg(long, short, value_name = "FILE", value_hint = clap::ValueHint::FilePath)]
    out: Option<PathBuf>,
    /// Output format
    #[arg(long, short, value_enum, default_value_t = Format::Html)]
    format: Format,
    /// Hide the progress
    #[arg(long, short)]
    quiet: bool,
}

/// The output format of a report.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Format {
    /// Self-contained HTML page: DIR/report.html
    Html,
    /// Markdown with tables: DIR/report.md
    Markdown,
    /// Everything as JSON, including report.json: DIR/full-report.json
    Json,
}

impl Format {
    /// The file name in the crawl directory. `report.json` is written by the crawl itself.
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
  An HTML page, forum/report.html:
    harvestman report forum
  To another file:
    harvestman report forum --out ~/reports/forum-november.html
  The harvest curve as JSON:
    harvestman report forum --format json --out - | jq '.log.curve'
  As text in a terminal:
    harvestman report forum --format markdown --out - | less
  Of a fleet, from copies of the directories of its nodes:
    harvestman report node-a node-b node-c --out fleet.html

The page shows the configuration and the results: the harvest over requests and over time, page
types with examples, the fates of all links, politeness per host, errors and remedies, the archive,
and commands for the next steps. It needs no network and runs no scripts.

The report can be generated from any crawl directory at any time: of a crawl that has ended, was
killed or is still running. Missing and damaged files are reported. The directory is only read; an
earlier report is replaced. The page log is read once, in bounded memory, whatever its size.

Several directories give one report whose numbers are sums: a page that two nodes fetched counts as
two pages and two requests. A table shows the numbers of each node. Curves and waits cover all
requests ordered by time, according to the clocks of the nodes. All sessions of each directory are
included: completed sessions from their reports (report.json, report-N.json), killed sessions from
the page log alone, and the report lists what is unknown of the latter. Page types are identified by
their URL patterns alone where the directories have learned separately.";

/// Runs the command.
pub fn run(args: &ReportArgs) -> Result<(), Failure> {
    several::check_all(&args.dirs).map_err(Failure::usage)?;
    let to_stdout = args.out.as_deref() == Some(Path::new("-"));
    let path = destination(args)?;
    if !to_stdout {
        for dir in &args.dirs {
            check(dir, &path).map_err(Failure::usage)?;
        }
    }
    let document = Document::of(several::read(&args.dirs, Clock::system().now(), args.quiet));
    let text = match args.format {
        Format::Html => render::html(&document),
        Format::Markdown => render::markdown(&document),
        Format::Json => render::json(&document).map_err(anyhow::Error::from)?,
    };
    // A closed pipe (`| head`) is not an error.
    if to_stdout {
        let _ = terminal::stdout().write_all(text.as_bytes());
        return Ok(());
    }
    write(&path, text.as_bytes()).map_err(|error| {
        let path = path.display();
        Failure::new(Exit::Output, format!("cannot write {path}: {error}; name another file with --out FILE"))
    })?;
    let _ = writeln!(terminal::stdout(), "{}", path.display());
    Ok(())
}

/// Returns the output path.
fn destination(args: &ReportArgs) -> Result<PathBuf, Failure> {
    match (&args.out, args.dirs.as_slice()) {
        (Some(out), _) => Ok(out.clone()),
        (None, [dir]) => Ok(dir.join(args.format.file())),
        (None, _) => Err(Failure::usage("a report of several directories requires --out FILE (- for standard output)")),
    }
}

/// Returns why a report may not be written to a path: it would replace a file of the crawl.
pub(super) fn check(directory: &Path, path: &Path) -> Result<(), String> {
    let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let of_the_crawl = match (fs::canonicalize(directory), fs::canonicalize(parent)) {
        (Ok(directory), Ok(parent)) => parent.starts_with(&directory) && path.exists(),
        _ => false,
    };
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let report = name == "full-report.json" || name.ends_with(".html") || name.ends_with(".md");
    if of_the_crawl && !report {
        return Err(format!("{} belongs to the crawl; name another file with --out", path.display()));
    }
    Ok(())
}

/// Writes the file atomically.
pub(super) fn write(path: &Path, text: &[u8]) -> io::Result<()> {
    if fs::metadata(path).is_ok_and(|there| !there.is_file() && !there.is_dir()) {
        // Pipes and devices are written in place.
        return File::options().write(true).open(path)?.write_all(text);
    }
    let mut new = path.as_os_str().to_owned();
    new.push(".new");
    let written = File::create(&new).and_then(|mut file| file.write_all(text)).and_then(|()| fs::rename(&new, path));
    if written.is_err() {
        // Remove the partial report.
        let _ = fs::remove_file(&new);
    }
    written
}

#[cfg(test)]
mod tests;
