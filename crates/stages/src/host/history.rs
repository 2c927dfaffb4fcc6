//! The state of a host that other runs of a crawl use.

use serde::{Deserialize, Serialize};

use super::politeness::Politeness;
use super::robots::BYTE_LIMIT;
use harvestman_core::clock::Instant;

/// A fetched robots.txt.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct StoredRobots {
    /// Its body up to [`BYTE_LIMIT`]; `None` if there is no such file.
    pub body: Option<Vec<u8>>,
    /// When it must be fetched again.
    pub fresh_until: Instant,
}

impl StoredRobots {
    /// Creates a record of a robots.txt with this body, or of its absence.
    pub fn new(body: Option<&[u8]>, fresh_until: Instant) -> Self {
        let body = body.map(|body| body[..body.len().min(BYTE_LIMIT)].to_vec());
        Self { body, fresh_until }
    }
}

/// The persisted state of a host.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct HostHistory {
    /// Its delays, back-off and counters.
    pub politeness: Option<Politeness>,
    /// Its robots.txt.
    pub robots: Option<StoredRobots>,
    /// Its sitemaps that need not be read again.
    pub sitemaps_read: Vec<String>,
}
