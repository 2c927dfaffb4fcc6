//! `harvestman export cdxj`: an index of WARC files.

use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use super::super::progress::ExportProgress;
use super::OutputArgs;
use super::output::{Output, WriteError};
use crate::cli::exit::{Exit, Failure};
use crate::cli::warcs;
use crate::cli::warcs::Warcs;
use harvestman_core::config::ByteSize;
use harvestman_report::figures;
use harvestman_storage::archive::cdxj::{IndexReport, LineSorter, index};

/// File name of the index in a crawl directory.
const FILE: &str = "index.cdxj";

/// Export an index of WARC files for replay tools (CDXJ)
///
/// Writes one line per capture, sorted: key of the URL, time, and location of the record, with the same contents as the
/// lines of pywb's own indexer.
///
/// The index refers to files by name only, wherever they are, as pywb's does; the files of a fleet have the node in
/// their names, so that no two are equal. With --relative-to it refers to them by path below a directory, so that files
/// of the same name can share an index.
///
/// Files that a crawl is still writing (.open) are skipped, because their ends may yet be cut off: wait for the crawl
/// to end, or run `harvestman resume` after a kill. A torn or broken file is indexed up to the damage; the exit code is
/// 1 then. Lines beyond --memory are sorted in unnamed temporary files beside the output (for -, in the directory for
/// temporary files), which take as much space again.
#[derive(Debug, Clone, clap::Args)]
#[command(after_help = "\
Examples:
  harvestman export cdxj forum                                  # writes forum/index.cdxj
  harvestman export cdxj *.warc.gz --out all.cdxj               # any WARC files, of any tool
  harvestman export cdxj forum --out - | head
  harvestman export cdxj node-a node-b --out all.cdxj           # one index of a fleet's archives

With this config.yaml, pywb (`wayback`) replays the first example at http://localhost:8080/forum/:
  collections:
    forum:
      index_paths: forum/index.cdxj
      archive_paths: forum/warc/
For several directories, list all of them; pywb tries one after the other for each file:
      index_paths: all.cdxj
      archive_paths: [node-a/warc/, node-b/warc/]
or, after `--relative-to .`, the directory that the names are relative to (with a trailing /):
      archive_paths: ./")]
pub struct CdxjArgs {
    /// Crawl directories, or WARC files: compressed or plain, of any tool
    #[arg(value_name = "DIR|WARC", required = true, value_hint = clap::ValueHint::AnyPath)]
    inputs: Vec<PathBuf>,
    /// Refer to files by their paths below this directory instead of their names
    #[arg(long, value_name = "DIR", value_hint = clap::ValueHint::DirPath)]
    relative_to: Option<PathBuf>,
    #[command(flatten)]
    output: OutputArgs,
    /// Memory for sorting lines
    #[arg(long, value_name = "SIZE", default_value = "64MiB")]
    memory: ByteSize,
}

/// Runs the command.
pub(super) fn run(args: &CdxjArgs) -> Result<Exit, Failure> {
    let warcs = warcs::find(&args.inputs, args.relative_to.as_deref())?;
    for path in &warcs.open {
        tell!("note: {} is still being written, or its crawl was killed: skipped", path.display());
    }
    if warcs.files.is_empty() {
        let named: Vec<String> = args.inputs.iter().map(|input| input.display().to_string()).collect();
        let what = "no closed WARC file found";
        return Err(Failure::new(Exit::Failed, format!("{}: {what}", named.join(", "))));
    }
    let output = Output::create(&args.output, || default_path(&args.inputs))?;
    let (name, directory) = (output.name(), output.directory());
    let written = output.write(|out| write_index(args, &warcs, &directory, out))?;
    let Some(found) = written else { return Ok(Exit::Done) };
    let files =
        if warcs.files.len() == 1 { "1 WARC file".to_owned() } else { format!("{} WARC files", warcs.files.len()) };
    args.output.say(&format!("{name}: {} captures of {files}", figures::count(found.lines)));
    if found.damaged == 0 {
        return Ok(Exit::Done);
    }
    let what = "the readable part is in the index";
    Err(Failure::new(Exit::Failed, format!("{} of {files} could not be indexed completely; {what}", found.damaged)))
}

fn default_path(inputs: &[PathBuf]) -> Result<PathBuf, Failure> {
    match inputs {
        [directory] if directory.is_dir() => Ok(directory.join(FILE)),
        _ => Err(Failure::usage("name the output with --out FILE (- for standard output)")),
    }
}

#[derive(Default)]
struct Found {
    lines: u64,
    /// Files that could not be indexed completely.
    damaged: u64,
}

fn write_index(
    args: &CdxjArgs,
    warcs: &Warcs,
    directory: &Path,
    mut out: &mut (dyn Write + Send),
) -> Result<Found, WriteError> {
    let mut sorter = LineSorter::new(directory, args.memory.as_usize());
    let mut progress = ExportProgress::new("captures", args.output.quiet);
    let mut found = Found::default();
    for (name, path) in &warcs.files {
        let file = File::open(path).map_err(|error| unreadable(path, &error))?;
        let before = found.lines;
        let mut lines = 0;
        let indexed = index(file, name, |line| {
            lines += 1;
            progress.show(before + lines);
            sorter.push(line)
        })?;
        found.lines += lines;
        found.damaged += u64::from(!warn(path, &indexed));
    }
    progress.finish();
    sorter.finish(&mut out)?;
    Ok(found)
}

fn unreadable(path: &Path, error: &io::Error) -> WriteError {
    WriteError::Other(Failure::new(Exit::Failed, format!("cannot read {}: {error}", path.display())))
}

/// Prints warnings about a file. Returns whether it was indexed completely.
pub(super) fn warn(path: &Path, indexed: &IndexReport) -> bool {
    let path = path.display();
    if let Some(error) = &indexed.error {
        tell!("warning: {path}: {error}; the {} records before it are indexed", figures::count(indexed.records));
    }
    if indexed.sharing_a_member > 0 {
        let count = figures::count(indexed.sharing_a_member);
        tell!(
            "warning: {path}: {count} captures share a gzip member with others, so no replay tool can seek to them: recompress the file with one member per record (`warcio recompress`)"
        );
    }
    if indexed.without_key > 0 {
        let count = figures::count(indexed.without_key);
        tell!("warning: {path}: {count} captures have no date, or a URL without a key");
    }
    indexed.error.is_none() && indexed.sharing_a_member == 0 && indexed.without_key == 0
}
