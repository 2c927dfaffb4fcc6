//! The responses of a WARC file: all of them, or single ones by their places.

use std::fs::File;
use std::io;
use std::io::{Read, Seek as _, SeekFrom};
use std::path::Path;

use bytes::Bytes;
use jiff::Timestamp;
use url::Url;

use super::page::RecordedPage;
use harvestman_storage::archive::OPEN_SUFFIX;
use harvestman_storage::archive::reader::{Limits, Record, WarcError, WarcReader};

/// Longer responses, in bytes as recorded, are skipped.
const RESPONSE_BYTES_MAX: u64 = 32 << 20;

/// A WARC file to read.
pub struct WarcInput<R> {
    /// Its name, for the records.
    pub name: String,
    /// Its bytes.
    pub reader: R,
}

/// How the reading of a file ended.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PagesEnd {
    /// Number of records.
    pub records: u64,
    /// Why the rest of the file could not be read.
    pub error: Option<String>,
}

/// Calls `each` with the responses and revisits of a file. A damaged file is read up to the damage.
///
/// # Errors
///
/// Those of `each`.
pub fn read_pages<R: Read, E>(
    input: WarcInput<R>,
    each: &mut dyn FnMut(RecordedPage) -> Result<(), E>,
) -> Result<PagesEnd, E> {
    let WarcInput { name, reader } = input;
    let mut reader = WarcReader::new(reader, Limits::default());
    let mut end = PagesEnd::default();
    loop {
        let page = match reader.next_record() {
            Ok(Some(record)) => read(record, &name),
            Ok(None) => return Ok(end),
            Err(error) => Err(error),
        };
        match page {
            Ok(page) => {
                end.records += 1;
                if let Some(page) = page {
                    each(page)?;
                }
            }
            Err(error) => {
                end.error = Some(error.to_string());
                return Ok(end);
            }
        }
    }
}

/// Reads the response or revisit at the beginning of an input. Returns `None` if there is none, or it is not complete.
pub(crate) fn read_page<R: Read>(input: WarcInput<R>) -> Option<RecordedPage> {
    let mut reader = WarcReader::new(input.reader, Limits::default());
    let record = reader.next_record().ok()??;
    read(record, &input.name).ok()?
}

fn read<R: Read>(mut record: Record<'_, R>, file: &str) -> Result<Option<RecordedPage>, WarcError> {
    let offset = record.offset();
    let is_response = record.record_type() == "response";
    let is_wanted = (is_response || record.record_type() == "revisit") && record.remaining() <= RESPONSE_BYTES_MAX;
    let url = record.target_uri().filter(|_| is_wanted).and_then(|uri| Url::parse(uri).ok());
    let time = record.header().get("WARC-Date").and_then(|date| date.parse::<Timestamp>().ok());
    let mut block = Vec::new();
    if is_response && url.is_some() {
        record.read_block(&mut block, RESPONSE_BYTES_MAX)?;
    }
    // A compressed record is verified only at its end.
    record.end()?;
    let message = is_response.then(|| Bytes::from(block));
    let time = time.unwrap_or(Timestamp::UNIX_EPOCH);
    Ok(url.map(|url| RecordedPage { url, file: file.to_owned(), offset, time, message }))
}

/// Reads the response or revisit at an offset of a WARC file of a crawl, which may still be written. `name` is that of
/// the page log, within `directory`. Returns `None` if there is no complete record.
///
/// # Errors
///
/// The file cannot be read.
pub fn read_recorded(directory: &Path, name: &str, offset: u64) -> io::Result<Option<RecordedPage>> {
    let path = directory.join(name);
    let open = || File::open(&path).or_else(|_| File::open(directory.join(format!("{name}{OPEN_SUFFIX}"))));
    // It may be renamed in between.
    let mut file = open().or_else(|_| File::open(&path))?;
    file.seek(SeekFrom::Start(offset))?;
    let page = read_page(WarcInput { name: name.to_owned(), reader: file });
    Ok(page.map(|page| RecordedPage { offset, ..page }))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(kind: &str, url: &str, block: &str) -> String {
        let length = block.len();
        format!(
            "WARC/1.0\r\nWARC-Type: {kind}\r\nWARC-Target-URI: <{url}>\r\nWARC-Date: 2026-01-02T03:04:05Z\r\n\
             Content-Length: {length}\r\n\r\n{block}\r\n\r\n"
        )
    }

    #[test]
    fn responses_and_revisits_are_read_up_to_a_damage() {
        let file = [
            record("warcinfo", "", "x"),
            record("response", "http://h/a", "HTTP/1.1 200 OK\r\n\r\nbody"),
            record("revisit", "http://h/a", ""),
            record("response", "no address", "HTTP/1.1 200 OK\r\n\r\n"),
            "WARC/1.0 torn".to_owned(),
        ]
        .concat();
        let mut seen = Vec::new();
        let input = WarcInput { name: "a.warc".to_owned(), reader: file.as_bytes() };
        let end = read_pages(input, &mut |page| {
            seen.push((page.url.to_string(), page.message.map(|message| message.len()), page.time.as_second()));
            Ok::<(), ()>(())
        });
        let end = end.unwrap();
        assert_eq!(seen, [("http://h/a".into(), Some(23), 1_767_323_045), ("http://h/a".into(), None, 1_767_323_045)]);
        assert!(end.records == 4 && end.error.is_some());
    }
}
