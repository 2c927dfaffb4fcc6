//! The browsers of a fleet: whether this node has one, and how hosts get to those that do.

use std::sync::Arc;

use crate::rendering::{OtherBrowsers, check_browser};
use harvestman_core::config::Config;
use harvestman_fleet::{BrowserDemand, Partitions};

/// Whether pages can be rendered here; `None` if the crawl renders none. Starts the browser once, and warns if that
/// fails: the node takes part without it.
pub(super) async fn has_browser(config: &Config) -> Option<bool> {
    if !config.render.is_on() {
        return None;
    }
    match check_browser(config).await.result {
        Ok(version) => {
            tracing::info!(version, "this node renders pages");
            Some(true)
        }
        Err(why) => {
            tracing::warn!(
                "this node renders no pages: {why}. Hosts with pages that need a browser go to nodes that have one; while no \
                 node has one, pages are taken as they are"
            );
            Some(false)
        }
    }
}

/// The other nodes, for the stages of this node's crawl.
pub(super) struct FleetBrowsers {
    pub(super) demand: Arc<BrowserDemand>,
    pub(super) partitions: Partitions,
}

impl OtherBrowsers for FleetBrowsers {
    fn ask(&self, origin: &str) -> bool {
        self.demand.ask(self.partitions.of_origin(origin))
    }

    fn is_asked(&self, origin: &str) -> bool {
        self.demand.is_asked(self.partitions.of_origin(origin))
    }

    fn lose_browser(&self) {
        self.demand.lose_browser();
    }
}
