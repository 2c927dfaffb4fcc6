//! Notes: progress records of a crawl, besides its URLs and host records.

use super::record;
use harvestman_core::model::ProgressRecord;
use harvestman_core::url::HostKey;

/// Key prefixes of notes.
const ADMITTED: &str = "admitted ";
const FOUND: &str = "sitemap found ";
pub(super) const READ: &str = "sitemap read ";
const ROBOTS: &str = "robots ";

/// Encodes a note as key and value.
pub fn entry(note: &ProgressRecord) -> (String, Vec<u8>) {
    match note {
        ProgressRecord::Admitted(host, count) => ([ADMITTED, host.as_str()].concat(), record::encode(count)),
        ProgressRecord::SitemapFound(url, nesting) => ([FOUND, url].concat(), record::encode(nesting)),
        ProgressRecord::SitemapRead(url) => ([READ, url].concat(), record::encode(&())),
        ProgressRecord::Robots(host, bytes) => ([ROBOTS, host.as_str()].concat(), bytes.clone()),
    }
}

/// Decodes a note from key and value. Returns an error if the value of a note cannot be decoded, and `None` if the key
/// is not that of a note.
pub fn read(key: &[u8], value: &[u8]) -> Option<Result<ProgressRecord, ()>> {
    let key = std::str::from_utf8(key).ok()?;
    let host = |name: &str| HostKey::from_origin(name);
    if let Some(name) = key.strip_prefix(ADMITTED) {
        return Some(record::decode(value).map(|count| ProgressRecord::Admitted(host(name), count)).ok_or(()));
    }
    if let Some(url) = key.strip_prefix(FOUND) {
        return Some(
            record::decode(value).map(|nesting| ProgressRecord::SitemapFound(url.to_owned(), nesting)).ok_or(()),
        );
    }
    if let Some(url) = key.strip_prefix(READ) {
        return Some(Ok(ProgressRecord::SitemapRead(url.to_owned())));
    }
    key.strip_prefix(ROBOTS).map(|name| Ok(ProgressRecord::Robots(host(name), value.to_vec())))
}
