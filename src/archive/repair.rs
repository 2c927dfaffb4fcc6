//! Repairs WARC files that a crash left open: what stands behind the last whole record is cut off.

use std::fs::{self, OpenOptions};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use super::Error;
use super::file::{rename, sync_directory};
use super::reader::{self, Limits, WarcReader};
use super::writer::{OPEN_SUFFIX, WARC_DIRECTORY};

/// What a repair did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Repaired {
    /// The file under its final name; none where no record was whole and the file was removed.
    pub path: Option<PathBuf>,
    /// Whole records it holds.
    pub records: u64,
    /// Bytes that were cut off behind them.
    pub cut_bytes: u64,
}

/// Repairs the WARC file at `path`: cuts it behind its last whole record and takes the suffix `.open` off its name.
pub fn repair(path: &Path) -> Result<Repaired, Error> {
    let failed = |action| move |source| Error::file(action, path, source);
    let file = OpenOptions::new().read(true).write(true).open(path).map_err(failed("open"))?;
    let length = file.metadata().map_err(failed("read"))?.len();
    let (records, whole) = whole_records(&file).map_err(failed("read"))?;
    let cut_bytes = length.saturating_sub(whole);
    if records == 0 {
        // An empty file is no WARC file (nor a gzip file): nothing is lost with it.
        fs::remove_file(path).map_err(failed("remove"))?;
        path.parent().map_or(Ok(()), sync_directory)?;
        return Ok(Repaired { path: None, records, cut_bytes });
    }
    if cut_bytes > 0 {
        file.set_len(whole).map_err(failed("cut"))?;
    }
    file.sync_all().map_err(failed("force to the disk"))?;
    let finished = finished_path(path);
    if finished != path {
        rename(path, &finished)?;
    }
    Ok(Repaired { path: Some(finished), records, cut_bytes })
}

/// Repairs every file that is still open in the archive of `crawl_directory`, in the order of their names.
pub fn repair_all(crawl_directory: &Path) -> Result<Vec<Repaired>, Error> {
    let directory = crawl_directory.join(WARC_DIRECTORY);
    let listed = |source| Error::file("list", &directory, source);
    if !directory.exists() {
        return Ok(Vec::new());
    }
    let mut open = Vec::new();
    for entry in fs::read_dir(&directory).map_err(listed)? {
        let path = entry.map_err(listed)?.path();
        if path.as_os_str().to_string_lossy().ends_with(OPEN_SUFFIX) {
            open.push(path);
        }
    }
    open.sort();
    open.iter().map(|path| repair(path)).collect()
}

/// How many records at the start of a file are whole, and where the last of them ends.
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
            Err(reader::Error::Io(error)) => return Err(error),
            Err(reader::Error::Torn { .. } | reader::Error::Broken { .. }) => return Ok(whole),
        }
    }
}

fn finished_path(path: &Path) -> PathBuf {
    let text = path.as_os_str().to_str();
    text.and_then(|text| text.strip_suffix(OPEN_SUFFIX)).map_or_else(|| path.to_path_buf(), PathBuf::from)
}
