//! What is known of pages that were visited, and of the recrawls that visited them again.

use std::path::PathBuf;

use fjall::Keyspace;
use serde::{Deserialize, Serialize};

use super::StoreError;
use super::record;
use harvestman_core::clock::Instant;
use harvestman_core::model::{RecrawlVisit, Visit};
use harvestman_core::url::Fingerprint;

/// A recrawl.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RecrawlRound {
    /// Its number, from 1.
    pub number: u32,
    /// When it began.
    pub began: Instant,
    /// Pages that could be visited again when it began.
    pub pages: u64,
}

/// Reads what is known of pages.
#[derive(Clone)]
pub struct VisitReader {
    path: PathBuf,
    visits: Keyspace,
    sightings: Keyspace,
}

/// Where a sighting stands: those of a recrawl one after the other, by their times.
pub(super) fn sighting_key(sighting: &RecrawlVisit) -> [u8; 28] {
    let mut key = [0; 28];
    key[..4].copy_from_slice(&sighting.round.to_be_bytes());
    key[4..12].copy_from_slice(&sighting.at.as_micros().to_be_bytes());
    key[12..].copy_from_slice(&sighting.page.0.to_be_bytes());
    key
}

impl VisitReader {
    pub(super) const fn new(path: PathBuf, visits: Keyspace, sightings: Keyspace) -> Self {
        Self { path, visits, sightings }
    }

    /// What is known of a page; none where it was not visited, or where its record cannot be read.
    pub fn of(&self, page: Fingerprint) -> Result<Option<Visit>, StoreError> {
        let bytes = self.visits.get(page.0.to_be_bytes()).map_err(|error| self.failed(&error))?;
        Ok(bytes.and_then(|bytes| record::decode(&bytes)))
    }

    /// How many pages something is known of.
    pub fn count(&self) -> Result<u64, StoreError> {
        self.visits.len().map(|count| count as u64).map_err(|error| self.failed(&error))
    }

    /// Hands over what is known of each page, in the order of their fingerprints. Says how many records could not be read.
    pub fn each(&self, mut take: impl FnMut(Fingerprint, Visit)) -> Result<u64, StoreError> {
        let mut unreadable = 0;
        for entry in self.visits.iter() {
            let (key, value) = entry.into_inner().map_err(|error| self.failed(&error))?;
            match (<[u8; 16]>::try_from(&*key), record::decode(&value)) {
                (Ok(page), Some(visit)) => take(Fingerprint(u128::from_be_bytes(page)), visit),
                _ => unreadable += 1,
            }
        }
        Ok(unreadable)
    }

    /// Hands over what the visits of a recrawl saw, in their order. A record that cannot be read is left out: its page counts as visited.
    pub fn sightings(&self, round: u32, mut take: impl FnMut(RecrawlVisit)) -> Result<(), StoreError> {
        for entry in self.sightings.prefix(round.to_be_bytes()) {
            let value = entry.value().map_err(|error| self.failed(&error))?;
            record::decode(&value).into_iter().for_each(&mut take);
        }
        Ok(())
    }

    fn failed(&self, error: &fjall::Error) -> StoreError {
        StoreError::of("read", &self.path, error)
    }
}
