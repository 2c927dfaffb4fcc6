//! The time of a changing site.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// The time of a changing site, in seconds from its start. Clones share it.
#[derive(Debug, Clone, Default)]
pub struct SiteTime(Arc<AtomicU64>);

impl SiteTime {
    /// Returns the time.
    pub fn seconds(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }

    /// Advances the time; it never goes back.
    pub fn set(&self, seconds: u64) {
        self.0.fetch_max(seconds, Ordering::Relaxed);
    }

    pub(super) fn days(&self) -> f64 {
        self.seconds() as f64 / 86_400.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_never_goes_back() {
        let time = SiteTime::default();
        time.clone().set(20);
        time.set(10);
        assert_eq!(time.seconds(), 20);
    }
}
