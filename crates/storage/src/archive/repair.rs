//! Repairs WARC files that a crash left open, by truncating them after the last complete record.
//!
//! A crash of the process can only truncate the last record. If a file is damaged further up (a power failure may lose
//! any page of the cache), complete records may follow the damage. They are preserved: the removed bytes are saved to a
//! file `….cut`.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use super::Error;
use super::file::{rename, sync_directory};
use super::page_log_repair;
use super::reader::{self, Limits, WarcReader};
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
    page_log_repair::cut_off(crawl_directory, &whole)?;
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
