//! The timer of an exchange, shared by its phases.
//!
//! Resetting a timer costs more than letting it expire, so it is armed once, for the head of the response, and re-armed
//! only when it expires: a fast exchange never touches it again.

use std::pin::Pin;
use std::time::Duration;

use tokio::time::Sleep;

use harvestman_core::clock::{Clock, Instant};

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
