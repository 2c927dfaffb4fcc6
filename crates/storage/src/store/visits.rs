//! Records of visited pages and of the recrawls that visited them again, and notes: other progress of a crawl besides
//! its URLs and host records.

use std::path::PathBuf;

use fjall::Keyspace;
use serde::{Deserialize, Serialize};

use super::{StoreError, values};
use harvestman_core::clock::Instant;
use harvestman_core::model::{Lastmod, ProgressRecord, RecrawlVisit, Visit};
use harvestman_core::url::{Fingerprint, HostKey};

/// A recrawl.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RecrawlRound {
    /// Its number, from 1.
    pub number: u32,
    /// When it started.
    pub began: Instant,
    /// Number of pages that could be visited again when it started.
    pub pages: u64,
}

/// Reads the visit records of pages.
#[derive(Clone)]
pub struct VisitReader {
    path: PathBuf,
    visits: Keyspace,
    sightings: Keyspace,
    lastmods: Keyspace,
}

/// Returns the key of a sighting. Sightings are ordered by recrawl and time.
pub(super) fn sighting_key(sighting: &RecrawlVisit) -> [u8; 28] {
    let mut key = [0; 28];
    key[..4].copy_from_slice(&sighting.round.to_be_bytes());
    key[4..12].copy_from_slice(&sighting.at.as_micros().to_be_bytes());
    key[12..].copy_from_slice(&sighting.page.0.to_be_bytes());
    key
}

impl VisitReader {
    pub(super) const fn new(path: PathBuf, visits: Keyspace, sightings: Keyspace, lastmods: Keyspace) -> Self {
        Self { path, visits, sightings, lastmods }
    }

    /// Returns the visit record of a page, or `None` if it was not visited or its record cannot be decoded.
    pub fn of(&self, page: Fingerprint) -> Result<Option<Visit>, StoreError> {
        let bytes = self.visits.get(page.0.to_be_bytes()).map_err(|error| self.failed(&error))?;
        Ok(bytes.and_then(|bytes| values::decode(&bytes)))
    }

    /// Returns what a sitemap states about a page, or `None` if none does or its record cannot be decoded.
    pub fn lastmod(&self, page: Fingerprint) -> Result<Option<Lastmod>, StoreError> {
        let bytes = self.lastmods.get(page.0.to_be_bytes()).map_err(|error| self.failed(&error))?;
        Ok(bytes.and_then(|bytes| values::decode(&bytes)))
    }

    /// Returns the number of pages with a visit record.
    pub fn count(&self) -> Result<u64, StoreError> {
        self.visits.len().map(|count| count as u64).map_err(|error| self.failed(&error))
    }

    /// Calls `take` with the visit record of each page, in the order of fingerprints. Returns the number of records
    /// that could not be decoded.
    pub fn each(&self, mut take: impl FnMut(Fingerprint, Visit)) -> Result<u64, StoreError> {
        let mut unreadable = 0;
        for entry in self.visits.iter() {
            let (key, value) = entry.into_inner().map_err(|error| self.failed(&error))?;
            match (<[u8; 16]>::try_from(&*key), values::decode(&value)) {
                (Ok(page), Some(visit)) => take(Fingerprint(u128::from_be_bytes(page)), visit),
                _ => unreadable += 1,
            }
        }
        Ok(unreadable)
    }

    /// Calls `take` with each sighting of a recrawl, in order of time. A record that cannot be decoded is skipped; its
    /// page counts as visited.
    pub fn sightings(&self, round: u32, mut take: impl FnMut(RecrawlVisit)) -> Result<(), StoreError> {
        for entry in self.sightings.prefix(round.to_be_bytes()) {
            let value = entry.value().map_err(|error| self.failed(&error))?;
            values::decode(&value).into_iter().for_each(&mut take);
        }
        Ok(())
    }

    fn failed(&self, error: &fjall::Error) -> StoreError {
        StoreError::of("read", &self.path, error)
    }
}

/// Key prefixes of notes.
const ADMITTED: &str = "admitted ";
const FOUND: &str = "sitemap found ";
pub(super) const READ: &str = "sitemap read ";
const ROBOTS: &str = "robots ";

/// Encodes a note as key and value.
pub fn entry(note: &ProgressRecord) -> (String, Vec<u8>) {
    match note {
        ProgressRecord::Admitted(host, count) => ([ADMITTED, host.as_str()].concat(), values::encode(count)),
        ProgressRecord::SitemapFound(url, nesting) => ([FOUND, url].concat(), values::encode(nesting)),
        ProgressRecord::SitemapRead(url) => ([READ, url].concat(), values::encode(&())),
        ProgressRecord::Robots(host, bytes) => ([ROBOTS, host.as_str()].concat(), bytes.clone()),
    }
}

/// Decodes a note from key and value. Returns an error if the value of a note cannot be decoded, and `None` if the key
/// is not that of a note.
pub fn read(key: &[u8], value: &[u8]) -> Option<Result<ProgressRecord, ()>> {
    let key = std::str::from_utf8(key).ok()?;
    let host = |name: &str| HostKey::from_origin(name);
    if let Some(name) = key.strip_prefix(ADMITTED) {
        return Some(values::decode(value).map(|count| ProgressRecord::Admitted(host(name), count)).ok_or(()));
    }
    if let Some(url) = key.strip_prefix(FOUND) {
        return Some(
            values::decode(value).map(|nesting| ProgressRecord::SitemapFound(url.to_owned(), nesting)).ok_or(()),
        );
    }
    if let Some(url) = key.strip_prefix(READ) {
        return Some(Ok(ProgressRecord::SitemapRead(url.to_owned())));
    }
    key.strip_prefix(ROBOTS).map(|name| Ok(ProgressRecord::Robots(host(name), value.to_vec())))
}
