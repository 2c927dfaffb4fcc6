//! Metrics with labels. Each label has a fixed set of values, so that the number of series is bounded.

use std::sync::{Arc, OnceLock};

use foldhash::fast::FixedState;
use hashbrown::HashMap;
use prometheus::{HistogramVec, IntCounterVec, IntGaugeVec, Registry};

use super::{Counter, Definition, Gauge, Histogram, Instrument, Kind, Label, OTHER, Ratio, enter};

/// Handles by label value, sorted for look-up. A value outside the set yields the handle of [`OTHER`].
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

macro_rules! by_one_label {
    ($(#[$doc:meta])+ $name:ident of $child:ident, $kind:ident, $vec:ty, $opts:ident) => {
        $(#[$doc])+
        #[derive(Debug, Clone)]
        pub struct $name(Children<$child>);

        impl $name {
            /// Returns the one with this label value; a value outside the metric's set counts as `other`.
            pub fn by(&self, value: &str) -> &$child {
                self.0.get(value)
            }
        }

        impl Instrument for $name {
            const KIND: Kind = Kind::$kind;

            fn make(definition: &Definition, registry: Option<&Registry>) -> Self {
                let vec = enter(registry, || <$vec>::new(definition.$opts().into(), &definition.label_names()));
                let child = |value| $child(vec.as_ref().map(|vec| vec.with_label_values(&[value])));
                Self(Children::make(definition.label(0), child))
            }
        }
    };
}

by_one_label! {
    /// Counters by the value of one label.
    CounterBy of Counter, Counter, IntCounterVec, opts
}

by_one_label! {
    /// Levels by the value of one label.
    GaugeBy of Gauge, Gauge, IntGaugeVec, opts
}

by_one_label! {
    /// Histograms by the value of one label.
    HistogramBy of Histogram, Histogram, HistogramVec, histogram_opts
}

by_one_label! {
    /// Shares between 0 and 1 by the value of one label.
    RatioBy of Ratio, Gauge, prometheus::GaugeVec, opts
}

/// Counters by the values of two labels. Most pairs never occur: their series are created when they are first counted,
/// except those created beforehand (`begin`).
#[derive(Debug, Clone)]
pub struct CounterByPair {
    vec: Option<IntCounterVec>,
    outer: &'static [&'static str],
    inner: &'static [&'static str],
    begun: HashMap<(&'static str, &'static str), Counter, FixedState>,
}

impl CounterByPair {
    /// Returns the one with these label values; a value outside the metric's sets counts as `other`, except that the
    /// inner one may be empty. Fast for those created beforehand.
    pub fn by(&self, outer: &str, inner: &str) -> Counter {
        self.begun.get(&(outer, inner)).cloned().unwrap_or_else(|| self.make(outer, inner))
    }

    fn make(&self, outer: &str, inner: &str) -> Counter {
        let outer = if self.outer.contains(&outer) { outer } else { OTHER };
        let inner = if inner.is_empty() || self.inner.contains(&inner) { inner } else { OTHER };
        Counter(self.vec.as_ref().map(|vec| vec.with_label_values(&[outer, inner])))
    }

    /// Creates these series beforehand, at 0: to Prometheus, a series that appears with its first count has not risen.
    pub(crate) fn begin(&mut self, outer: &'static str, inner: impl IntoIterator<Item = &'static str>) {
        for inner in inner {
            let counter = self.make(outer, inner);
            self.begun.insert((outer, inner), counter);
        }
    }
}

impl Instrument for CounterByPair {
    const KIND: Kind = Kind::Counter;

    fn make(definition: &Definition, registry: Option<&Registry>) -> Self {
        let vec = enter(registry, || IntCounterVec::new(definition.opts(), &definition.label_names()));
        let (outer, inner) = (definition.label(0).values, definition.label(1).values);
        Self { vec, outer, inner, begun: HashMap::default() }
    }
}

/// Number of numbers with a series of their own.
pub const NUMBERS: usize = 32;

/// Counters by a number that is not known beforehand. The first [`NUMBERS`] that are counted have a series of their
/// own, the others are `other` together. So existing series keep their meaning; if numbers are counted very unequally,
/// as those of page templates are, the most frequent ones come early.
#[derive(Debug, Clone)]
pub struct CounterByNumber {
    vec: Option<IntCounterVec>,
    numbered: Arc<[OnceLock<(u32, Counter)>; NUMBERS]>,
    named: Children<Counter>,
}

impl CounterByNumber {
    /// Returns the counter of this number.
    pub fn by(&self, number: u32) -> &Counter {
        let child = || (number, Counter(self.vec.as_ref().map(|vec| vec.with_label_values(&[&number.to_string()]))));
        let places = self.numbered.iter().map(|place| place.get_or_init(child));
        places.into_iter().find(|(taken, _)| *taken == number).map_or(&self.named.other, |(_, counter)| counter)
    }

    /// Returns the counter with a name instead of a number.
    pub fn named(&self, name: &str) -> &Counter {
        self.named.get(name)
    }
}

impl Instrument for CounterByNumber {
    const KIND: Kind = Kind::Counter;

    fn make(definition: &Definition, registry: Option<&Registry>) -> Self {
        let vec = enter(registry, || IntCounterVec::new(definition.opts(), &definition.label_names()));
        let child = |value| Counter(vec.as_ref().map(|vec| vec.with_label_values(&[value])));
        let named = Children::make(definition.label(0), child);
        Self { named, vec, numbered: Arc::new([const { OnceLock::new() }; NUMBERS]) }
    }
}

/// Constants of a process, as label values of a series that is 1.
#[derive(Debug, Clone)]
pub struct Info {
    vec: Option<IntGaugeVec>,
    labels: &'static [Label],
}

impl Info {
    /// Sets the values, one for each label in their order, and replaces the values before.
    pub fn set(&self, values: &[&str]) {
        let Some(vec) = &self.vec else { return };
        let known = |(label, value): (&Label, _)| if label.values.contains(&value) { value } else { OTHER };
        let values: Vec<&str> = self.labels.iter().zip(values.iter().copied()).map(known).collect();
        vec.reset();
        vec.with_label_values(&values).set(1);
    }
}

impl Instrument for Info {
    const KIND: Kind = Kind::Gauge;

    fn make(definition: &Definition, registry: Option<&Registry>) -> Self {
        let vec = enter(registry, || IntGaugeVec::new(definition.opts(), &definition.label_names()));
        let info = Self { vec, labels: definition.labels };
        info.set(&vec![OTHER; definition.labels.len()]);
        info
    }
}
