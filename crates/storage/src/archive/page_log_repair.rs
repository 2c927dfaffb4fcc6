//! Truncates the page log where its records were lost in a power failure. The log and the archive are synced to disk
//! together, but until then either may be ahead of the other.
//!
//! Lines are in the order of their records, so all lines from the first one without its record are invalid. Their
//! outcomes were not committed to the state, and the URLs are processed again.

use std::collections::BTreeMap;
use std::path::Path;

use serde::Deserialize;

use super::Error;
use super::line_log::LineLog;
use super::sink::PAGE_LOG;

/// The location of a record according to its line.
#[derive(Deserialize)]
struct Place {
    warc_file: Option<String>,
    warc_offset: Option<u64>,
}

/// Truncates the page log in `directory` before the first line whose record is beyond the end of its file. `whole` has
/// the lengths of the files that were left open, by their names in the log.
pub(super) fn cut_off(directory: &Path, whole: &BTreeMap<String, u64>) -> Result<(), Error> {
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
