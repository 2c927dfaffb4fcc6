//! The definition of every metric: its name, kind, unit, labels and help text.
//!
//! Names are `harvestman_<stage>_<what>_<unit>[_total]` in base units (seconds, bytes, ratios). Each stage that pages,
//! links or requests pass through counts what it received, what it passed on, and what it dropped and why
//! ([`StageMetrics`]); a stage with workers and a queue of its own also reports its busy and waiting time and the
//! length of its queue.

mod crawl;
mod fleet;
mod hosts;
mod pages;

use prometheus::Registry;

use super::instrument::{Counter, CounterBy, Definition, Instrument, Kind, Label};
use super::labels;
pub use crawl::{ArchiveMetrics, BuildMetrics, CrawlMetrics, FrontierMetrics, RecrawlMetrics, StateMetrics};
pub use fleet::FleetMetrics;
pub use hosts::{FetchMetrics, HostMetrics};
pub use pages::{
    ClassifyMetrics, DedupMetrics, FilterMetrics, ParseMetrics, PolicyMetrics, RenderMetrics, WorkerMetrics,
};

/// Bounds for durations of requests: from a fast local server to the longest timeout.
const REQUEST_SECONDS: &[f64] = &[0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0, 120.0];

/// Bounds for politeness waits: from none to the longest crawl delay and back-off.
const WAIT_SECONDS: &[f64] = &[0.01, 0.1, 0.25, 0.5, 1.0, 2.0, 5.0, 10.0, 30.0, 60.0, 300.0, 1800.0];

/// Bounds for writing to disk and syncing: from a fast disk to a failing one.
const DISK_SECONDS: &[f64] = &[0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 10.0, 60.0];

/// The metrics of every stage. Everything received was sent on, was dropped, or is still in the stage.
#[derive(Debug, Clone)]
pub struct StageMetrics {
    /// Received items.
    pub received: Counter,
    /// Items passed on to the next stage.
    pub sent: Counter,
    /// Items that ended here, by reason.
    pub dropped: CounterBy,
}

impl StageMetrics {
    fn make(definitions: &[Definition; 3], registry: Option<&Registry>) -> Self {
        let [received, sent, dropped] = definitions;
        Self {
            received: Counter::make(received, registry),
            sent: Counter::make(sent, registry),
            dropped: CounterBy::make(dropped, registry),
        }
    }
}

const fn plain(name: &'static str, kind: Kind, help: &'static str) -> Definition {
    Definition { name, kind, help, labels: &[], buckets: &[] }
}

/// The three metrics of a stage.
macro_rules! stage_definitions {
    ($stage:literal, $received:literal, $sent:literal, $reasons:expr, $dropped:literal) => {
        [
            plain(concat!("harvestman_", $stage, "_received_total"), Kind::Counter, $received),
            plain(concat!("harvestman_", $stage, "_sent_total"), Kind::Counter, $sent),
            Definition {
                labels: &[Label { name: "reason", values: $reasons }],
                ..plain(concat!("harvestman_", $stage, "_dropped_total"), Kind::Counter, $dropped)
            },
        ]
    };
}

/// Declares a group of metrics: the struct that counts and the definitions from which the reference is generated. The
/// doc comment of a field is the metric's help.
macro_rules! group {
    (
        $(#[doc = $about:literal])+
        pub struct $name:ident $( stage $stage:literal {
            received: $received:literal, sent: $sent:literal, dropped by $reasons:ident: $dropped:literal
        } )? {
            $(
                $(#[doc = $help:literal])+
                $field:ident: $type:ident = $metric:literal
                    $( by $( $label:literal in $values:ident ),+ )? $( buckets $buckets:ident )? ;
            )*
        }
    ) => {
        $(#[doc = $about])+
        #[derive(Debug, Clone)]
        pub struct $name {
            $(
                #[doc = concat!("The metrics that every stage has, here of `", $stage, "`.")]
                pub stage: StageMetrics,
            )?
            $( $(#[doc = $help])+ pub $field: $type, )*
        }

        impl $name {
            pub(super) const fn about() -> &'static [&'static str] {
                &[$($about),+]
            }

            /// Returns the group's metrics, in the order of the reference.
            pub(super) fn definitions() -> Vec<Definition> {
                let stage: &[Definition] = &group!(@stage $( $stage, $received, $sent, $reasons, $dropped )?);
                let own: &[Definition] = &[
                    $( group!(@definition [$($help),+], $type, $metric, [$( $( $label in $values ),+ )?], [$( $buckets )?]), )*
                ];
                [stage, own].concat()
            }

            /// Creates the group's metrics in `registry`; without one they count nothing.
            pub(crate) fn make(registry: Option<&Registry>) -> Self {
                Self {
                    $( stage: StageMetrics::make(
                        &stage_definitions!($stage, $received, $sent, labels::$reasons, $dropped),
                        registry,
                    ), )?
                    $( $field: <$type as Instrument>::make(
                        &group!(@definition [$($help),+], $type, $metric, [$( $( $label in $values ),+ )?], [$( $buckets )?]),
                        registry,
                    ), )*
                }
            }
        }
    };
    (@stage) => { [] };
    (@stage $stage:literal, $received:literal, $sent:literal, $reasons:ident, $dropped:literal) => {
        stage_definitions!($stage, $received, $sent, labels::$reasons, $dropped)
    };
    (@definition [$($help:literal),+], $type:ident, $metric:literal, [$( $labels:tt )*], [$( $buckets:ident )?]) => {
        Definition {
            name: $metric,
            kind: <$type as Instrument>::KIND,
            help: concat!($($help),+).trim_ascii(),
            labels: group!(@labels $( $labels )*),
            buckets: group!(@buckets $( $buckets )?),
        }
    };
    (@labels) => { &[] };
    (@labels $( $label:literal in $values:ident ),+) => { &[$( Label { name: $label, values: labels::$values } ),+] };
    (@buckets) => { &[] };
    (@buckets $buckets:ident) => { $buckets };
}

use {group, stage_definitions};

/// A group in the reference: title, description, metrics.
type Group = (&'static str, &'static [&'static str], Vec<Definition>);

macro_rules! groups {
    ($($title:literal $group:ident),+ $(,)?) => { vec![$(($title, $group::about(), $group::definitions())),+] };
}

/// Returns all groups in the order of the reference.
pub(super) fn groups() -> Vec<Group> {
    groups![
        "Build" BuildMetrics,
        "Crawl" CrawlMetrics,
        "Frontier" FrontierMetrics,
        "Host" HostMetrics,
        "Fetch" FetchMetrics,
        "Worker" WorkerMetrics,
        "Parse" ParseMetrics,
        "Classify" ClassifyMetrics,
        "Filter" FilterMetrics,
        "Dedup" DedupMetrics,
        "Policy" PolicyMetrics,
        "Archive" ArchiveMetrics,
        "State" StateMetrics,
        "Recrawl" RecrawlMetrics,
        "Render" RenderMetrics,
        "Fleet" FleetMetrics,
    ]
}

/// Returns all metrics of the catalogue, without those of the process.
pub fn definitions() -> impl Iterator<Item = Definition> {
    groups().into_iter().flat_map(|(_, _, definitions)| definitions)
}
