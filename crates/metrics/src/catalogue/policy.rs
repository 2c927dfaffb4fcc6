//! What a crawl wants, and how it learns that.

use super::super::instrument::{Gauge, SecondsCounter};
use super::*;

group! {
    /// The policy, where it learns: what it is shown, what it finds out, the snapshots that it publishes.
    pub struct PolicyMetrics {
        /// Ended fetches that the policy was shown.
        observations: Counter = "harvestman_policy_observations_total";
        /// Ended fetches that wait to be shown to the policy. At `frontier.in_flight_max` the workers wait for it.
        queue_length: Gauge = "harvestman_policy_queue_length";
        /// Time that workers waited because the policy was behind, over all workers.
        waiting_seconds: SecondsCounter = "harvestman_policy_waiting_seconds_total";
        /// Time that the policy spent learning, lessons included. It is one thread: near one second a second it is what bounds the crawl.
        busy_seconds: SecondsCounter = "harvestman_policy_busy_seconds_total";
        /// Snapshots published.
        snapshots: Counter = "harvestman_policy_snapshots_total";
        /// Version of the snapshot that holds, which decisions name in the page log.
        version: Gauge = "harvestman_policy_snapshot_version";
        /// Generation of the snapshot that holds: how often link classes have changed their meaning.
        generation: Gauge = "harvestman_policy_snapshot_generation";
        /// When the snapshot that holds was published, in seconds since the epoch; 0 before the first. Old while pages are fetched, it
        /// means that the policy learns nothing new any more.
        published: Gauge = "harvestman_policy_snapshot_timestamp_seconds";
        /// Times that the site's templates were learnt anew.
        lessons: Counter = "harvestman_policy_lessons_total";
        /// Lessons that were due because the site's pages had changed. More than a few mean that a site changes all the time, or that its
        /// pages cannot be told apart by their templates.
        drifts: Counter = "harvestman_policy_drifts_total";
        /// Time that lessons took.
        lesson_seconds: SecondsCounter = "harvestman_policy_lesson_seconds_total";
        /// Clusters of pages, made by one template each, that the policy knows.
        clusters: Gauge = "harvestman_policy_clusters";
        /// Pages that the policy took for repetitions of others. A large share of all pages is work for nothing.
        duplicates: Counter = "harvestman_policy_duplicates_total";
        /// Addresses that no page links to and that the policy has proposed.
        proposals: Counter = "harvestman_policy_proposals_total";
        /// Targets (clusters, forms of URLs) that somebody has banned.
        banned: Gauge = "harvestman_policy_banned_targets";
        /// Targets (clusters, forms of URLs) that somebody has put first.
        pinned: Gauge = "harvestman_policy_pinned_targets";
        /// Forms of address whose links wait until no others do, because their pages bring nothing.
        forms_last: Gauge = "harvestman_policy_forms_put_last";
        /// Forms of address whose links are refused, because they grow without bringing anything new: traps.
        forms_refused: Gauge = "harvestman_policy_forms_refused";
        /// Times that the policy panicked, which is a fault: please report it. The crawl goes on by the last snapshot.
        panics: Counter = "harvestman_policy_panics_total";
    }
}
