//! What a node learns about the other nodes during a session, for its report.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use super::node_setup::node_name;
use harvestman_core::config::Config;
use harvestman_core::model::FleetProgress;
use harvestman_report::FleetFigures;

/// The number of pages that other nodes have reported as fetched. Clones share it.
#[derive(Debug, Clone, Default)]
pub(super) struct FleetSize(Arc<AtomicU64>);

impl FleetSize {
    pub(super) fn hear(&self, now: &FleetProgress) {
        let others = now.fleet.nodes.iter().filter(|node| node.session != now.session);
        // A node that leaves takes its count with it.
        self.0.fetch_max(others.map(|node| node.pages).sum(), Ordering::Relaxed);
    }

    /// Returns the figures for the report of a node's session. `was_over`: whether the crawl was over when the session
    /// began.
    pub(super) fn figures(&self, config: &Config, was_over: bool) -> FleetFigures {
        let pages_of_others = self.0.load(Ordering::Relaxed);
        FleetFigures { crawl: config.fleet.name.clone(), node: node_name(config), pages_of_others, was_over }
    }
}
