//! The catalogue entry of a metric.

use prometheus::{HistogramOpts, Opts};

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
    pub(super) fn opts(&self) -> Opts {
        Opts::new(self.name, self.help)
    }

    pub(super) fn histogram_opts(&self) -> HistogramOpts {
        HistogramOpts::new(self.name, self.help).buckets(self.buckets.to_vec())
    }

    pub(super) fn label_names(&self) -> Vec<&'static str> {
        self.labels.iter().map(|label| label.name).collect()
    }

    pub(super) fn label(&self, at: usize) -> &Label {
        self.labels.get(at).expect("the catalogue gives this kind of metric its labels")
    }
}
