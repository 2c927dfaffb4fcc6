//! Writes a WACZ file: first all WARC files are indexed, which tells how much of each is readable, then they are
//! copied.

use std::fs::File;
use std::io::{self, Seek, Write};
use std::path::Path;

use super::WaczArgs;
use super::archives::{Archive, unreadable};
use super::page_list::PageLister;
use crate::cli::exit::{Exit, Failure};
use crate::cli::export::cdxj;
use crate::cli::export::output::WriteError;
use crate::cli::export::progress::ExportProgress;
use harvestman_core::clock::Clock;
use harvestman_storage::archive::cdxj::{LineSorter, index};
use harvestman_storage::archive::reader::WarcError;
use harvestman_storage::archive::wacz::{AddError, WaczWriter};

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
pub(super) fn write(
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
