//! Bounds of queues and threads, and budgets, as the configuration sets them.

use harvestman_core::clock::Instant;
use harvestman_core::config::{BudgetOptions, Config};
use harvestman_stages::frontier::{Budgets, FrontierLimits};

/// Errands (requests for robots.txt and sitemaps) in progress at once, over all hosts.
pub(crate) const ERRANDS_MAX: usize = 64;

/// Leases out at once, over all hosts.
pub(crate) fn leases_max(config: &Config) -> usize {
    config.frontier.in_flight_max.max(1) as usize
}

/// A limit, of which 0 is none.
fn limit(set: u64) -> Option<u64> {
    (set > 0).then_some(set)
}

/// The budgets; that of time has run since `started`.
pub(crate) fn budgets(config: &Config, started: Instant) -> Budgets {
    let BudgetOptions { pages, bytes, requests, time, .. } = &config.budget;
    let until = (!time.0.is_zero()).then(|| started + time.0);
    Budgets { pages: limit(*pages), bytes: limit(bytes.0), requests: limit(*requests), until }
}

/// What may wait.
pub(crate) fn limits(config: &Config) -> FrontierLimits {
    FrontierLimits {
        queued_max: config.frontier.queued_max,
        host_pages_max: limit(config.budget.pages_per_host),
        classes_max: config.frontier.classes_max,
    }
}

/// A number of threads, 0 being one per processor.
pub(crate) fn threads(set: u32) -> usize {
    match set {
        0 => std::thread::available_parallelism().map_or(2, usize::from),
        n => n as usize,
    }
}
