//! The CDXJ index of WARC files: one line per capture, sorted, so that replayers can look up the file, offset and
//! length of a capture by URL and time.
//!
//! ```text
//! org,example)/a 20260102030405 {"url": …, "mime": …, "status": …, "digest": …, "length": …, "offset": …, …}
//! ```
//!
//! The lines are byte-identical to those of pywb's `cdx-indexer --cdxj`, so that the indexes of both tools can be
//! compared and merged. Only captures are indexed (responses, revisits, resources), not requests, warcinfo and
//! metadata. A request's method and body are not part of the key.

mod capture;
mod http;
mod line;
mod sort;
#[cfg(test)]
mod tests;

use std::io::{self, Read};

use super::reader::{Limits, Record, WarcError, WarcReader};
use capture::Capture;
pub use sort::LineSorter;

/// The result of indexing a file.
#[derive(Debug, Default)]
pub struct IndexReport {
    /// Number of complete records that were read.
    pub records: u64,
    /// Number of lines that were written.
    pub lines: u64,
    /// Captures without a line, because their date is unusable or their URL has no key.
    pub without_key: u64,
    /// Captures that share a gzip member with others, so that no tool can seek to them.
    pub sharing_a_member: u64,
    /// Why reading stopped before the end.
    pub error: Option<WarcError>,
}

/// Calls `each` with the index lines of the WARC file `input`, in file order and with their line breaks. The lines
/// refer to the file as `filename`. A truncated or broken file is indexed up to the error.
///
/// # Errors
/// Returns only errors of `each`.
pub fn index(
    input: impl Read,
    filename: &str,
    mut each: impl FnMut(&[u8]) -> io::Result<()>,
) -> io::Result<IndexReport> {
    let mut reader = WarcReader::new(input, Limits::default());
    let mut indexed = IndexReport::default();
    let mut line = Vec::new();
    // The offset of the member that the previous record did not end.
    let mut shared = None;
    loop {
        let read = match reader.next_record() {
            Ok(None) => return Ok(indexed),
            Ok(Some(record)) => read_record(record),
            Err(error) => Err(error),
        };
        let ended = match read {
            Ok(ended) => ended,
            Err(error) => {
                indexed.error = Some(error);
                return Ok(indexed);
            }
        };
        indexed.records += 1;
        let shares = !ended.own_member || shared == Some(ended.offset);
        shared = (!ended.own_member).then_some(ended.offset);
        let Some(capture) = ended.capture else { continue };
        if shares {
            indexed.sharing_a_member += 1;
        } else if line::write(&capture, ended.offset, ended.length, filename, &mut line) {
            indexed.lines += 1;
            each(&line)?;
        } else {
            indexed.without_key += 1;
        }
    }
}

/// A record that was read completely.
struct IndexedRecord {
    /// The capture; `None` if the record is not indexed.
    capture: Option<Capture>,
    offset: u64,
    length: u64,
    own_member: bool,
}

fn read_record<R: Read>(mut record: Record<'_, R>) -> Result<IndexedRecord, WarcError> {
    let offset = record.offset();
    let capture = Capture::of(&mut record)?;
    let end = record.end()?;
    Ok(IndexedRecord { capture, offset, length: end.length, own_member: end.member_ended })
}
