//! `harvestman export wacz`: a crawl as one file that replay tools open. First all WARC files are indexed, which tells
//! how much of each is readable, then they are copied.

mod archives;

use std::fs::File;
use std::io;
use std::io::{Seek, Write};
use std::path::{Path, PathBuf};

use self::archives::{Archive, PageLister, unreadable};
use super::OutputArgs;
use super::output::Output;
use crate::cli::exit::{Exit, Failure};
use crate::cli::export::cdxj;
use crate::cli::export::output::WriteError;
use crate::cli::progress::ExportProgress;
use harvestman_core::clock::Clock;
use harvestman_core::config::ByteSize;
use harvestman_report::figures;
use harvestman_storage::archive::cdxj::{LineSorter, index};
use harvestman_storage::archive::reader::WarcError;
use harvestman_storage::archive::wacz::{AddError, WaczWriter};

/// File name of the export in a crawl directory.
const FILE: &str = "archive.wacz";
/// The ending that the format prescribes.
const ENDING: &str = "wacz";

/// Export WARC files with index and list of pages as one file for replay (WACZ)
///
/// The file holds copies of the WARC files, an index, a list of the HTML pages with status 200 (URL, time, title), and
/// a manifest with the SHA-256 of each of them; the SHA-256 of the manifest is in datapackage-digest.json. It follows
/// version 1.1.1 of WACZ and is not signed. ReplayWeb.page opens it from disk or from any web server, and loads only
/// what a visitor looks at.
///
/// With --text, the list of pages also has the words that each page shows, which replay tools search. At most 16,000
/// words of a page are taken.
///
/// Files that a crawl is still writing (.open) are skipped: wait for the crawl to end, or run `harvestman resume` after
/// a kill. A torn or broken WARC file is copied up to the damage, so that the copy is whole; the exit code is 1 then.
/// Lines of the index beyond --memory are sorted in unnamed temporary files beside the output. The output is complete
/// or absent, and takes as much space as the WARC files.
#[derive(Debug, Clone, clap::Args)]
#[command(mut_arg("out", |out| out.help("Output file, which ends in .wacz [default: archive.wacz in the crawl directory]")))]
#[command(after_help = "\
Examples:
  harvestman export wacz forum                                  # writes forum/archive.wacz
  harvestman export wacz forum --title 'A forum' --text --out forum.wacz
  harvestman export wacz *.warc.gz --out all.wacz               # any WARC files, of any tool
  harvestman export wacz node-a node-b --out fleet.wacz         # one file of a fleet's archives

With pywb, replay it at http://localhost:8080/forum/ (https://replayweb.page/ reads it in the browser):
  wb-manager init forum && wb-manager add --unpack-wacz forum forum.wacz && wayback")]
pub struct WaczArgs {
    /// Crawl directories, or WARC files: compressed or plain, of any tool
    #[arg(value_name = "DIR|WARC", required = true, value_hint = clap::ValueHint::AnyPath)]
    inputs: Vec<PathBuf>,
    /// Title of the collection
    #[arg(long, value_name = "TEXT")]
    title: Option<String>,
    /// Also write the words of each page, for searching
    #[arg(long)]
    text: bool,
    #[command(flatten)]
    output: OutputArgs,
    /// Memory for sorting lines of the index
    #[arg(long, value_name = "SIZE", default_value = "64MiB")]
    memory: ByteSize,
}

/// Runs the command.
pub(super) fn run(args: &WaczArgs) -> Result<Exit, Failure> {
    if let Some(out) = &args.output.out {
        check_ending(out)?;
    }
    let archives = archives::find(&args.inputs)?;
    let output = Output::create(&args.output, || default_path(&args.inputs))?;
    let (name, directory) = (output.name(), output.directory());
    let made = output.write_file(|out| write(args, archives, &directory, out))?;
    let counted = |count: u64, what: &str| match count {
        1 => format!("1 {what}"),
        _ => format!("{} {what}s", figures::count(count)),
    };
    let (captures, files) = (counted(made.captures, "capture"), counted(made.files, "WARC file"));
    args.output.say(&format!("{name}: {} and {captures} of {files}", counted(made.pages, "page")));
    if made.damaged == 0 {
        return Ok(Exit::Done);
    }
    let what = "the readable part is exported";
    Err(Failure::new(
        Exit::Failed,
        format!("{} could not be exported completely; {what}", counted(made.damaged, "file")),
    ))
}

/// Fails unless the name ends as the format prescribes, which replay tools rely on.
fn check_ending(path: &Path) -> Result<(), Failure> {
    if path.extension().is_some_and(|ending| ending == ENDING) {
        return Ok(());
    }
    Err(Failure::usage(format!("--out {}: name a file that ends in .{ENDING}", path.display())))
}

fn default_path(inputs: &[PathBuf]) -> Result<PathBuf, Failure> {
    match inputs {
        [directory] if directory.is_dir() => Ok(directory.join(FILE)),
        _ => Err(Failure::usage(format!("name the output with --out FILE.{ENDING}"))),
    }
}

/// What was written.
#[derive(Debug, Default)]
pub(super) struct Written {
    pub files: u64,
    pub captures: u64,
    pub pages: u64,
    /// Files that could not be exported completely.
    pub damaged: u64,
}

/// A WARC file that was indexed.
struct Indexed {
    archive: Archive,
    /// Bytes before a damage.
    length: u64,
}

/// Writes the file to `out`; lines are sorted in `directory`.
fn write(
    args: &WaczArgs,
    archives: Vec<Archive>,
    directory: &Path,
    out: impl Write + Seek,
) -> Result<Written, WriteError> {
    let mut written = Written::default();
    let mut lines = LineSorter::new(directory, args.memory.as_usize());
    let indexed = index_all(archives, &mut lines, &mut written, args.output.quiet)?;
    if written.captures == 0 {
        let what = "nothing to replay: no readable capture was found in the WARC files";
        return Err(WriteError::Other(Failure::new(Exit::Failed, what)));
    }
    let mut wacz = WaczWriter::new(out, Clock::system().now().timestamp());
    for Indexed { archive, length } in &indexed {
        let file = File::open(&archive.path).map_err(|error| unreadable(&archive.path, &error))?;
        wacz.add_archive(&archive.name, file, *length).map_err(|error| not_added(&archive.path, error))?;
    }
    written.files = indexed.len() as u64;
    wacz.add_index(lines)?;
    written.pages = wacz.add_pages(args.text, |list| {
        let mut lister = PageLister::new(args.text, args.output.quiet);
        indexed.iter().try_for_each(|file| lister.add_file(&file.archive.path, list))?;
        Ok::<_, WriteError>(lister.finish())
    })?;
    wacz.finish(args.title.as_deref())?.flush()?;
    Ok(written)
}

/// Adds the index lines of all files to `lines`. Returns the files that have readable records.
fn index_all(
    archives: Vec<Archive>,
    lines: &mut LineSorter,
    written: &mut Written,
    quiet: bool,
) -> Result<Vec<Indexed>, WriteError> {
    let mut progress = ExportProgress::new("captures", quiet);
    let mut readable = Vec::new();
    for archive in archives {
        let failed = |error: io::Error| unreadable(&archive.path, &error);
        let file = File::open(&archive.path).map_err(failed)?;
        let whole = file.metadata().map_err(failed)?.len();
        let before = written.captures;
        let report = index(file, &archive.name, |line| {
            written.captures += 1;
            progress.show(written.captures);
            lines.push(line)
        })?;
        debug_assert_eq!(written.captures, before + report.lines);
        written.damaged += u64::from(!cdxj::warn(&archive.path, &report));
        let length = match report.error {
            None => whole,
            Some(WarcError::Torn { offset } | WarcError::Broken { offset, .. }) => offset,
            Some(WarcError::Io(error)) => return Err(failed(error)),
        };
        if length > 0 {
            readable.push(Indexed { archive, length });
        }
    }
    progress.finish();
    Ok(readable)
}

fn not_added(path: &Path, error: AddError) -> WriteError {
    match error {
        AddError::Output(error) => WriteError::Output(error),
        AddError::Input(error) => unreadable(path, &error),
        AddError::Shorter { .. } => {
            WriteError::Other(Failure::new(Exit::Failed, format!("{}: {error}", path.display())))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_output_of_another_ending_is_refused() {
        assert!(check_ending(Path::new("a/b.wacz")).is_ok());
        for path in ["-", "b.zip", "wacz", "b.wacz.gz"] {
            let failure = check_ending(Path::new(path)).unwrap_err();
            assert!(failure.text.contains("ends in .wacz"), "{}", failure.text);
        }
    }
}
