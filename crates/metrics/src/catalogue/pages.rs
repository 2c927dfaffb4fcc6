//! The work on a page: parser, classifier, link filter, dedup, rendering in a browser; and the policy with its
//! learning.

use super::*;
use crate::instrument::{CounterByNumber, CounterByPair, Gauge, GaugeBy, Histogram, Ratio, SecondsCounter};

group! {
    /// The workers: threads that take a fetched page through parser, classifier, filter, dedup and the encoder of the
    /// archive.
    pub struct WorkerMetrics {
        /// Number of workers.
        threads: Gauge = "harvestman_worker_threads";
        /// Fetched pages that wait for a worker. Near `frontier.in_flight_max` the processor is the bottleneck of the
        /// crawl.
        queue_length: Gauge = "harvestman_worker_queue_length";
        /// Time that all workers together spent on pages. The maximum is one second per second and worker.
        busy_seconds: SecondsCounter = "harvestman_worker_busy_seconds_total";
        /// Time that all workers together waited for the archive to accept their output. A fast rise means that the
        /// disk is too slow.
        waiting_seconds: SecondsCounter = "harvestman_worker_waiting_seconds_total";
        /// Statements of sites and pages about the use of their content, by kind and by what was done because of them.
        /// Each counts once for each page that it is about.
        statements: CounterByPair = "harvestman_worker_statements_total" by "signal" in SIGNALS, "effect" in SIGNAL_EFFECTS;
    }
}

impl WorkerMetrics {
    /// Creates the series of all statements and what is done because of them.
    pub(crate) fn begin(&mut self) {
        for signal in labels::SIGNALS {
            self.statements.begin(signal, labels::SIGNAL_EFFECTS.iter().copied());
        }
    }
}

group! {
    /// The parser.
    pub struct ParseMetrics stage "parse" {
        received: "Pages passed to the parser.",
        sent: "Pages whose links and text were extracted.",
        dropped by PARSE_REFUSALS: "Pages that were not parsed, by reason. `panic` is a bug in the parser, which costs only the page's links: please report it. `coding`: nothing of the body could be decoded; the page fails with `content_coding`."
    } {
        /// Time that all workers together spent decoding and parsing pages.
        busy_seconds: SecondsCounter = "harvestman_parse_busy_seconds_total";
        /// Bytes parsed, after decompression.
        parsed_bytes: Counter = "harvestman_parse_parsed_bytes_total";
        /// Answers that a server sent in place of what was asked for, by what they are: `suspect` (judged again after
        /// others), `soft_404`, `block_page` (the host pauses; many mean that the site does not want the crawl),
        /// `guest_view` (the session of a log-in was lost).
        substitutes: CounterBy = "harvestman_parse_substitute_pages_total" by "kind" in SUBSTITUTES;
        /// Pages of which only a part could be read: longer than a limit, with a broken or unknown coding, or with
        /// posts that take too long to find (`effort`), as on pages made for that.
        cut: CounterBy = "harvestman_parse_cut_pages_total" by "reason" in CUTS;
    }
}

group! {
    /// The classifier: which cluster a page belongs to, that is, which template it was made from.
    pub struct ClassifyMetrics stage "classify" {
        received: "Pages passed to the classifier.",
        sent: "Pages of a cluster that the policy knows.",
        dropped by CLASSIFY_REFUSALS: "Pages of no known cluster, by reason: all pages before the first model update and with policies that learn no clusters; many of them later mean that the site has changed."
    } {
        /// Time that all workers together spent on finding clusters.
        busy_seconds: SecondsCounter = "harvestman_classify_busy_seconds_total";
        /// Pages by cluster, as numbered in the policy log and by `harvestman explain`. The first 32 clusters with
        /// pages have a series of their own, all others are `other`; `unknown` are pages of no cluster.
        pages: CounterByNumber = "harvestman_classify_pages_total" by "cluster" in CLUSTERS;
    }
}

group! {
    /// Scope and the policy's filter. The order of filter and dedup is a setting (`filter.order`), which
    /// `harvestman_crawl_info` shows.
    pub struct FilterMetrics stage "filter" {
        received: "Links passed to the filter.",
        sent: "Links in scope and wanted.",
        dropped by REFUSALS: "Links that the filter refuses, by reason: out of scope, not wanted by the policy, nofollow, too deep."
    } {
        /// Links whose way through the filter was timed: all of one page in 64.
        timed_links: Counter = "harvestman_filter_timed_links_total";
        /// Time that those links took in scope and filter, in seconds; divided by their number it is the time per link.
        timed_seconds: SecondsCounter = "harvestman_filter_timed_seconds_total";
    }
}

group! {
    /// The set of URLs seen.
    pub struct DedupMetrics stage "dedup" {
        received: "URLs that were looked up in the set.",
        sent: "URLs that were new.",
        dropped by DEDUP_REFUSALS: "URLs that were known, by reason."
    } {
        /// URLs whose look-up was timed: all of one page in 64.
        timed_links: Counter = "harvestman_dedup_timed_links_total";
        /// Time that those took in the set of URLs seen, in seconds; divided by their number it is the time per URL.
        timed_seconds: SecondsCounter = "harvestman_dedup_timed_seconds_total";
        /// URLs in the set.
        entries: Gauge = "harvestman_dedup_entries";
        /// Memory of the set in bytes.
        memory_bytes: Gauge = "harvestman_dedup_memory_bytes";
        /// Bytes of the set's files; 0 while the set fits into `dedup.memory`.
        disk_bytes: Gauge = "harvestman_dedup_disk_bytes";
        /// Share of the Bloom filter's bits that are set, as expected from its number of URLs; 0 if there is no filter.
        /// Near 0.5 it is full and grows by another layer, which costs time and memory: plan for more URLs with
        /// `dedup.planned`.
        bloom_fill: Ratio = "harvestman_dedup_bloom_fill_ratio";
        /// Share of new URLs that the Bloom filter would now take for known ones. Above `dedup.false_positives` there
        /// are more URLs than planned.
        bloom_error: Ratio = "harvestman_dedup_bloom_false_positive_ratio";
        /// New URLs that the Bloom filter took for known ones: counted if an exact set confirms them, otherwise
        /// estimated by a sample.
        false_positives: Gauge = "harvestman_dedup_false_positives";
        /// New URLs that the Bloom filter is expected to have taken for known ones, from its fill.
        expected_false_positives: Gauge = "harvestman_dedup_false_positives_expected";
        /// New URLs that were dropped as known ones: none, except with `dedup.store` = `bloom-only`, where these are
        /// the false positives.
        wrongly_dropped: Gauge = "harvestman_dedup_wrongly_dropped_urls";
        /// The same, as expected from the fill of the Bloom filter.
        expected_wrongly_dropped: Gauge = "harvestman_dedup_wrongly_dropped_expected_urls";
    }
}

group! {
    /// The policy, if it learns: its observations, its model, the snapshots that it publishes.
    pub struct PolicyMetrics {
        /// Ended fetches that the policy observed.
        observations: Counter = "harvestman_policy_observations_total";
        /// Ended fetches that the policy did not observe because it was behind. A policy that knows the site leaves out
        /// fetches rather than hold up the crawl.
        skipped: Counter = "harvestman_policy_skipped_observations_total";
        /// Observed pages whose text was not read because the policy knows what pages of their class are worth.
        unread: Counter = "harvestman_policy_unread_pages_total";
        /// Ended fetches that wait to be observed by the policy. At `frontier.in_flight_max` the workers wait for it.
        queue_length: Gauge = "harvestman_policy_queue_length";
        /// Time that all workers together waited because the policy was behind.
        waiting_seconds: SecondsCounter = "harvestman_policy_waiting_seconds_total";
        /// Time that the policy spent learning, including model updates. It is one thread: near one second per second
        /// it is the bottleneck of the crawl.
        busy_seconds: SecondsCounter = "harvestman_policy_busy_seconds_total";
        /// Snapshots published.
        snapshots: Counter = "harvestman_policy_snapshots_total";
        /// Version of the current snapshot, which decisions refer to in the page log.
        version: Gauge = "harvestman_policy_snapshot_version";
        /// Generation of the current snapshot, which increases when link classes change their meaning.
        generation: Gauge = "harvestman_policy_snapshot_generation";
        /// Time at which the current snapshot was published, in seconds since the epoch; 0 before the first. If it is
        /// old while pages are fetched, the policy learns nothing new any more.
        published: Gauge = "harvestman_policy_snapshot_timestamp_seconds";
        /// Model updates: times that the site's templates were learned from scratch.
        model_updates: Counter = "harvestman_policy_model_updates_total";
        /// Model updates that were due because the site's pages had changed. More than a few mean that a site changes
        /// all the time, or that its templates do not distinguish its pages.
        drifts: Counter = "harvestman_policy_drifts_total";
        /// Time spent on model updates.
        model_update_seconds: SecondsCounter = "harvestman_policy_model_update_seconds_total";
        /// Clusters of pages, made from one template each, that the policy knows.
        clusters: Gauge = "harvestman_policy_clusters";
        /// Pages that were wanted and new when they came, with policies that tell pages apart: content, pages like the
        /// example, accepted pages, items of the topic. The share of all fetched pages is what the crawl is paid for
        /// its requests.
        wanted_pages: Gauge = "harvestman_policy_wanted_pages";
        /// Pages that the policy took for repetitions of others. A large share of all pages is wasted work.
        duplicates: Counter = "harvestman_policy_duplicates_total";
        /// Addresses without links to them that the policy has proposed.
        proposals: Counter = "harvestman_policy_proposals_total";
        /// Queries that were sent to searches; on each node of a fleet, those of all nodes.
        queries: Counter = "harvestman_policy_queries_total";
        /// Sites that searches found and that were added to the crawl; on each node of a fleet, those of all nodes.
        found_sites: Counter = "harvestman_policy_found_sites_total";
        /// Targets (clusters, URL forms) banned by command.
        banned: Gauge = "harvestman_policy_banned_targets";
        /// Targets (clusters, URL forms) put first by command.
        pinned: Gauge = "harvestman_policy_pinned_targets";
        /// URL forms whose links wait until no others do, because their pages bring nothing.
        forms_last: Gauge = "harvestman_policy_forms_put_last";
        /// URL forms whose links are refused, because they grow without bringing anything new: traps.
        forms_refused: Gauge = "harvestman_policy_forms_refused";
        /// Panics of the policy, which are bugs: please report them. The crawl continues with the last snapshot.
        panics: Counter = "harvestman_policy_panics_total";
    }
}

/// Bounds for the time of a render: from a static page to one with many polite requests.
const RENDER_SECONDS: &[f64] = &[0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0, 300.0];

group! {
    /// Rendering of pages in a browser.
    pub struct RenderMetrics {
        /// Pages that were rendered, by what it brought: links or text that the plain page lacks and no rendered page
        /// had before, nothing, something unknown because requests of the page were not allowed or failed (`impaired`),
        /// or a failure; and pages that plain requests completed in place of a browser (`replayed`).
        pages: CounterBy = "harvestman_render_pages_total" by "outcome" in RENDER_OUTCOMES;
        /// Clicks on rendered pages, by what came of the element's path on that page: content (`gain`), ways to other
        /// pages (`navigation`), or nothing.
        clicks: CounterBy = "harvestman_render_clicks_total" by "outcome" in RENDER_CLICKS;
        /// Links that only the rendered pages have.
        gained_links: Counter = "harvestman_render_gained_links_total";
        /// Requests of rendered pages, answered or refused for this reason.
        requests: CounterBy = "harvestman_render_requests_total" by "outcome" in RENDER_REQUESTS;
        /// Time of a render in seconds, waits for answers included.
        seconds: Histogram = "harvestman_render_duration_seconds" buckets RENDER_SECONDS;
        /// Classes of pages of which some were rendered, by what is known of their need; `replayed`: plain requests
        /// complete their pages.
        classes: GaugeBy = "harvestman_render_classes" by "need" in RENDER_NEEDS;
    }
}
