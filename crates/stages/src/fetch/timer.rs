//! The one timer of an exchange, which moves from phase to phase.
//!
//! Setting a timer costs more than letting it run, so it is armed once, for the head of the answer, and only moved when it
//! goes off: a quick exchange never touches it again.

use std::pin::Pin;
use std::time::Duration;

use tokio::time::Sleep;

use harvestman_core::clock::{Clock, Instant};

/// A timer that can be moved.
pub(super) struct Timer<'a> {
    clock: &'a Clock,
    sleep: Pin<&'a mut Sleep>,
    /// When the whole exchange must be over.
    pub(super) end: Instant,
}

impl<'a> Timer<'a> {
    /// `sleep` is the timer itself, which has to live in its user's frame.
    pub(super) fn new(clock: &'a Clock, sleep: Pin<&'a mut Sleep>, end: Instant) -> Self {
        Self { clock, sleep, end }
    }

    /// The time now.
    pub(super) fn now(&self) -> Instant {
        self.clock.now()
    }

    /// Goes off `after` from `now` on, or at the end of the exchange, whichever comes first.
    pub(super) fn arm(&mut self, now: Instant, after: Duration) {
        let rest = self.end.since(now).min(after);
        self.sleep.as_mut().set(tokio::time::sleep(rest));
    }

    /// Ends when the timer goes off.
    pub(super) async fn fired(&mut self) {
        self.sleep.as_mut().await;
    }
}
