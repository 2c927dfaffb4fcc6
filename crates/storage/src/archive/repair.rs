//! Repairs what a crash left: truncates open WARC files after the last complete record, and the page log where its
//! records were lost.
//!
//! A crash of the process can only truncate the last record. If a file is damaged further up (a power failure may lose
//! any page of the cache), complete records may follow the damage. They are preserved: the removed bytes are saved to a
//! file `….cut`.
//!
//! The page log and the archive are synced to disk together, but until then either may be ahead of the other. Lines are
//! in the order of their records, so all lines from the first one without its record are invalid. Their outcomes were
//! not committed to the state, and the URLs are processed again.

use std::collections::BTreeMap;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use serde::Deserialize;

use super::Error;
use super::append_file::{rename, sync_directory};
use super::line_log::LineLog;
use super::reader::{self, Limits, WarcReader};
use super::sink::PAGE_LOG;
use super::writer::{OPEN_SUFFIX, WARC_DIRECTORY};
use harvestman_core::crawl_file;

/// Number of bytes of a removed tail that are searched for records at a time.
const SEARCHED_AT_ONCE: u64 = 1 << 20;

/// The result of a repair.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RepairReport {
    /// The file under its final name; `None` if it had no complete record and was removed.
    pub path: Option<PathBuf>,
    /// Number of complete records in the file.
    pub records: u64,
    /// Number of bytes that were removed after them.
    pub cut_bytes: u64,
    /// The file with the removed bytes, if they contain complete records.
    pub kept: Option<PathBuf>,
}

/// Repairs the WARC file at `path`: truncates it after its last complete record and removes the suffix `.open` from its
/// name.
pub fn repair(path: &Path) -> Result<RepairReport, Error> {
    finish(path, cut(path)?)
}

/// The result of truncating a file.
struct Cut {
    records: u64,
    /// Bytes of complete records, which is the new length of the file.
    whole: u64,
    bytes: u64,
    kept: Option<PathBuf>,
}

fn failed(action: &'static str, path: &Path) -> impl Fn(io::Error) -> Error {
    move |source| Error::file(action, path, source)
}

/// Truncates the file after its last complete record. This is idempotent.
fn cut(path: &Path) -> Result<Cut, Error> {
    let file = crawl_file::open_with(path, OpenOptions::new().read(true).write(true)).map_err(failed("open", path))?;
    let length = file.metadata().map_err(failed("read", path))?.len();
    let (records, whole) = whole_records(&file).map_err(failed("read", path))?;
    let kept = salvage_whole_records(&file, whole, &with_suffix(&finished_path(path), ".cut"))
        .map_err(failed("salvage", path))?;
    let bytes = length.saturating_sub(whole);
    if bytes > 0 {
        file.set_len(whole).map_err(failed("truncate", path))?;
    }
    file.sync_all().map_err(failed("sync", path))?;
    Ok(Cut { records, whole, bytes, kept })
}

/// Renames a truncated file to its final name.
fn finish(path: &Path, cut: Cut) -> Result<RepairReport, Error> {
    let Cut { records, bytes: cut_bytes, kept, .. } = cut;
    if records == 0 {
        // An empty file is not a valid WARC (or gzip) file, and removing it loses nothing.
        fs::remove_file(path).map_err(failed("remove", path))?;
        path.parent().map_or(Ok(()), sync_directory)?;
        return Ok(RepairReport { path: None, records, cut_bytes, kept });
    }
    let finished = finished_path(path);
    if finished != path {
        rename(path, &finished)?;
    }
    Ok(RepairReport { path: Some(finished), records, cut_bytes, kept })
}

/// Repairs all open files in the archive of `crawl_directory` in the order of their names, and removes the page log
/// lines whose records are lost. The files get their final names last, so that an interrupted repair starts over.
pub fn repair_all(crawl_directory: &Path) -> Result<Vec<RepairReport>, Error> {
    let open = open_files(&crawl_directory.join(WARC_DIRECTORY))?;
    let cuts = open.iter().map(|path| cut(path)).collect::<Result<Vec<_>, _>>()?;
    let name = |path: &Path| {
        let finished = finished_path(path);
        format!("{WARC_DIRECTORY}/{}", finished.file_name().unwrap_or_default().to_string_lossy())
    };
    let whole = open.iter().zip(&cuts).map(|(path, cut)| (name(path), cut.whole)).collect();
    cut_off(crawl_directory, &whole)?;
    open.iter().zip(cuts).map(|(path, cut)| finish(path, cut)).collect()
}

/// Returns the unfinished files of the archive, sorted.
fn open_files(directory: &Path) -> Result<Vec<PathBuf>, Error> {
    if !directory.exists() {
        return Ok(Vec::new());
    }
    let mut open = Vec::new();
    for entry in fs::read_dir(directory).map_err(failed("list", directory))? {
        let path = entry.map_err(failed("list", directory))?.path();
        if path.as_os_str().to_string_lossy().ends_with(OPEN_SUFFIX) {
            open.push(path);
        }
    }
    open.sort();
    Ok(open)
}

/// Copies the bytes of `file` from `start` on to `copy`, if they contain a complete record.
fn salvage_whole_records(mut file: &File, start: u64, copy: &Path) -> io::Result<Option<PathBuf>> {
    if !holds_whole_record(file, start)? {
        return Ok(None);
    }
    file.seek(SeekFrom::Start(start))?;
    let mut output = crawl_file::create(copy)?;
    io::copy(&mut file, &mut output)?;
    output.sync_all()?;
    Ok(Some(copy.to_path_buf()))
}

/// Returns whether a complete record starts at or after byte `start`. Tries every offset that looks like the start of a
/// record.
fn holds_whole_record(mut file: &File, start: u64) -> io::Result<bool> {
    let mut at = start;
    let mut piece = Vec::new();
    loop {
        piece.clear();
        file.seek(SeekFrom::Start(at))?;
        file.take(SEARCHED_AT_ONCE).read_to_end(&mut piece)?;
        for offset in record_starts(&piece) {
            file.seek(SeekFrom::Start(at + offset as u64))?;
            if whole_records(file)?.0 > 0 {
                return Ok(true);
            }
        }
        // The last bytes are searched again with the next piece because a start may span the boundary.
        match piece.len() as u64 {
            SEARCHED_AT_ONCE => at += SEARCHED_AT_ONCE - 8,
            _ => return Ok(false),
        }
    }
}

/// Returns the offsets in `piece` at which a gzip member or a plain record may start.
fn record_starts(piece: &[u8]) -> impl Iterator<Item = usize> {
    let members = memchr::memmem::find_iter(piece, b"\x1f\x8b\x08\0");
    members.chain(memchr::memmem::find_iter(piece, b"WARC/1."))
}

/// Returns the number of complete records at the start of a file, and the end of the last of them.
pub(super) fn whole_records(file: impl Read) -> io::Result<(u64, u64)> {
    let mut reader = WarcReader::new(file, Limits::default());
    let (mut read, mut whole) = (0, (0, 0));
    loop {
        let end = match reader.next_record() {
            Ok(Some(record)) => record.end(),
            Ok(None) => return Ok(whole),
            Err(error) => Err(error),
        };
        match end {
            Ok(end) => {
                read += 1;
                if end.line_breaks && end.member_ended {
                    whole = (read, end.offset);
                }
            }
            Err(reader::WarcError::Io(error)) => return Err(error),
            Err(reader::WarcError::Torn { .. } | reader::WarcError::Broken { .. }) => return Ok(whole),
        }
    }
}

fn finished_path(path: &Path) -> PathBuf {
    let text = path.as_os_str().to_str();
    text.and_then(|text| text.strip_suffix(OPEN_SUFFIX)).map_or_else(|| path.to_path_buf(), PathBuf::from)
}

fn with_suffix(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    PathBuf::from(name)
}

/// The location of a record according to its line.
#[derive(Deserialize)]
struct Place {
    warc_file: Option<String>,
    warc_offset: Option<u64>,
}

/// Truncates the page log in `directory` before the first line whose record is beyond the end of its file. `whole` has
/// the lengths of the files that were left open, by their names in the log.
fn cut_off(directory: &Path, whole: &BTreeMap<String, u64>) -> Result<(), Error> {
    if whole.is_empty() {
        return Ok(());
    }
    let names: Vec<_> = whole.keys().map(|name| memchr::memmem::Finder::new(name.as_bytes())).collect();
    let is_lost = |line: &[u8]| {
        // Lost pages of the file read as zeros.
        memchr::memchr(0, line).is_some()
            || names.iter().any(|name| name.find(line).is_some()) && !has_record(line, whole)
    };
    LineLog::cut_before(directory, PAGE_LOG, is_lost)
}

fn has_record(line: &[u8], whole: &BTreeMap<String, u64>) -> bool {
    // An invalid line has no record.
    let Ok(Place { warc_file, warc_offset }) = serde_json::from_slice(line) else { return false };
    let end = warc_file.and_then(|name| whole.get(&name));
    end.is_none_or(|end| warc_offset.is_none_or(|offset| offset < *end))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::archive::ArchiveLimits;
    use harvestman_core::clock::Instant;
    use harvestman_core::config::archive::LineCompression;

    fn line(number: u64, file: &str) -> String {
        format!(
            "{{\"url\":\"http://a.test/{number}\",\"warc_file\":\"warc/{file}\",\"warc_offset\":{}}}\n",
            number * 10
        )
    }

    /// Returns how many lines remain of a log of four batches, the middle two of which have their records in a file
    /// that is complete up to `end`.
    fn left(compression: LineCompression, end: u64) -> usize {
        let directory = tempfile::tempdir().unwrap();
        let open = || LineLog::open(directory.path(), "pages.jsonl", compression, ArchiveLimits::default()).unwrap();
        let mut log = open();
        for (number, file) in [(0, "a.warc"), (1, "b.warc"), (2, "b.warc"), (3, "c.warc")] {
            log.append(Instant::EPOCH, |out| out.extend_from_slice(line(number, file).as_bytes())).unwrap();
            log.flush().unwrap();
        }
        log.finish().unwrap();
        cut_off(directory.path(), &BTreeMap::from([("warc/b.warc".to_owned(), end)])).unwrap();
        let mut count = 0;
        LineLog::cut_before(directory.path(), "pages.jsonl", |_| {
            count += 1;
            false
        })
        .unwrap();
        count
    }

    #[test]
    fn the_log_ends_before_the_first_line_whose_record_is_lost() {
        for compression in [LineCompression::None, LineCompression::Gzip, LineCompression::Zstd] {
            assert_eq!(left(compression, 30), 4, "{compression:?}: all records are present");
            assert_eq!(left(compression, 20), 2, "{compression:?}: the record at 20 is lost");
            assert_eq!(left(compression, 11), 2, "{compression:?}: the record at 10 begins before the end");
            assert_eq!(left(compression, 0), 1, "{compression:?}: the file is empty");
        }
    }

    #[test]
    fn a_line_with_zeros_ends_the_log() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join(PAGE_LOG);
        let mut bytes = [line(0, "a.warc"), line(1, "a.warc"), line(2, "a.warc")].concat().into_bytes();
        let length = line(0, "a.warc").len();
        bytes[length + 5..length + 9].fill(0);
        std::fs::write(&path, &bytes).unwrap();
        cut_off(directory.path(), &BTreeMap::from([("warc/a.warc".to_owned(), 100)])).unwrap();
        assert_eq!(std::fs::read(&path).unwrap(), bytes[..length]);
    }
}
