//! Metrics: declared once in the [catalogue], held in a registry of their own, encoded in Prometheus' text format.
//!
//! A stage is given its group (such as [`FetchMetrics`]) and holds it; every child of a labelled metric is created at
//! the start, so that counting is one atomic addition. Labels have small fixed sets of values and never contain a URL
//! or a host name. In a fleet every metric of a node has the additional label `node`, and there is an additional group,
//! [`FleetMetrics`]. `docs/METRICS.md` is generated from the catalogue.
//!
//! Internal to Harvestman, without a promise of stability: other programs use `harvestman-library`.

pub mod catalogue;
mod instrument;
mod labels;
mod reference;
#[cfg(test)]
mod tests;

use std::collections::HashMap;
use std::sync::Arc;

use prometheus::process_collector::ProcessCollector;
use prometheus::{Registry, TextEncoder};

pub use catalogue::{
    ArchiveMetrics, BuildMetrics, ClassifyMetrics, CrawlMetrics, DedupMetrics, FetchMetrics, FilterMetrics,
    FleetMetrics, FrontierMetrics, HostMetrics, ParseMetrics, PolicyMetrics, RecrawlMetrics, RenderMetrics,
    StageMetrics, StateMetrics, WorkerMetrics,
};
pub use instrument::{
    Counter, CounterBy, CounterByNumber, CounterByPair, Definition, Gauge, GaugeBy, Histogram, HistogramBy, Info, Kind,
    Label, NUMBERS, Ratio, RatioBy, Seconds, SecondsCounter,
};
pub use reference::reference;

/// The media type of [`Metrics::encode`]'s text.
pub const CONTENT_TYPE: &str = prometheus::TEXT_FORMAT;

/// All metrics of a process. Cheap to clone; all clones count into the same registry.
#[derive(Debug, Clone)]
pub struct Metrics {
    /// `None` if nothing is counted.
    registry: Option<Registry>,
    /// The program.
    pub build: Arc<BuildMetrics>,
    /// The crawl as a whole.
    pub crawl: Arc<CrawlMetrics>,
    /// The frontier.
    pub frontier: Arc<FrontierMetrics>,
    /// Politeness and robots.txt.
    pub host: Arc<HostMetrics>,
    /// Requests.
    pub fetch: Arc<FetchMetrics>,
    /// The workers.
    pub worker: Arc<WorkerMetrics>,
    /// The parser.
    pub parse: Arc<ParseMetrics>,
    /// The classifier.
    pub classify: Arc<ClassifyMetrics>,
    /// Scope and the policy's filter.
    pub filter: Arc<FilterMetrics>,
    /// The set of URLs seen.
    pub dedup: Arc<DedupMetrics>,
    /// The policy, if it learns.
    pub policy: Arc<PolicyMetrics>,
    /// WARC files and the page log.
    pub archive: Arc<ArchiveMetrics>,
    /// The state on disk.
    pub state: Arc<StateMetrics>,
    /// Visits to known pages.
    pub recrawl: Arc<RecrawlMetrics>,
    /// Rendering in a browser.
    pub render: Arc<RenderMetrics>,
    /// The fleet; counts nothing outside of one.
    pub fleet: Arc<FleetMetrics>,
}

impl Metrics {
    /// Creates all metrics, at zero, in a new registry.
    pub fn new() -> Self {
        Self::made(Some(Registry::new()), false)
    }

    /// Creates all metrics of a node of a fleet: each has the label `node`, and those of the fleet are included.
    pub fn of_node(node: &str) -> Self {
        let label = HashMap::from([("node".to_owned(), node.to_owned())]);
        let registry = Registry::new_custom(None, Some(label)).expect("only a prefix can be wrong");
        Self::made(Some(registry), true)
    }

    /// Creates metrics that count nothing: they read as 0, and nothing is encoded.
    pub fn off() -> Self {
        Self::made(None, false)
    }

    /// Returns whether anything is counted, so that it is worth finding out what would be shown.
    pub const fn is_on(&self) -> bool {
        self.registry.is_some()
    }

    fn made(registry: Option<Registry>, in_fleet: bool) -> Self {
        let all = registry.as_ref();
        if let Some(registry) = all {
            let process = Box::new(ProcessCollector::for_self());
            registry.register(process).expect("nothing else uses the names of the process metrics");
        }
        let mut fleet = FleetMetrics::make(all.filter(|_| in_fleet));
        fleet.begin();
        let (mut crawl, mut fetch) = (CrawlMetrics::make(all), FetchMetrics::make(all));
        let mut worker = WorkerMetrics::make(all);
        crawl.begin();
        fetch.begin();
        worker.begin();
        let metrics = Self {
            build: Arc::new(BuildMetrics::make(all)),
            crawl: Arc::new(crawl),
            frontier: Arc::new(FrontierMetrics::make(all)),
            host: Arc::new(HostMetrics::make(all)),
            fetch: Arc::new(fetch),
            worker: Arc::new(worker),
            parse: Arc::new(ParseMetrics::make(all)),
            classify: Arc::new(ClassifyMetrics::make(all)),
            filter: Arc::new(FilterMetrics::make(all)),
            dedup: Arc::new(DedupMetrics::make(all)),
            policy: Arc::new(PolicyMetrics::make(all)),
            archive: Arc::new(ArchiveMetrics::make(all)),
            state: Arc::new(StateMetrics::make(all)),
            recrawl: Arc::new(RecrawlMetrics::make(all)),
            render: Arc::new(RenderMetrics::make(all)),
            fleet: Arc::new(fleet),
            registry,
        };
        metrics.build.info.set(&[env!("CARGO_PKG_VERSION")]);
        metrics
    }

    /// Encodes all metrics in Prometheus' text format, with the media type [`CONTENT_TYPE`].
    pub fn encode(&self) -> String {
        let families = self.registry.as_ref().map_or_else(Vec::new, Registry::gather);
        TextEncoder::new().encode_to_string(&families).unwrap_or_default()
    }
}

impl Default for Metrics {
    fn default() -> Self {
        Self::new()
    }
}
