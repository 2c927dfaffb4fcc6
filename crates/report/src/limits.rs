//! Limits of a crawl that are no settings: no operator needs to turn them, and tests do.

use harvestman_core::config::EARLY_STOP_REQUESTS;
use harvestman_stages::host::HostLimits;
use harvestman_storage::archive::ArchiveLimits;

/// Limits of a crawl that are no settings.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RunLimits {
    /// Of hosts.
    pub hosts: HostLimits,
    /// Of the archive.
    pub archive: ArchiveLimits,
    /// Number of ended pages after which their results are committed, even before `state.commit_every`; at most a
    /// quarter of the leases, so that hosts do not wait for a commit. A larger group saves no more writes to the disk.
    pub commit_pages: u32,
    /// Number of answers without a sign of the session of a log-in that wait together for the next sign of it before
    /// the session is checked. They are kept in memory; a session that lasts shows in one of so many.
    pub unsure_answers: usize,
    /// Number of requests that `budget.early_stop` looks ahead to.
    pub early_stop_requests: u32,
}

impl Default for RunLimits {
    fn default() -> Self {
        Self {
            hosts: HostLimits::default(),
            archive: ArchiveLimits::default(),
            commit_pages: 256,
            unsure_answers: 8,
            early_stop_requests: EARLY_STOP_REQUESTS,
        }
    }
}
