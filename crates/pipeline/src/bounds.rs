//! Bounds of queues and threads, and budgets, as the configuration sets them.

use harvestman_core::clock::Instant;
use harvestman_core::config::{BudgetOptions, Config};
use harvestman_stages::fetch::{ClientBounds, DescriptorShares};
use harvestman_stages::frontier::{Budgets, FrontierLimits};

/// The maximum number of auxiliary requests (robots.txt, sitemaps, parts of pages) in progress at once, over all hosts.
pub(crate) const ERRANDS_MAX: usize = 64;

/// The maximum number of sub-requests whose callers wait for a reply, over all hosts.
pub(crate) const SUBREQUESTS_IN_PROGRESS_MAX: usize = 4_096;

/// The maximum number of URLs on their way from sitemaps to the frontier. A sitemap names up to 50,000, a crawl fetches
/// many at once, and a URL on its way takes about 200 bytes.
pub(crate) const SITEMAP_URLS_MAX: usize = 16_384;
/// URLs of a sitemap that are passed to the frontier at once.
pub(crate) const SITEMAP_PART_URLS: usize = 1_024;
/// The maximum number of URLs in changes that are not committed. Changes are bounded in number too, but one change may
/// have very many URLs.
pub(crate) const UNCOMMITTED_URLS_MAX: usize = 32_768;

/// Maximum number of link classes of one host. URLs of further classes share a queue: with the seeds of the same URL
/// pattern, or all under one class. Sites have hundreds; each costs about 500 bytes of memory, and a check when the
/// policy's scores change.
pub(crate) const CLASSES_MAX: u32 = 16_384;

/// One in this many URLs of a host is taken from the class of links about which the policy still has most to learn,
/// instead of from the best: a twentieth of the requests is what a crawl pays for not missing a class that was never
/// tried.
pub(crate) const EXPLORE_EVERY: u32 = 20;

/// Returns the maximum number of leases out at once, over all hosts: no more than this process can have connections.
pub(crate) fn leases_max(config: &Config) -> usize {
    descriptor_shares(config).pages as usize
}

/// Returns the maximum number of auxiliary requests in progress at once, over all hosts.
pub(crate) fn errands_max(config: &Config) -> usize {
    descriptor_shares(config).errands as usize
}

/// Returns how many connections of each kind there may be: what the configuration says, or fewer where this process may
/// not have as many files open.
pub(crate) fn descriptor_shares(config: &Config) -> DescriptorShares {
    DescriptorShares::of_process(DescriptorShares {
        pages: config.frontier.in_flight_max.max(1),
        errands: ERRANDS_MAX as u32,
        idle: ClientBounds::default().idle_max as u32,
        ..DescriptorShares::default()
    })
}

/// Returns a limit; 0 means that there is none.
fn limit(set: u64) -> Option<u64> {
    (set > 0).then_some(set)
}

/// Returns the budgets. The time budget counts from `started`.
pub(crate) fn budgets(config: &Config, started: Instant) -> Budgets {
    let BudgetOptions { pages, bytes, requests, time, .. } = &config.budget;
    let until = (!time.0.is_zero()).then(|| started + time.0);
    Budgets { pages: limit(*pages), bytes: limit(bytes.0), requests: limit(*requests), until }
}

/// Returns the limits of what may wait in the frontier.
pub(crate) fn limits(config: &Config) -> FrontierLimits {
    FrontierLimits {
        queued_max: config.frontier.queued_max,
        host_pages_max: limit(config.budget.pages_per_host),
        classes_max: CLASSES_MAX,
    }
}

/// Returns a number of threads; 0 means one per processor.
pub(crate) fn threads(set: u32) -> usize {
    match set {
        0 => std::thread::available_parallelism().map_or(2, usize::from),
        n => n as usize,
    }
}
