//! Which partitions need a node with a browser, and whether another node has one.
//!
//! The crawler asks for pages, page by page, and learns whether to leave them to another node; the node publishes what
//! was asked for in the records of the partitions, from which all nodes compute who holds them.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, Ordering};

use parking_lot::Mutex;

use super::Partition;

/// What a crawler that renders pages and its node tell each other.
#[derive(Debug, Default)]
pub struct BrowserDemand {
    has_browser: AtomicBool,
    is_elsewhere: AtomicBool,
    asked: Mutex<BTreeSet<Partition>>,
}

impl BrowserDemand {
    /// Creates the demand of a node that has a working browser, or none.
    pub fn new(has_browser: bool) -> Self {
        Self { has_browser: AtomicBool::new(has_browser), ..Self::default() }
    }

    /// Returns whether this node has a working browser.
    pub fn has_browser(&self) -> bool {
        self.has_browser.load(Ordering::Acquire)
    }

    /// Records that the browser of this node does not start.
    pub fn lose_browser(&self) {
        self.has_browser.store(false, Ordering::Release);
    }

    /// Asks for a node with a browser to hold a partition. Returns whether there is another node that has one.
    pub fn ask(&self, partition: Partition) -> bool {
        self.asked.lock().insert(partition);
        self.is_elsewhere.load(Ordering::Acquire)
    }

    /// Returns whether [`BrowserDemand::ask`] asked for this partition.
    pub fn is_asked(&self, partition: Partition) -> bool {
        self.asked.lock().contains(&partition)
    }

    /// Returns the partitions that were asked for.
    pub(crate) fn asked(&self) -> Vec<Partition> {
        self.asked.lock().iter().copied().collect()
    }

    /// Sets whether another node has a browser.
    pub(crate) fn set_elsewhere(&self, is_elsewhere: bool) {
        self.is_elsewhere.store(is_elsewhere, Ordering::Release);
    }
}
