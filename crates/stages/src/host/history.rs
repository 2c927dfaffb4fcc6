//! What another run of a crawl knows of a host.

use serde::{Deserialize, Serialize};

use super::politeness::Politeness;
use super::robots::BYTE_LIMIT;
use harvestman_core::clock::Instant;

/// A robots.txt as it was fetched.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct StoredRobots {
    /// Its body, as far as it counts; none where there is no such file.
    pub body: Option<Vec<u8>>,
    /// Until when it need not be fetched again.
    pub fresh_until: Instant,
}

impl StoredRobots {
    /// A robots.txt with this body, or none.
    pub fn new(body: Option<&[u8]>, fresh_until: Instant) -> Self {
        let body = body.map(|body| body[..body.len().min(BYTE_LIMIT)].to_vec());
        Self { body, fresh_until }
    }
}

/// What was kept of a host.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct HostHistory {
    /// Its clocks.
    pub politeness: Option<Politeness>,
    /// Its robots.txt.
    pub robots: Option<StoredRobots>,
    /// Its sitemaps that need not be read again.
    pub sitemaps_read: Vec<String>,
}
