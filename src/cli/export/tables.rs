//! `harvestman export pages` and `links`: logs as Parquet.

use std::path::PathBuf;

use super::OutputArgs;
#[cfg(not(feature = "parquet"))]
use crate::cli::exit::{Exit, Failure};

/// Write the page log as Parquet
///
/// A row a line of pages.jsonl, a column a value, with the same names; `time` is a timestamp in milliseconds (UTC).
///
/// Of a crawl that runs, the lines that are whole are exported. Lines that are damaged are counted, told, and left out.
#[derive(Debug, Clone, clap::Args)]
#[command(after_help = "\
Examples:
  harvestman export pages forum                                 # writes forum/pages.parquet
  duckdb -c \"SELECT fate, status, count(*), sum(bytes) FROM 'forum/pages.parquet' GROUP BY ALL\"
  python3 -c \"import pandas; print(pandas.read_parquet('forum/pages.parquet').describe())\"

It needs a harvestman that was built with it: cargo build --release --features parquet")]
pub struct PagesArgs {
    /// The crawl directory
    #[arg(value_name = "DIR", value_hint = clap::ValueHint::DirPath)]
    dir: PathBuf,
    #[command(flatten)]
    output: OutputArgs,
}

/// Write the link export as Parquet
///
/// A row a page, with its links as a list of (href, class, new, refused).
///
/// A crawl keeps its links with --set archive.links=true. Lines that are damaged are counted, told, and left out.
#[derive(Debug, Clone, clap::Args)]
#[command(after_help = "\
Examples:
  harvestman crawl https://forum.example.org/ --out forum --set archive.links=true
  harvestman export links forum                                 # writes forum/links.parquet
  A row a link, and the pages that most lead to:
    duckdb -c \"SELECT href, count(*) FROM (SELECT unnest(links, recursive := true)
               FROM 'forum/links.parquet') GROUP BY href ORDER BY 2 DESC LIMIT 10\"

It needs a harvestman that was built with it: cargo build --release --features parquet")]
pub struct LinksArgs {
    /// The crawl directory
    #[arg(value_name = "DIR", value_hint = clap::ValueHint::DirPath)]
    dir: PathBuf,
    #[command(flatten)]
    output: OutputArgs,
}

#[cfg(not(feature = "parquet"))]
fn missing(directory: &std::path::Path, _: &OutputArgs) -> Result<Exit, Failure> {
    let what =
        "this harvestman was built without Parquet; `cargo build --release --features parquet` builds one with it";
    Err(Failure::usage(format!("{what} (the same as JSON lines is in {})", directory.display())))
}

/// Exports the page log.
#[cfg(not(feature = "parquet"))]
pub(super) fn pages(args: &PagesArgs) -> Result<Exit, Failure> {
    missing(&args.dir, &args.output)
}

/// Exports the links.
#[cfg(not(feature = "parquet"))]
pub(super) fn links(args: &LinksArgs) -> Result<Exit, Failure> {
    missing(&args.dir, &args.output)
}

#[cfg(feature = "parquet")]
pub(super) use with_parquet::{links, pages};

#[cfg(feature = "parquet")]
mod with_parquet {
    use std::io;
    use std::path::Path;

    use super::{LinksArgs, OutputArgs, PagesArgs};
    use crate::cli::exit::{Exit, Failure};
    use crate::cli::export::output::{Output, WriteError};
    use crate::cli::export::progress::Progress;
    use harvestman_report::figures;
    use harvestman_storage::archive::tables::{Log, Made, TableError, make};

    /// Exports the page log.
    pub fn pages(args: &PagesArgs) -> Result<Exit, Failure> {
        export(Log::Pages, "pages", &args.dir, &args.output)
    }

    /// Exports the links.
    pub fn links(args: &LinksArgs) -> Result<Exit, Failure> {
        export(Log::Links, "links", &args.dir, &args.output)
    }

    fn export(log: Log, name: &str, directory: &Path, args: &OutputArgs) -> Result<Exit, Failure> {
        if !directory.is_dir() {
            let what = "name the one that was given to the crawl as --out";
            return Err(Failure::usage(format!("there is no directory {}: {what}", directory.display())));
        }
        let output = Output::begin(args, || Ok(directory.join(format!("{name}.parquet"))))?;
        let target = output.name();
        let mut progress = Progress::new("rows", args);
        let made = output.write(|out| {
            let made = make(log, directory, out, |rows| progress.show(rows));
            made.map_err(|error| not_made(error, log, directory))
        })?;
        progress.finish();
        let Some(made) = made else { return Ok(Exit::Done) };
        args.say(&format!("{target}: {} rows", figures::count(made.rows)));
        told(&made, log, directory)
    }

    fn not_made(error: TableError, log: Log, directory: &Path) -> WriteError {
        match error {
            TableError::NoLog => {
                let hint = match log {
                    Log::Pages => "name the directory that was given to the crawl as --out",
                    Log::Links => "a crawl keeps its links with --set archive.links=true",
                };
                let what = format!("there is no {} in {}: {hint}", log.file_name(), directory.display());
                WriteError::Other(Failure::new(Exit::Failed, what))
            }
            TableError::Read(..) => WriteError::Other(anyhow::Error::from(error).into()),
            TableError::Write(error) => WriteError::Output(io_error(error)),
        }
    }

    /// The error of the output that a writer of Parquet wraps.
    fn io_error(error: harvestman_storage::archive::tables::ParquetError) -> io::Error {
        match error {
            harvestman_storage::archive::tables::ParquetError::External(inner) => match inner.downcast::<io::Error>() {
                Ok(error) => *error,
                Err(other) => io::Error::other(other),
            },
            other => io::Error::other(other),
        }
    }

    /// Says what is missing in a table.
    fn told(made: &Made, log: Log, directory: &Path) -> Result<Exit, Failure> {
        let (file, directory) = (log.file_name(), directory.display());
        if made.unfinished {
            eprintln!(
                "note: {file} in {directory} ends within a line: its crawl runs, or was killed; what is whole is exported"
            );
        }
        if let Some((number, what)) = &made.first_damaged {
            let count = figures::count(made.damaged);
            eprintln!(
                "warning: {file} in {directory}: {count} lines are damaged and left out, the first is line {number}: {what}"
            );
        }
        match &made.broken {
            None => Ok(Exit::Done),
            Some(error) => {
                let what =
                    format!("{file} in {directory} cannot be read to its end: {error}; what was read is exported");
                Err(Failure::new(Exit::Failed, what))
            }
        }
    }
}
