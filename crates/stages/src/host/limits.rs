//! Limits on hosts that no operator needs to turn.

use std::time::Duration;

/// Limits on hosts.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct HostLimits {
    /// Idle time after which a host's actor ends; its politeness state is retained. Longer than the usual delays, so
    /// that a host that is crawled stays awake, and short enough that those that are done take no memory.
    pub sleep_after: Duration,
    /// Number of times the circuit breaker may open before the host is given up: with pauses that double, some minutes
    /// of silence.
    pub breaker_openings_max: u32,
    /// Number of pauses in a row for block pages after which the host is given up: with pauses that double, some hours
    /// in which the site did not let the crawl in.
    pub block_pauses_max: u32,
    /// Retry budget of a host: retries may be at most this share of its requests (ten are always allowed). Where every
    /// fifth request fails, retrying more of them only adds to the load.
    pub retry_share: f64,
}

impl Default for HostLimits {
    fn default() -> Self {
        Self { sleep_after: Duration::from_secs(30), breaker_openings_max: 3, block_pauses_max: 8, retry_share: 0.2 }
    }
}
