//! `harvestman export cdxj`: an index of WARC files.

use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use super::OutputArgs;
use super::output::{Output, WriteError};
use super::progress::Progress;
use super::warcs::{self, Warcs};
use crate::cli::exit::{Exit, Failure};
use harvestman_core::config::ByteSize;
use harvestman_report::figures;
use harvestman_storage::archive::cdxj::{Indexed, LineSorter, index};

/// The index of a crawl, in its directory.
const FILE: &str = "index.cdxj";

/// Write the index of WARC files that replayers search (CDXJ)
///
/// A line a capture: key of its URL, time, and where its record lies; sorted. The lines are those of pywb's own indexer.
///
/// The index knows files by their bare names, wherever they lie, as pywb's does; nodes of a fleet put theirs into these, so that no two are
/// alike. With --relative-to it knows them by their paths below a directory, so that two of one name can be in one index.
///
/// Files that a crawl still writes to (.open) are left out, because what it holds last may yet be cut off: wait for its end, or
/// `harvestman resume` what was killed. A file that is torn or broken is indexed up to there; then the exit code is 1. More lines than
/// --memory holds are sorted in unnamed temporary files beside the output (or, for -, in the directory for temporary files), which
/// take as much room again.
#[derive(Debug, Clone, clap::Args)]
#[command(after_help = "\
Examples:
  harvestman export cdxj forum                                  # writes forum/index.cdxj
  harvestman export cdxj *.warc.gz --out all.cdxj               # any WARC files, of any tool
  harvestman export cdxj forum --out - | head
  harvestman export cdxj node-a node-b --out all.cdxj           # one index of a fleet's archives

pywb replays the first with this config.yaml, by `wayback`, at http://localhost:8080/forum/:
  collections:
    forum:
      index_paths: forum/index.cdxj
      archive_paths: forum/warc/
Of several directories it is told all of them; it looks for each file in one after the other:
      index_paths: all.cdxj
      archive_paths: [node-a/warc/, node-b/warc/]
or, after `--relative-to .`, the directory that the names are relative to (with its / at the end):
      archive_paths: ./")]
pub struct CdxjArgs {
    /// Crawl directories, or WARC files: compressed or plain, of any tool
    #[arg(value_name = "DIR|WARC", required = true, value_hint = clap::ValueHint::AnyPath)]
    inputs: Vec<PathBuf>,
    /// Name files in the index by their paths below this directory, in place of their bare names
    #[arg(long, value_name = "DIR", value_hint = clap::ValueHint::DirPath)]
    relative_to: Option<PathBuf>,
    #[command(flatten)]
    output: OutputArgs,
    /// Memory for lines that are being sorted
    #[arg(long, value_name = "SIZE", default_value = "64MiB")]
    memory: ByteSize,
}

/// Runs the command.
pub(super) fn run(args: &CdxjArgs) -> Result<Exit, Failure> {
    let warcs = warcs::find(&args.inputs, args.relative_to.as_deref())?;
    for path in &warcs.open {
        eprintln!("note: {} is still being written, or its crawl was killed: it is left out", path.display());
    }
    if warcs.files.is_empty() {
        let named: Vec<String> = args.inputs.iter().map(|input| input.display().to_string()).collect();
        let what = "no finished WARC file is there, so there is nothing to index";
        return Err(Failure::new(Exit::Failed, format!("{}: {what}", named.join(", "))));
    }
    let output = Output::begin(&args.output, || default_path(&args.inputs))?;
    let (name, directory) = (output.name(), output.directory());
    let written = output.write(|out| write_index(args, &warcs, &directory, out))?;
    let Some(found) = written else { return Ok(Exit::Done) };
    let files =
        if warcs.files.len() == 1 { "1 WARC file".to_owned() } else { format!("{} WARC files", warcs.files.len()) };
    args.output.say(&format!("{name}: {} captures of {files}", figures::count(found.lines)));
    if found.damaged == 0 {
        return Ok(Exit::Done);
    }
    let what = "what could be read is in the index";
    Err(Failure::new(Exit::Failed, format!("{} of {files} could not be indexed in full; {what}", found.damaged)))
}

fn default_path(inputs: &[PathBuf]) -> Result<PathBuf, Failure> {
    match inputs {
        [directory] if directory.is_dir() => Ok(directory.join(FILE)),
        _ => Err(Failure::usage("name the file to write by --out FILE (- for standard output)")),
    }
}

#[derive(Default)]
struct Found {
    lines: u64,
    /// Files that are not indexed in full.
    damaged: u64,
}

fn write_index(
    args: &CdxjArgs,
    warcs: &Warcs,
    directory: &Path,
    mut out: &mut (dyn Write + Send),
) -> Result<Found, WriteError> {
    let mut sorter = LineSorter::new(directory, args.memory.as_usize());
    let mut progress = Progress::new("captures", &args.output);
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
        found.damaged += u64::from(!told(path, &indexed));
    }
    progress.finish();
    sorter.finish(&mut out)?;
    Ok(found)
}

fn unreadable(path: &Path, error: &io::Error) -> WriteError {
    WriteError::Other(Failure::new(Exit::Failed, format!("cannot read {}: {error}", path.display())))
}

/// Says what is missing of a file; true where nothing is.
fn told(path: &Path, indexed: &Indexed) -> bool {
    let path = path.display();
    if let Some(error) = &indexed.error {
        eprintln!("warning: {path}: {error}; {} records before that are indexed", figures::count(indexed.records));
    }
    if indexed.sharing_a_member > 0 {
        let count = figures::count(indexed.sharing_a_member);
        eprintln!(
            "warning: {path}: {count} captures share a gzip member with others, so no replayer can seek to them: compress it anew, a member a record (`warcio recompress`)"
        );
    }
    if indexed.without_key > 0 {
        let count = figures::count(indexed.without_key);
        eprintln!("warning: {path}: {count} captures have no date or a URL that no key can be made of");
    }
    indexed.error.is_none() && indexed.sharing_a_member == 0 && indexed.without_key == 0
}
