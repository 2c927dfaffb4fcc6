//! Bounds of a client that no operator needs to turn, and the timer of an exchange, shared by its phases.
//!
//! Resetting a timer costs more than letting it expire, so it is armed once, for the head of the response, and re-armed
//! only when it expires: a fast exchange never touches it again.

use std::pin::Pin;
use std::time::Duration;

use tokio::time::Sleep;

use harvestman_core::clock::{Clock, Instant};

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

/// A timer that can be re-armed.
pub(super) struct Timer<'a> {
    clock: &'a Clock,
    sleep: Pin<&'a mut Sleep>,
    /// The deadline of the whole exchange.
    pub(super) end: Instant,
}

impl<'a> Timer<'a> {
    /// Creates a timer. `sleep` is the underlying timer, which has to live in the caller's frame.
    pub(super) fn new(clock: &'a Clock, sleep: Pin<&'a mut Sleep>, end: Instant) -> Self {
        Self { clock, sleep, end }
    }

    /// Returns the current time.
    pub(super) fn now(&self) -> Instant {
        self.clock.now()
    }

    /// Re-arms the timer to expire `after` from `now`, or at the end of the exchange, whichever comes first.
    pub(super) fn arm(&mut self, now: Instant, after: Duration) {
        let rest = self.end.since(now).min(after);
        self.sleep.as_mut().set(tokio::time::sleep(rest));
    }

    /// Moves the deadline of the exchange to `after` from now, unless it is sooner.
    pub(super) fn end_within(&mut self, after: Duration) {
        let now = self.now();
        self.end = self.end.min(now + after);
        self.arm(now, Duration::MAX);
    }

    /// Completes when the timer expires.
    pub(super) async fn fired(&mut self) {
        self.sleep.as_mut().await;
    }
}
