//! A record that was archived, by which revisit records refer to it.

use crate::archive::record_id::RecordId;
use harvestman_core::clock::Instant;

/// A response record that later pages with the same payload refer to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OriginalRecord {
    /// Its URL.
    pub url: Box<str>,
    /// Its date.
    pub date: Instant,
    /// Its record id.
    pub id: RecordId,
}
