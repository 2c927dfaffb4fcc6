//! How much reading a page may take, counted in its tree, so that no reader can forget it.

use std::sync::atomic::{AtomicU64, Ordering};

/// Number of steps that each node, and each [`STEP_BYTES`] bytes of text, may take. Pages of real sites take a hundred
/// at most.
const STEPS: u64 = 250;
/// Number of steps that any page may take.
const STEPS_MIN: u64 = 2_000_000;
/// Number of bytes of a text that make a step.
pub(super) const STEP_BYTES: usize = 64;

/// The steps that a reading has taken: visits of nodes, and pieces of texts that were looked at.
#[derive(Debug, Default)]
pub(super) struct Steps {
    taken: AtomicU64,
    most: u64,
}

impl Steps {
    /// Creates the count of a page.
    pub fn of_page(nodes: usize, bytes: usize) -> Self {
        let most = STEPS_MIN + STEPS * (nodes + bytes / STEP_BYTES) as u64;
        Self { taken: AtomicU64::new(0), most }
    }

    /// Begins another reading.
    pub fn begin(&self) {
        self.taken.store(0, Ordering::Relaxed);
    }

    /// Counts steps. A page has one reader at a time: a count that gets lost would matter little.
    #[inline]
    pub fn take(&self, steps: usize) {
        let taken = self.taken.load(Ordering::Relaxed);
        self.taken.store(taken.saturating_add(steps as u64), Ordering::Relaxed);
    }

    /// Returns whether the reading has taken more than it may.
    #[inline]
    pub fn are_used_up(&self) -> bool {
        self.taken.load(Ordering::Relaxed) > self.most
    }

    /// Leaves none.
    pub fn use_up(&self) {
        self.taken.store(u64::MAX, Ordering::Relaxed);
    }
}

impl Clone for Steps {
    fn clone(&self) -> Self {
        Self { taken: AtomicU64::new(0), most: self.most }
    }
}
