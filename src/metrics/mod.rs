//! Metrics: declared once in the [catalogue], kept in a registry of their own, written out in Prometheus' text format.
//!
//! A stage is handed its group (say [`FetchMetrics`]) and holds it; every child of a labelled metric is made at the start, so
//! that counting is one atomic addition. Labels have small fixed sets of values and never hold a URL or a host name.
//! `docs/METRICS.md` is made from the catalogue.

pub mod catalogue;
mod instrument;
mod labels;
mod reference;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use prometheus::process_collector::ProcessCollector;
use prometheus::{Registry, TextEncoder};

pub use catalogue::{
    ArchiveMetrics, CrawlMetrics, DedupMetrics, FetchMetrics, FilterMetrics, FrontierMetrics, HostMetrics,
    ParseMetrics, PolicyMetrics, StageMetrics, StateMetrics,
};
pub use instrument::{
    Counter, CounterBy, CounterByPair, Gauge, Histogram, HistogramBy, Kind, Ratio, RatioBy, SecondsCounter,
};
pub use reference::reference;

/// The media type of [`Metrics::encode`]'s text.
pub const CONTENT_TYPE: &str = prometheus::TEXT_FORMAT;

/// All metrics of a process. Cheap to clone; all clones count into the same registry.
#[derive(Debug, Clone)]
pub struct Metrics {
    registry: Registry,
    /// The crawl as a whole.
    pub crawl: Arc<CrawlMetrics>,
    /// The frontier.
    pub frontier: Arc<FrontierMetrics>,
    /// Politeness and robots.txt.
    pub host: Arc<HostMetrics>,
    /// Requests.
    pub fetch: Arc<FetchMetrics>,
    /// The parser.
    pub parse: Arc<ParseMetrics>,
    /// Scope and the policy's filter.
    pub filter: Arc<FilterMetrics>,
    /// The set of URLs seen.
    pub dedup: Arc<DedupMetrics>,
    /// The policy, where it learns.
    pub policy: Arc<PolicyMetrics>,
    /// WARC files and the page log.
    pub archive: Arc<ArchiveMetrics>,
    /// The state on disk.
    pub state: Arc<StateMetrics>,
}

impl Metrics {
    /// All metrics, at zero, in a new registry.
    pub fn new() -> Self {
        let registry = Registry::new();
        let process = Box::new(ProcessCollector::for_self());
        registry.register(process).expect("nothing else uses the names of the process metrics");
        Self {
            crawl: Arc::new(CrawlMetrics::register(&registry)),
            frontier: Arc::new(FrontierMetrics::register(&registry)),
            host: Arc::new(HostMetrics::register(&registry)),
            fetch: Arc::new(FetchMetrics::register(&registry)),
            parse: Arc::new(ParseMetrics::register(&registry)),
            filter: Arc::new(FilterMetrics::register(&registry)),
            dedup: Arc::new(DedupMetrics::register(&registry)),
            policy: Arc::new(PolicyMetrics::register(&registry)),
            archive: Arc::new(ArchiveMetrics::register(&registry)),
            state: Arc::new(StateMetrics::register(&registry)),
            registry,
        }
    }

    /// All metrics in Prometheus' text format, of the type [`CONTENT_TYPE`].
    pub fn encode(&self) -> String {
        TextEncoder::new().encode_to_string(&self.registry.gather()).unwrap_or_default()
    }
}

impl Default for Metrics {
    fn default() -> Self {
        Self::new()
    }
}
