//! Figures of a running frontier for other threads.

use std::sync::atomic::{AtomicU64, Ordering};

/// The number of URLs waiting, of items in progress, and of events. Only the frontier writes them, after every message
/// that it handles.
#[derive(Debug, Default)]
pub struct FrontierActivity {
    waiting: AtomicU64,
    under_way: AtomicU64,
    events: AtomicU64,
}

impl FrontierActivity {
    /// Publishes how many URLs wait, how many items are in progress (leases, results not yet persisted, errands), and
    /// how many events (accepted, ended and dropped links) there were.
    pub(super) fn publish(&self, waiting: u64, under_way: u64, events: u64) {
        self.waiting.store(waiting, Ordering::Relaxed);
        self.under_way.store(under_way, Ordering::Relaxed);
        self.events.store(events, Ordering::Release);
    }

    /// Returns the number of URLs waiting, of items in progress, and of events.
    pub fn now(&self) -> (u64, u64, u64) {
        let events = self.events.load(Ordering::Acquire);
        (self.waiting.load(Ordering::Relaxed), self.under_way.load(Ordering::Relaxed), events)
    }
}
