//! Every metric, once: its name, kind, unit, labels and what it says.
//!
//! Names are `harvestman_<stage>_<what>_<unit>[_total]` in base units (seconds, bytes, ratios). Seven stages share the same
//! five questions ([`StageMetrics`]): what came in, what went on, what was dropped and why, how long it worked and waited, how
//! long its queue is.

use prometheus::Registry;

use super::instrument::{
    Counter, CounterBy, CounterByPair, Definition, Gauge, Histogram, HistogramBy, Instrument, Kind, Label, Ratio,
    RatioBy, SecondsCounter,
};
use super::labels;
use crate::page::Fate;

/// Bounds for durations of requests: from a fast local server to the longest time-out.
const REQUEST_SECONDS: &[f64] = &[0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0, 120.0];

/// Bounds for waits that politeness asks for: from none to the longest crawl-delay and back-off.
const WAIT_SECONDS: &[f64] = &[0.01, 0.1, 0.25, 0.5, 1.0, 2.0, 5.0, 10.0, 30.0, 60.0, 300.0, 1800.0];

/// What every stage is asked.
#[derive(Debug, Clone)]
pub struct StageMetrics {
    /// What came in.
    pub received: Counter,
    /// What went on to the next stage.
    pub sent: Counter,
    /// What ended here, by reason.
    pub dropped: CounterBy,
    /// Time spent working, over all workers.
    pub busy_seconds: SecondsCounter,
    /// Time spent waiting for the next stage to take what was ready, over all workers.
    pub waiting_seconds: SecondsCounter,
    /// What waits in the stage's input queue.
    pub queue_length: Gauge,
}

impl StageMetrics {
    fn register(definitions: &[Definition; 6], registry: &Registry) -> Self {
        let [received, sent, dropped, busy, waiting, queue] = definitions;
        Self {
            received: Counter::register(received, registry),
            sent: Counter::register(sent, registry),
            dropped: CounterBy::register(dropped, registry),
            busy_seconds: SecondsCounter::register(busy, registry),
            waiting_seconds: SecondsCounter::register(waiting, registry),
            queue_length: Gauge::register(queue, registry),
        }
    }
}

const fn plain(name: &'static str, kind: Kind, help: &'static str) -> Definition {
    Definition { name, kind, help, labels: &[], buckets: &[] }
}

macro_rules! stage_definitions {
    ($stage:literal, $received:literal, $sent:literal, $reasons:expr) => {
        [
            plain(concat!("harvestman_", $stage, "_received_total"), Kind::Counter, $received),
            plain(concat!("harvestman_", $stage, "_sent_total"), Kind::Counter, $sent),
            Definition {
                labels: &[Label { name: "reason", values: $reasons }],
                ..plain(
                    concat!("harvestman_", $stage, "_dropped_total"),
                    Kind::Counter,
                    concat!("What ended in the ", $stage, " stage without going on, by reason."),
                )
            },
            plain(
                concat!("harvestman_", $stage, "_busy_seconds_total"),
                Kind::Counter,
                concat!("Time that the ", $stage, " stage spent working, over all its workers."),
            ),
            plain(
                concat!("harvestman_", $stage, "_waiting_seconds_total"),
                Kind::Counter,
                concat!("Time that the ", $stage, " stage waited for the next stage to take what was ready."),
            ),
            plain(
                concat!("harvestman_", $stage, "_queue_length"),
                Kind::Gauge,
                concat!("What waits in the input queue of the ", $stage, " stage."),
            ),
        ]
    };
}

/// Declares a group of metrics: the struct that counts and the definitions that the reference is made of. The doc comment of a
/// field is the metric's help.
macro_rules! group {
    (
        $(#[doc = $about:literal])+
        pub struct $name:ident $( stage $stage:literal { received: $received:literal, sent: $sent:literal, dropped by $reasons:ident } )? {
            $(
                #[doc = $help:literal]
                $field:ident: $type:ident = $metric:literal
                    $( by $( $label:literal in $values:ident ),+ )? $( buckets $buckets:ident )? ;
            )*
        }
    ) => {
        $(#[doc = $about])+
        #[derive(Debug, Clone)]
        pub struct $name {
            $(
                #[doc = concat!("What every stage is asked, here of `", $stage, "`.")]
                pub stage: StageMetrics,
            )?
            $( #[doc = $help] pub $field: $type, )*
        }

        impl $name {
            pub(super) const fn about() -> &'static [&'static str] {
                &[$($about),+]
            }

            /// The group's metrics, in the order of the reference.
            pub(super) fn definitions() -> Vec<Definition> {
                let stage: &[Definition] = &group!(@stage $( $stage, $received, $sent, $reasons )?);
                let own: &[Definition] = &[
                    $( group!(@definition $help, $type, $metric, [$( $( $label in $values ),+ )?], [$( $buckets )?]), )*
                ];
                [stage, own].concat()
            }

            /// Makes the group's metrics in `registry`.
            pub(super) fn register(registry: &Registry) -> Self {
                Self {
                    $( stage: StageMetrics::register(
                        &stage_definitions!($stage, $received, $sent, labels::$reasons),
                        registry,
                    ), )?
                    $( $field: <$type as Instrument>::register(
                        &group!(@definition $help, $type, $metric, [$( $( $label in $values ),+ )?], [$( $buckets )?]),
                        registry,
                    ), )*
                }
            }
        }
    };
    (@stage) => { [] };
    (@stage $stage:literal, $received:literal, $sent:literal, $reasons:ident) => {
        stage_definitions!($stage, $received, $sent, labels::$reasons)
    };
    (@definition $help:literal, $type:ident, $metric:literal, [$( $labels:tt )*], [$( $buckets:ident )?]) => {
        Definition {
            name: $metric,
            kind: <$type as Instrument>::KIND,
            help: $help.trim_ascii(),
            labels: group!(@labels $( $labels )*),
            buckets: group!(@buckets $( $buckets )?),
        }
    };
    (@labels) => { &[] };
    (@labels $( $label:literal in $values:ident ),+) => { &[$( Label { name: $label, values: labels::$values } ),+] };
    (@buckets) => { &[] };
    (@buckets $buckets:ident) => { $buckets };
}

group! {
    /// The crawl as a whole.
    pub struct CrawlMetrics {
        /// Links discovered, seeds included; the sum of all fates and of what the frontier holds.
        discovered: Counter = "harvestman_crawl_discovered_total";
        /// Links whose fate is decided, by fate and reason; what is still queued is not among them.
        fates: CounterByPair = "harvestman_crawl_fates_total" by "fate" in FATES, "reason" in FATE_REASONS;
        /// Pages fetched with success.
        pages: Counter = "harvestman_crawl_pages_total";
        /// Share of a budget that is left; 1 where there is no such budget.
        budget_remaining: RatioBy = "harvestman_crawl_budget_remaining_ratio" by "budget" in BUDGETS;
    }
}

impl CrawlMetrics {
    /// Counts `count` links of one fate.
    pub fn count_fate(&self, fate: Fate, count: u64) {
        self.fates.by(fate.name(), fate.reason().unwrap_or_default()).add(count);
        if fate == Fate::Fetched {
            self.pages.add(count);
        }
    }
}

group! {
    /// The frontier: URLs that wait for their fetch.
    pub struct FrontierMetrics stage "frontier" {
        received: "URLs offered to the frontier.",
        sent: "URLs leased to hosts.",
        dropped by FRONTIER_REFUSALS
    } {
        /// URLs that wait.
        queued: Gauge = "harvestman_frontier_queued_urls";
        /// URLs handed out whose outcome is not recorded yet.
        leased: Gauge = "harvestman_frontier_leased_urls";
        /// URLs put into the frontier, those that returned for another try included.
        pushed: Counter = "harvestman_frontier_pushed_urls_total";
        /// URLs taken out of the frontier.
        popped: Counter = "harvestman_frontier_popped_urls_total";
        /// Link classes that have URLs waiting.
        classes: Gauge = "harvestman_frontier_link_classes";
        /// What the policy expected of the URLs that were handed out lately: the moving mean of their scores, 1 where it is more.
        expected_worth: Ratio = "harvestman_frontier_expected_worth_ratio";
        /// Share of the next requests expected to bring a page that is wanted and new, where the policy estimates it.
        expected_yield: Ratio = "harvestman_frontier_expected_yield_ratio";
    }
}

group! {
    /// Hosts: politeness, robots.txt, back-off.
    pub struct HostMetrics stage "host" {
        received: "URLs leased to hosts.",
        sent: "Requests that were allowed to go out.",
        dropped by HOST_REFUSALS
    } {
        /// How long a host was left alone before a request.
        politeness_wait: Histogram = "harvestman_host_politeness_wait_seconds" buckets WAIT_SECONDS;
        /// Answers of robots.txt about URLs.
        robots_decisions: CounterBy = "harvestman_host_robots_decisions_total" by "decision" in ROBOTS_DECISIONS;
        /// Fetches of robots.txt, by what came of them.
        robots_fetches: CounterBy = "harvestman_host_robots_fetches_total" by "result" in ROBOTS_RESULTS;
        /// Times that a host was left alone longer than its delay, by cause.
        backoffs: CounterBy = "harvestman_host_backoffs_total" by "cause" in BACKOFF_CAUSES;
        /// URLs that were given another try.
        retries: Counter = "harvestman_host_retries_total";
        /// Times that a host was given up for a while after too many failures in a row.
        breaker_openings: Counter = "harvestman_host_breaker_openings_total";
        /// Hosts that have work now.
        awake: Gauge = "harvestman_host_awake_hosts";
        /// Hosts met so far.
        known: Gauge = "harvestman_host_known_hosts";
    }
}

group! {
    /// Requests.
    pub struct FetchMetrics stage "fetch" {
        received: "Requests asked for, those for robots.txt included.",
        sent: "Exchanges handed on, with an answer or a failure.",
        dropped by FAILURES
    } {
        /// Duration of requests to the first byte of the answer and to its end.
        duration: HistogramBy = "harvestman_fetch_duration_seconds" by "phase" in PHASES buckets REQUEST_SECONDS;
        /// Bytes of response bodies, as they came over the wire.
        received_bytes: Counter = "harvestman_fetch_received_bytes_total";
        /// Answers by class of status and by status.
        responses: CounterByPair = "harvestman_fetch_responses_total" by "class" in STATUS_CLASSES, "status" in STATUSES;
        /// Requests that failed, each try counted, by reason.
        failures: CounterBy = "harvestman_fetch_failures_total" by "reason" in FAILURES;
        /// Requests under way.
        in_flight: Gauge = "harvestman_fetch_in_flight_requests";
    }
}

impl FetchMetrics {
    /// Counts an answer's status.
    pub fn count_status(&self, status: u16) {
        let class = match status / 100 {
            1 => "1xx",
            2 => "2xx",
            3 => "3xx",
            4 => "4xx",
            5 => "5xx",
            _ => super::instrument::OTHER,
        };
        self.responses.by(class, &status.to_string()).inc();
    }
}

group! {
    /// The parser.
    pub struct ParseMetrics stage "parse" {
        received: "Pages handed to the parser.",
        sent: "Pages parsed.",
        dropped by PARSE_REFUSALS
    } {
        /// Bytes parsed, after decompression.
        parsed_bytes: Counter = "harvestman_parse_parsed_bytes_total";
        /// Links found on pages.
        links: Counter = "harvestman_parse_links_total";
        /// Pages parsed, by the charset they were read in.
        pages: CounterBy = "harvestman_parse_pages_total" by "charset" in CHARSETS;
        /// Pages that made the parser panic; each is contained and costs only that page's links.
        panics: Counter = "harvestman_parse_panics_total";
    }
}

group! {
    /// Scope and the policy's filter; what was refused is `dropped`.
    pub struct FilterMetrics stage "filter" {
        received: "Links handed to the filter.",
        sent: "Links in scope and wanted.",
        dropped by REFUSALS
    } {}
}

group! {
    /// The set of URLs seen.
    pub struct DedupMetrics stage "dedup" {
        received: "URLs looked up.",
        sent: "URLs that were new.",
        dropped by DEDUP_REFUSALS
    } {
        /// Look-ups that found the URL.
        hits: Counter = "harvestman_dedup_hits_total";
        /// Look-ups that did not find the URL.
        misses: Counter = "harvestman_dedup_misses_total";
        /// URLs in the set.
        entries: Gauge = "harvestman_dedup_entries";
        /// Memory of the set.
        memory_bytes: Gauge = "harvestman_dedup_memory_bytes";
        /// Files of the set.
        disk_bytes: Gauge = "harvestman_dedup_disk_bytes";
        /// New URLs that the Bloom filter took for known ones: counted where an exact set stands behind it, estimated by a sample where not.
        false_positives: Gauge = "harvestman_dedup_false_positives";
        /// New URLs that the Bloom filter is expected to have taken for known ones, by how full it is.
        expected_false_positives: Gauge = "harvestman_dedup_false_positives_expected";
        /// New URLs that were dropped as known ones: none, but with `dedup.store` = `bloom-only` the false positives.
        wrongly_dropped: Gauge = "harvestman_dedup_wrongly_dropped_urls";
        /// The same, as it is expected by how full the Bloom filter is.
        expected_wrongly_dropped: Gauge = "harvestman_dedup_wrongly_dropped_expected_urls";
    }
}

group! {
    /// The policy, where it learns: what it is shown, what it finds out, the snapshots that it publishes.
    pub struct PolicyMetrics {
        /// Ended fetches that the policy was shown.
        observations: Counter = "harvestman_policy_observations_total";
        /// Ended fetches that wait to be shown to the policy.
        queue_length: Gauge = "harvestman_policy_queue_length";
        /// Time that workers waited because the policy was behind, over all workers.
        waiting_seconds: SecondsCounter = "harvestman_policy_waiting_seconds_total";
        /// Time that the policy spent learning, lessons included.
        busy_seconds: SecondsCounter = "harvestman_policy_busy_seconds_total";
        /// Snapshots published.
        snapshots: Counter = "harvestman_policy_snapshots_total";
        /// Version of the snapshot that holds.
        version: Gauge = "harvestman_policy_snapshot_version";
        /// Generation of the snapshot that holds: how often link classes have changed their meaning.
        generation: Gauge = "harvestman_policy_snapshot_generation";
        /// Times that the site's templates were learnt anew.
        lessons: Counter = "harvestman_policy_lessons_total";
        /// Time that this took.
        lesson_seconds: SecondsCounter = "harvestman_policy_lesson_seconds_total";
        /// Page templates that the policy knows.
        clusters: Gauge = "harvestman_policy_clusters";
        /// Pages that the policy took for repetitions of others.
        duplicates: Counter = "harvestman_policy_duplicates_total";
        /// Forms of address whose links wait until no others do, because their pages bring nothing.
        forms_last: Gauge = "harvestman_policy_forms_put_last";
        /// Forms of address whose links are refused, because they grow without bringing anything new.
        forms_refused: Gauge = "harvestman_policy_forms_refused";
        /// Times that the policy panicked; the crawl then goes on by its last snapshot.
        panics: Counter = "harvestman_policy_panics_total";
    }
}

group! {
    /// WARC files and the page log.
    pub struct ArchiveMetrics stage "archive" {
        received: "Exchanges handed to the archive.",
        sent: "Exchanges on disk.",
        dropped by ARCHIVE_REFUSALS
    } {
        /// Bytes written to WARC files, compressed.
        written_bytes: Counter = "harvestman_archive_written_bytes_total";
        /// WARC records written, by type.
        records: CounterBy = "harvestman_archive_records_total" by "type" in RECORD_TYPES;
        /// WARC files opened.
        files: Counter = "harvestman_archive_files_total";
    }
}

impl ArchiveMetrics {
    /// Counts what was written of one exchange: `records` records in `bytes` bytes, the first a revisit or a response.
    pub fn count(&self, records: u32, revisit: bool, bytes: u64) {
        self.stage.sent.inc();
        self.written_bytes.add(bytes);
        if records > 0 {
            self.records.by(if revisit { "revisit" } else { "response" }).inc();
        }
    }
}

group! {
    /// The state on disk, where it is kept.
    pub struct StateMetrics {
        /// Groups of changes that were committed.
        commits: Counter = "harvestman_state_commits_total";
        /// Pages whose outcome was committed.
        pages: Counter = "harvestman_state_pages_total";
        /// Time of a commit, with the archive forced to the disk before it.
        commit_seconds: Histogram = "harvestman_state_commit_seconds" buckets REQUEST_SECONDS;
        /// Groups that could not be committed; the crawl stops with the first.
        failures: Counter = "harvestman_state_commit_failures_total";
    }
}

/// All groups in the order of the reference: title, what the group is about, its metrics.
pub(super) fn groups() -> Vec<(&'static str, &'static [&'static str], Vec<Definition>)> {
    vec![
        ("Crawl", CrawlMetrics::about(), CrawlMetrics::definitions()),
        ("Frontier", FrontierMetrics::about(), FrontierMetrics::definitions()),
        ("Host", HostMetrics::about(), HostMetrics::definitions()),
        ("Fetch", FetchMetrics::about(), FetchMetrics::definitions()),
        ("Parse", ParseMetrics::about(), ParseMetrics::definitions()),
        ("Filter", FilterMetrics::about(), FilterMetrics::definitions()),
        ("Dedup", DedupMetrics::about(), DedupMetrics::definitions()),
        ("Policy", PolicyMetrics::about(), PolicyMetrics::definitions()),
        ("Archive", ArchiveMetrics::about(), ArchiveMetrics::definitions()),
        ("State", StateMetrics::about(), StateMetrics::definitions()),
    ]
}
