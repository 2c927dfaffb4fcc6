//! What others see of a frontier while it runs.

use std::sync::atomic::{AtomicU64, Ordering};

/// What waits and what is under way. Each is written by the frontier alone, after everything that it does.
#[derive(Debug, Default)]
pub struct FrontierActivity {
    waiting: AtomicU64,
    under_way: AtomicU64,
    events: AtomicU64,
}

impl FrontierActivity {
    /// So many URLs wait, so much is under way (leases, what is not kept yet, errands), and so much was taken in, ended and let go.
    pub(super) fn publish(&self, waiting: u64, under_way: u64, events: u64) {
        self.waiting.store(waiting, Ordering::Relaxed);
        self.under_way.store(under_way, Ordering::Relaxed);
        self.events.store(events, Ordering::Release);
    }

    /// URLs that wait, what is under way, and how much was taken in, ended and let go.
    pub fn now(&self) -> (u64, u64, u64) {
        let events = self.events.load(Ordering::Acquire);
        (self.waiting.load(Ordering::Relaxed), self.under_way.load(Ordering::Relaxed), events)
    }
}
