//! The CDXJ index of WARC files: a line a capture, sorted, so that replayers find by a URL and a time which bytes of which file to read.
//!
//! ```text
//! org,example)/a 20260102030405 {"url": …, "mime": …, "status": …, "digest": …, "length": …, "offset": …, "filename": …}
//! ```
//!
//! The lines are those that pywb's `cdx-indexer --cdxj` makes, to the byte: what stands in the index of one tool can be compared with
//! that of the other, and merged. IndexReport is what has captured something (responses, revisits, resources), not requests, warcinfo and
//! metadata. A request's method and body are no part of the key.

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

/// What came of indexing a file.
#[derive(Debug, Default)]
pub struct IndexReport {
    /// Whole records that were read.
    pub records: u64,
    /// Lines that were made of them.
    pub lines: u64,
    /// Captures that no line could be made of, because they have no usable date or their URL has no key.
    pub without_key: u64,
    /// Captures that share a gzip member with others: no tool can seek to them.
    pub sharing_a_member: u64,
    /// Why it was not read to its end.
    pub error: Option<WarcError>,
}

/// Makes the lines of the WARC file `input`, in its order, each with its line break; the index will name the file `filename`. An error
/// is one of `each`; a file that is torn or broken is indexed up to there.
pub fn index(
    input: impl Read,
    filename: &str,
    mut each: impl FnMut(&[u8]) -> io::Result<()>,
) -> io::Result<IndexReport> {
    let mut reader = WarcReader::new(input, Limits::default());
    let mut indexed = IndexReport::default();
    let mut line = Vec::new();
    // Where the member starts that the record before did not end.
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

/// A record that was read to its end.
struct IndexedRecord {
    /// What it captured; none where it is of a kind that is not indexed.
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
