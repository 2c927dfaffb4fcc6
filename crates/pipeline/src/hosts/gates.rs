//! The gates that hosts share, and their timer.

use parking_lot::Mutex;
use tokio::task::JoinHandle;

use harvestman_core::clock::Instant;
use harvestman_stages::host::{GateTerms, Gates};

/// The gates, and the timer.
pub(super) struct HostGates {
    pub(super) gates: Mutex<Gates>,
    /// When the gates are served next, and the task that does it.
    pub(super) timer: Mutex<Option<(Instant, JoinHandle<()>)>>,
}

impl HostGates {
    pub(super) fn new(terms: GateTerms) -> Self {
        Self { gates: Mutex::new(Gates::new(terms)), timer: Mutex::default() }
    }
}
