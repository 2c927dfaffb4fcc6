//! Something has changed: look again.

use std::sync::atomic::{AtomicU64, Ordering};

use tokio::sync::Notify;

/// Counts changes and wakes those who wait for one. Nothing depends on the order in which they wake.
#[derive(Debug, Default)]
pub struct Signal {
    count: AtomicU64,
    changed: Notify,
}

impl Signal {
    /// Something has changed.
    pub fn raise(&self) {
        self.count.fetch_add(1, Ordering::AcqRel);
        self.changed.notify_waiters();
    }

    /// How many changes there were.
    pub fn count(&self) -> u64 {
        self.count.load(Ordering::Acquire)
    }

    /// Waits for a change after that one; the count by then.
    pub async fn after(&self, seen: u64) -> u64 {
        loop {
            let changed = self.changed.notified();
            tokio::pin!(changed);
            // Whoever raises from here on is heard, so nothing is missed between the look and the wait.
            changed.as_mut().enable();
            let count = self.count();
            if count != seen {
                return count;
            }
            changed.await;
        }
    }
}
