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
mod sort;

use std::io::{self, Read, Write as _};

use super::reader::{Limits, Record, WarcError, WarcReader};
use capture::Capture;
use harvestman_core::url::surt;

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
        } else if write(&capture, ended.offset, ended.length, filename, &mut line) {
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

/// Number of digits of a time in an index, which has a resolution of one second.
const TIME_DIGITS: usize = 14;

/// Writes the line of a capture with `length` bytes at `offset` of `filename`. Returns `false` and writes nothing if
/// the capture has no key or time.
fn write(capture: &Capture, offset: u64, length: u64, filename: &str, line: &mut Vec<u8>) -> bool {
    let (Some(key), Some(time)) = (surt(&capture.url), time(&capture.date)) else { return false };
    line.clear();
    line.extend_from_slice(key.as_bytes());
    line.push(b' ');
    line.extend_from_slice(time.as_bytes());
    line.extend_from_slice(b" {");
    let (offset, length) = (offset.to_string(), length.to_string());
    let fields = [
        ("metadata", capture.metadata.as_deref()),
        ("url", Some(capture.url.as_str())),
        ("mime", Some(capture.mime.as_str())),
        ("mime-detected", capture.mime_detected.as_deref()),
        ("status", capture.status.as_deref()),
        ("digest", capture.digest.as_deref()),
        ("length", Some(&length)),
        ("offset", Some(&offset)),
        ("filename", Some(filename)),
    ];
    let present = fields.into_iter().filter_map(|(name, value)| Some((name, value?)));
    for (place, (name, value)) in present.filter(|(_, value)| !matches!(*value, "" | "-")).enumerate() {
        line.extend_from_slice(if place == 0 { b"\"" } else { b", \"" });
        line.extend_from_slice(name.as_bytes());
        line.extend_from_slice(b"\": ");
        write_text(value, line);
    }
    line.extend_from_slice(b"}\n");
    true
}

/// Converts `2026-01-02T03:04:05.678Z` to `20260102030405`. A shorter date stands for the start of its period.
fn time(date: &str) -> Option<String> {
    const BEGINNING: &str = "00000101000000";
    let numbers = date.split(|c: char| !c.is_ascii_digit()).filter(|number| !number.is_empty());
    let digits: String = numbers.take(6).collect();
    (digits.len() >= 4 && digits.len() <= TIME_DIGITS && digits.len().is_multiple_of(2))
        .then(|| format!("{digits}{}", &BEGINNING[digits.len()..]))
}

/// Writes a JSON string in ASCII.
fn write_text(text: &str, line: &mut Vec<u8>) {
    line.push(b'"');
    for c in text.chars() {
        match c {
            '"' | '\\' => line.extend_from_slice(&[b'\\', c as u8]),
            ' '..='~' => line.push(c as u8),
            '\n' => line.extend_from_slice(b"\\n"),
            '\r' => line.extend_from_slice(b"\\r"),
            '\t' => line.extend_from_slice(b"\\t"),
            '\x08' => line.extend_from_slice(b"\\b"),
            '\x0c' => line.extend_from_slice(b"\\f"),
            other => {
                for unit in other.encode_utf16(&mut [0; 2]) {
                    write!(line, "\\u{unit:04x}").expect("a Vec takes every write");
                }
            }
        }
    }
    line.push(b'"');
}

#[cfg(test)]
mod tests;
