//! The kinds of metrics: thin wrappers that know their definition and hold a ready handle for each label value.

use std::time::Duration;

use prometheus::core::Collector;
use prometheus::{HistogramOpts, HistogramVec, IntCounterVec, Opts, Registry};

/// The label value that stands for all values outside a metric's fixed set.
pub const OTHER: &str = "other";

/// What a metric is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Only rises.
    Counter,
    /// Rises and falls.
    Gauge,
    /// Counts observations in buckets.
    Histogram,
}

impl Kind {
    /// The kind's name in Prometheus' text format.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Counter => "counter",
            Self::Gauge => "gauge",
            Self::Histogram => "histogram",
        }
    }
}

/// A label and the values it may take; [`OTHER`] is always one more.
#[derive(Debug, Clone, Copy)]
pub struct Label {
    /// The label's name.
    pub name: &'static str,
    /// Its values.
    pub values: &'static [&'static str],
}

/// A metric's line in the catalogue.
#[derive(Debug, Clone, Copy)]
pub struct Definition {
    /// The whole name.
    pub name: &'static str,
    /// What it is.
    pub kind: Kind,
    /// What it says, as one sentence.
    pub help: &'static str,
    /// Its labels, the outer first; at most two.
    pub labels: &'static [Label],
    /// Upper bounds of a histogram's buckets.
    pub buckets: &'static [f64],
}

impl Definition {
    fn opts(&self) -> Opts {
        Opts::new(self.name, self.help)
    }

    fn histogram_opts(&self) -> HistogramOpts {
        HistogramOpts::new(self.name, self.help).buckets(self.buckets.to_vec())
    }

    fn label_names(&self) -> Vec<&'static str> {
        self.labels.iter().map(|label| label.name).collect()
    }
}

/// Puts a collector into the registry and hands it back.
fn enter<C: Collector + Clone + 'static>(registry: &Registry, made: prometheus::Result<C>) -> C {
    let collector = made.expect("names and labels in the catalogue are well formed");
    registry.register(Box::new(collector.clone())).expect("names in the catalogue are unique");
    collector
}

/// A metric that can be made from its definition.
pub trait Instrument: Sized {
    /// What it is.
    const KIND: Kind;

    /// Makes it and puts it into the registry.
    fn register(definition: &Definition, registry: &Registry) -> Self;
}

/// A count that only rises.
#[derive(Debug, Clone)]
pub struct Counter(prometheus::IntCounter);

impl Counter {
    /// Counts one.
    pub fn inc(&self) {
        self.0.inc();
    }

    /// Counts `n`.
    pub fn add(&self, n: u64) {
        self.0.inc_by(n);
    }

    /// The count.
    pub fn get(&self) -> u64 {
        self.0.get()
    }
}

impl Instrument for Counter {
    const KIND: Kind = Kind::Counter;

    fn register(definition: &Definition, registry: &Registry) -> Self {
        Self(enter(registry, prometheus::IntCounter::with_opts(definition.opts())))
    }
}

/// A sum of seconds that only rises.
#[derive(Debug, Clone)]
pub struct SecondsCounter(prometheus::Counter);

impl SecondsCounter {
    /// Adds `duration`.
    pub fn add(&self, duration: Duration) {
        self.0.inc_by(duration.as_secs_f64());
    }

    /// The sum in seconds.
    pub fn get(&self) -> f64 {
        self.0.get()
    }
}

impl Instrument for SecondsCounter {
    const KIND: Kind = Kind::Counter;

    fn register(definition: &Definition, registry: &Registry) -> Self {
        Self(enter(registry, prometheus::Counter::with_opts(definition.opts())))
    }
}

/// A level that rises and falls.
#[derive(Debug, Clone)]
pub struct Gauge(prometheus::IntGauge);

impl Gauge {
    /// Sets the level; one beyond the gauge's range is shown as its highest.
    pub fn set(&self, level: u64) {
        self.0.set(i64::try_from(level).unwrap_or(i64::MAX));
    }

    /// Raises the level by one.
    pub fn inc(&self) {
        self.0.inc();
    }

    /// Lowers the level by one.
    pub fn dec(&self) {
        self.0.dec();
    }

    /// The level.
    pub fn get(&self) -> i64 {
        self.0.get()
    }
}

impl Instrument for Gauge {
    const KIND: Kind = Kind::Gauge;

    fn register(definition: &Definition, registry: &Registry) -> Self {
        Self(enter(registry, prometheus::IntGauge::with_opts(definition.opts())))
    }
}

/// Lengths of time, counted in buckets.
#[derive(Debug, Clone)]
pub struct Histogram(prometheus::Histogram);

impl Histogram {
    /// Counts one length of time.
    pub fn observe(&self, duration: Duration) {
        self.0.observe(duration.as_secs_f64());
    }

    /// How many were counted.
    pub fn count(&self) -> u64 {
        self.0.get_sample_count()
    }
}

impl Instrument for Histogram {
    const KIND: Kind = Kind::Histogram;

    fn register(definition: &Definition, registry: &Registry) -> Self {
        Self(enter(registry, prometheus::Histogram::with_opts(definition.histogram_opts())))
    }
}

/// Handles by label value, sorted for look-up. A value outside the set finds the handle of [`OTHER`].
#[derive(Debug, Clone)]
struct Children<T> {
    sorted: Vec<(&'static str, T)>,
    other: T,
}

impl<T> Children<T> {
    fn make(label: &Label, make: impl Fn(&'static str) -> T) -> Self {
        let mut sorted: Vec<_> = label.values.iter().map(|value| (*value, make(value))).collect();
        sorted.sort_by_key(|(value, _)| *value);
        Self { sorted, other: make(OTHER) }
    }

    fn get(&self, value: &str) -> &T {
        let found = self.sorted.binary_search_by_key(&value, |(known, _)| known);
        found.ok().and_then(|at| self.sorted.get(at)).map_or(&self.other, |(_, child)| child)
    }
}

fn label(definition: &Definition, at: usize) -> &Label {
    definition.labels.get(at).expect("the catalogue gives this kind of metric its labels")
}

macro_rules! by_one_label {
    ($(#[$doc:meta])+ $name:ident of $child:ident, $kind:ident, $vec:ty, $opts:ident) => {
        $(#[$doc])+
        #[derive(Debug, Clone)]
        pub struct $name(Children<$child>);

        impl $name {
            /// The one with this label value; a value outside the metric's set counts as `other`.
            pub fn by(&self, value: &str) -> &$child {
                self.0.get(value)
            }
        }

        impl Instrument for $name {
            const KIND: Kind = Kind::$kind;

            fn register(definition: &Definition, registry: &Registry) -> Self {
                let vec = enter(registry, <$vec>::new(definition.$opts().into(), &definition.label_names()));
                Self(Children::make(label(definition, 0), |value| $child(vec.with_label_values(&[value]))))
            }
        }
    };
}

by_one_label! {
    /// Counters by the value of one label.
    CounterBy of Counter, Counter, IntCounterVec, opts
}

by_one_label! {
    /// Histograms by the value of one label.
    HistogramBy of Histogram, Histogram, HistogramVec, histogram_opts
}

by_one_label! {
    /// Shares between 0 and 1 by the value of one label.
    RatioBy of Ratio, Gauge, prometheus::GaugeVec, opts
}

/// A share between 0 and 1.
#[derive(Debug, Clone)]
pub struct Ratio(prometheus::Gauge);

impl Ratio {
    /// Sets the share; what is outside 0 to 1 is drawn to its edge.
    pub fn set(&self, share: f64) {
        self.0.set(share.clamp(0.0, 1.0));
    }

    /// The share.
    pub fn get(&self) -> f64 {
        self.0.get()
    }
}

impl Instrument for Ratio {
    const KIND: Kind = Kind::Gauge;

    fn register(definition: &Definition, registry: &Registry) -> Self {
        Self(enter(registry, prometheus::Gauge::with_opts(definition.opts())))
    }
}

/// Counters by the values of two labels. Children are made when they are first counted, since most pairs never occur.
#[derive(Debug, Clone)]
pub struct CounterByPair {
    vec: IntCounterVec,
    outer: &'static [&'static str],
    inner: &'static [&'static str],
}

impl CounterByPair {
    /// The one with these label values; a value outside the metric's sets counts as `other`, except that the inner one may
    /// be empty. Costs a look-up: keep the handle where it is counted often.
    pub fn by(&self, outer: &str, inner: &str) -> Counter {
        let outer = if self.outer.contains(&outer) { outer } else { OTHER };
        let inner = if inner.is_empty() || self.inner.contains(&inner) { inner } else { OTHER };
        Counter(self.vec.with_label_values(&[outer, inner]))
    }
}

impl Instrument for CounterByPair {
    const KIND: Kind = Kind::Counter;

    fn register(definition: &Definition, registry: &Registry) -> Self {
        let vec = enter(registry, IntCounterVec::new(definition.opts(), &definition.label_names()));
        let (outer, inner) = (label(definition, 0), label(definition, 1));
        // A family without children would not be written out at all until it is first counted.
        vec.with_label_values(&[outer.values.first().copied().unwrap_or(OTHER), ""]);
        Self { vec, outer: outer.values, inner: inner.values }
    }
}
