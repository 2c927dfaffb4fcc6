//! The policy and its learning.

use super::super::instrument::{Gauge, SecondsCounter};
use super::*;

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
