//! A change notification.

use std::sync::atomic::{AtomicU64, Ordering};

use tokio::sync::Notify;

/// Counts changes and wakes the tasks that wait for one. No result may depend on the order in which they wake.
#[derive(Debug, Default)]
pub struct Signal {
    count: AtomicU64,
    changed: Notify,
}

impl Signal {
    /// Signals a change.
    pub fn raise(&self) {
        self.count.fetch_add(1, Ordering::AcqRel);
        self.changed.notify_waiters();
    }

    /// Returns the number of changes so far.
    pub fn count(&self) -> u64 {
        self.count.load(Ordering::Acquire)
    }

    /// Waits until the count differs from `seen`, and returns it.
    pub async fn after(&self, seen: u64) -> u64 {
        loop {
            let changed = self.changed.notified();
            tokio::pin!(changed);
            // A change raised from here on is noticed, so none is missed between the check and the wait.
            changed.as_mut().enable();
            let count = self.count();
            if count != seen {
                return count;
            }
            changed.await;
        }
    }
}
