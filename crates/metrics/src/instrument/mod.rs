//! The kinds of metrics: thin wrappers that know their definition and hold a ready handle for each label value.
//!
//! Without a registry they are also created, but count nothing and read as 0.

mod labelled;

use std::time::Duration;

use prometheus::core::Collector;
use prometheus::{HistogramOpts, Opts, Registry};

pub use labelled::{CounterBy, CounterByNumber, CounterByPair, GaugeBy, HistogramBy, Info, NUMBERS, RatioBy};

/// Creates a collector and adds it to the registry, if there is one.
fn enter<C: Collector + Clone + 'static>(
    registry: Option<&Registry>,
    make: impl FnOnce() -> prometheus::Result<C>,
) -> Option<C> {
    let registry = registry?;
    let collector = make().expect("names and labels in the catalogue are well formed");
    registry.register(Box::new(collector.clone())).expect("names in the catalogue are unique");
    Some(collector)
}

/// A metric that can be created from its definition.
pub trait Instrument: Sized {
    /// Its kind.
    const KIND: Kind;

    /// Creates the metric and adds it to the registry; without one it counts nothing.
    fn make(definition: &Definition, registry: Option<&Registry>) -> Self;
}

macro_rules! instrument {
    ($name:ident is $kind:ident of $collector:ty, $opts:ident) => {
        impl Instrument for $name {
            const KIND: Kind = Kind::$kind;

            fn make(definition: &Definition, registry: Option<&Registry>) -> Self {
                Self(enter(registry, || <$collector>::with_opts(definition.$opts())))
            }
        }
    };
}

/// A count that only rises.
#[derive(Debug, Clone, Default)]
pub struct Counter(Option<prometheus::IntCounter>);

impl Counter {
    /// Counts one.
    pub fn inc(&self) {
        self.add(1);
    }

    /// Counts `n`.
    pub fn add(&self, n: u64) {
        // Even adding 0 would take the counter's cache line away from another thread.
        if let Some(counter) = self.0.as_ref().filter(|_| n > 0) {
            counter.inc_by(n);
        }
    }

    /// Adds the difference to `total`, which was counted elsewhere. Only for one caller at a time.
    pub fn raise_to(&self, total: u64) {
        self.add(total.saturating_sub(self.get()));
    }

    /// Returns the count.
    pub fn get(&self) -> u64 {
        self.0.as_ref().map_or(0, prometheus::IntCounter::get)
    }
}

instrument!(Counter is Counter of prometheus::IntCounter, opts);

/// A sum of seconds that only rises.
#[derive(Debug, Clone, Default)]
pub struct SecondsCounter(Option<prometheus::Counter>);

impl SecondsCounter {
    /// Adds `duration`.
    pub fn add(&self, duration: Duration) {
        if let Some(counter) = &self.0 {
            counter.inc_by(duration.as_secs_f64());
        }
    }

    /// Returns the sum in seconds.
    pub fn get(&self) -> f64 {
        self.0.as_ref().map_or(0.0, prometheus::Counter::get)
    }

    /// Returns whether anything is counted, so that measuring is worth its time.
    pub const fn is_on(&self) -> bool {
        self.0.is_some()
    }
}

instrument!(SecondsCounter is Counter of prometheus::Counter, opts);

/// A level that rises and falls.
#[derive(Debug, Clone, Default)]
pub struct Gauge(Option<prometheus::IntGauge>);

impl Gauge {
    /// Sets the level; one beyond the gauge's range is shown as its maximum.
    pub fn set(&self, level: u64) {
        if let Some(gauge) = &self.0 {
            gauge.set(i64::try_from(level).unwrap_or(i64::MAX));
        }
    }

    /// Raises the level by one.
    pub fn inc(&self) {
        if let Some(gauge) = &self.0 {
            gauge.inc();
        }
    }

    /// Lowers the level by one.
    pub fn dec(&self) {
        if let Some(gauge) = &self.0 {
            gauge.dec();
        }
    }

    /// Returns the level.
    pub fn get(&self) -> i64 {
        self.0.as_ref().map_or(0, prometheus::IntGauge::get)
    }
}

instrument!(Gauge is Gauge of prometheus::IntGauge, opts);

/// Durations, counted in buckets.
#[derive(Debug, Clone, Default)]
pub struct Histogram(Option<prometheus::Histogram>);

impl Histogram {
    /// Counts one duration.
    pub fn observe(&self, duration: Duration) {
        if let Some(histogram) = &self.0 {
            histogram.observe(duration.as_secs_f64());
        }
    }

    /// Returns the number of observations.
    pub fn count(&self) -> u64 {
        self.0.as_ref().map_or(0, prometheus::Histogram::get_sample_count)
    }
}

instrument!(Histogram is Histogram of prometheus::Histogram, histogram_opts);

/// A duration that rises and falls.
#[derive(Debug, Clone, Default)]
pub struct Seconds(Option<prometheus::Gauge>);

impl Seconds {
    /// Sets it.
    pub fn set(&self, duration: Duration) {
        if let Some(gauge) = &self.0 {
            gauge.set(duration.as_secs_f64());
        }
    }

    /// Returns the seconds.
    pub fn get(&self) -> f64 {
        self.0.as_ref().map_or(0.0, prometheus::Gauge::get)
    }
}

instrument!(Seconds is Gauge of prometheus::Gauge, opts);

/// A share between 0 and 1.
#[derive(Debug, Clone, Default)]
pub struct Ratio(Option<prometheus::Gauge>);

impl Ratio {
    /// Sets the share, clamped to 0 … 1.
    pub fn set(&self, share: f64) {
        if let Some(gauge) = &self.0 {
            gauge.set(share.clamp(0.0, 1.0));
        }
    }

    /// Returns the share.
    pub fn get(&self) -> f64 {
        self.0.as_ref().map_or(0.0, prometheus::Gauge::get)
    }
}

instrument!(Ratio is Gauge of prometheus::Gauge, opts);

/// The label value for all values outside a metric's fixed set.
pub const OTHER: &str = "other";

/// The kind of a metric.
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
    /// Returns the kind's name in Prometheus' text format.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Counter => "counter",
            Self::Gauge => "gauge",
            Self::Histogram => "histogram",
        }
    }
}

/// A label and its possible values, in addition to `other`.
#[derive(Debug, Clone, Copy)]
pub struct Label {
    /// The label's name.
    pub name: &'static str,
    /// Its values.
    pub values: &'static [&'static str],
}

/// A metric's entry in the catalogue.
#[derive(Debug, Clone, Copy)]
pub struct Definition {
    /// The whole name.
    pub name: &'static str,
    /// Its kind.
    pub kind: Kind,
    /// Its meaning, its unit, and what a bad value means if that helps.
    pub help: &'static str,
    /// Its labels, outermost first.
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

    fn label(&self, at: usize) -> &Label {
        self.labels.get(at).expect("the catalogue gives this kind of metric its labels")
    }
}
