//! Bounds of a client that no operator needs to turn.

use std::time::Duration;

/// Number of answers of the resolver that are cached, for their time to live: enough for the hosts that are crawled at
/// once.
pub(super) const DNS_CACHE: u64 = 8_192;

/// Number of bytes of an unwanted body that are read and discarded to keep its connection open. A new connection costs
/// about as much as reading these; a longer body closes the connection.
pub(super) const DRAIN_MAX: u64 = 64 << 10;

/// Maximum number of addresses of one host that are tried, one after the other: both families, and a spare of each.
pub(super) const ADDRESSES_MAX: usize = 4;

/// Bounds of a client.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ClientBounds {
    /// Maximum size of the head (status line and headers) of an answer, in bytes. Servers send a few KiB, and browsers
    /// give up at 256.
    pub head_max: usize,
    /// Maximum number of header lines of an answer.
    pub headers_max: usize,
    /// The time over which `fetch.low_speed_min` is measured: long enough for the usual pauses of a loaded server.
    pub low_speed_window: Duration,
    /// Maximum time that an unused connection is kept open. Many servers close theirs after a minute or less, and a
    /// connection that is closed during a request costs the request.
    pub idle_timeout: Duration,
    /// Maximum number of unused connections to one host. A crawl keeps at least as many as it may use at once.
    pub idle_per_host: usize,
    /// Whether a request is resent at once if the persistent connection that it used ends without a byte of an answer:
    /// usually the server had closed it, but it may have read the request. Where a delay is owed it is not resent, as
    /// two requests might reach the server within the delay. A request that was not written yet is always resent.
    pub resends_unanswered: bool,
}

impl Default for ClientBounds {
    fn default() -> Self {
        Self {
            head_max: 64 << 10,
            headers_max: 256,
            low_speed_window: Duration::from_secs(15),
            idle_timeout: Duration::from_secs(30),
            idle_per_host: 2,
            resends_unanswered: true,
        }
    }
}
