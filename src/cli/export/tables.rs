//! `harvestman export pages` and `links`: logs as Parquet.

use std::path::PathBuf;

use super::OutputArgs;
#[cfg(not(feature = "parquet"))]
use crate::cli::exit::{Exit, Failure};

/// Export the page log as Parquet
///
/// One row per line of pages.jsonl, one column per field, with the same names; `time` is a timestamp in milliseconds
/// (UTC).
///
/// Of a running crawl, the complete lines are exported. Damaged lines are counted, reported and skipped.
#[derive(Debug, Clone, clap::Args)]
#[command(after_help = "\
Examples:
  harvestman export pages forum                                 # writes forum/pages.parquet
  duckdb -c \"SELECT fate, status, count(*), sum(bytes) FROM 'forum/pages.parquet' GROUP BY ALL\"
  python3 -c \"import pandas; print(pandas.read_parquet('forum/pages.parquet').describe())\"

Needs the cargo feature `parquet`: packages have it, a build from source needs `--features full`.")]
pub struct PagesArgs {
    /// Directory of the crawl
    #[arg(value_name = "DIR", value_hint = clap::ValueHint::DirPath)]
    dir: PathBuf,
    #[command(flatten)]
    output: OutputArgs,
}

/// Export the links as Parquet
///
/// One row per page, with its links as a list of (href, class, new, refused).
///
/// A crawl writes its links with --set archive.links=true. Damaged lines are counted, reported and skipped.
#[derive(Debug, Clone, clap::Args)]
#[command(after_help = "\
Examples:
  harvestman crawl https://forum.example.org/ --out forum --set archive.links=true
  harvestman export links forum                                 # writes forum/links.parquet
  One row per link, and the most linked pages:
    duckdb -c \"SELECT href, count(*) FROM (SELECT unnest(links, recursive := true)
               FROM 'forum/links.parquet') GROUP BY href ORDER BY 2 DESC LIMIT 10\"

Needs the cargo feature `parquet`: packages have it, a build from source needs `--features full`.")]
pub struct LinksArgs {
    /// Directory of the crawl
    #[arg(value_name = "DIR", value_hint = clap::ValueHint::DirPath)]
    dir: PathBuf,
    #[command(flatten)]
    output: OutputArgs,
}

#[cfg(not(feature = "parquet"))]
fn missing(directory: &std::path::Path, _: &OutputArgs) -> Result<Exit, Failure> {
    let what = "this build of harvestman has no Parquet; enable it with `cargo build --release --features parquet`";
    Err(Failure::usage(format!("{what} (the same data is available as JSON lines in {})", directory.display())))
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
    use crate::cli::progress::ExportProgress;
    use harvestman_report::figures;
    use harvestman_storage::archive::tables::{LogKind, TableError, TableReport, write_table};

    /// Exports the page log.
    pub fn pages(args: &PagesArgs) -> Result<Exit, Failure> {
        export(LogKind::Pages, "pages", &args.dir, &args.output)
    }

    /// Exports the links.
    pub fn links(args: &LinksArgs) -> Result<Exit, Failure> {
        export(LogKind::Links, "links", &args.dir, &args.output)
    }

    fn export(log: LogKind, name: &str, directory: &Path, args: &OutputArgs) -> Result<Exit, Failure> {
        if !directory.is_dir() {
            let what = "name the directory given as --out to the crawl";
            return Err(Failure::usage(format!("directory {} does not exist: {what}", directory.display())));
        }
        let output = Output::create(args, || Ok(directory.join(format!("{name}.parquet"))))?;
        let target = output.name();
        let mut progress = ExportProgress::new("rows", args.quiet);
        let made = output.write(|out| {
            let made = write_table(log, directory, out, |rows| progress.show(rows));
            made.map_err(|error| not_made(error, log, directory))
        })?;
        progress.finish();
        let Some(made) = made else { return Ok(Exit::Done) };
        args.say(&format!("{target}: {} rows", figures::count(made.rows)));
        warn(&made, log, directory)
    }

    fn not_made(error: TableError, log: LogKind, directory: &Path) -> WriteError {
        match error {
            TableError::NoLog => {
                let hint = match log {
                    LogKind::Pages => "name the directory given as --out to the crawl",
                    LogKind::Links => "a crawl writes its links with --set archive.links=true",
                };
                let what = format!("{} not found in {}: {hint}", log.file_name(), directory.display());
                WriteError::Other(Failure::new(Exit::Failed, what))
            }
            TableError::Read(..) => WriteError::Other(anyhow::Error::from(error).into()),
            TableError::Write(error) => WriteError::Output(io_error(error)),
        }
    }

    /// Unwraps the output error inside an error of the Parquet writer.
    fn io_error(error: harvestman_storage::archive::tables::ParquetError) -> io::Error {
        match error {
            harvestman_storage::archive::tables::ParquetError::External(inner) => match inner.downcast::<io::Error>() {
                Ok(error) => *error,
                Err(other) => io::Error::other(other),
            },
            other => io::Error::other(other),
        }
    }

    /// Prints warnings about a table.
    fn warn(made: &TableReport, log: LogKind, directory: &Path) -> Result<Exit, Failure> {
        let (file, directory) = (log.file_name(), directory.display());
        if made.unfinished {
            tell!(
                "note: {file} in {directory} ends within a line: its crawl is running or was killed; the complete lines are exported"
            );
        }
        if let Some((number, what)) = &made.first_damaged {
            let count = figures::count(made.damaged);
            tell!(
                "warning: {file} in {directory}: {count} damaged lines were skipped, the first is line {number}: {what}"
            );
        }
        match &made.broken {
            None => Ok(Exit::Done),
            Some(error) => {
                let what =
                    format!("cannot read the end of {file} in {directory}: {error}; the part before is exported");
                Err(Failure::new(Exit::Failed, what))
            }
        }
    }
}
