//! What a node of a fleet does with the others.

use super::super::instrument::{CounterByPair, Gauge, GaugeBy, Histogram, HistogramBy, Seconds, SecondsCounter};
use super::*;

/// Bounds for calls to the bus: from a server on the same machine to the longest that anybody waits for one.
const CALL_SECONDS: &[f64] = &[0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0];

/// Bounds for what takes many calls: taking partitions, letting them go, a checkpoint.
const STEP_SECONDS: &[f64] = &[0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0, 300.0];

group! {
    /// A node of a fleet. Only a node has these, and there all metrics have the label `node`, its name.
    pub struct FleetMetrics {
        /// Nodes, as this one sees them; `silent` are those that have not renewed their lease for two and a half times `fleet.renew`.
        nodes: GaugeBy = "harvestman_fleet_nodes" by "state" in NODE_STATES;
        /// 1 while this node leads. Each node says so of itself: for some seconds there may be two, or none.
        leads: Gauge = "harvestman_fleet_leads";
        /// Partitions of this node: `held`, those of them that have `caught_up` with what they had missed, and what is `to_take` of others.
        partitions: GaugeBy = "harvestman_fleet_partitions" by "state" in HOLDINGS;
        /// Partitions that no living node holds, as this one sees it. While it is not 0, their hosts are not crawled.
        unheld: Gauge = "harvestman_fleet_unheld_partitions";
        /// Partitions taken, by where they were before: `new` ones nowhere, `handed_over` by a node that let them go, `dead`: by one that was evicted.
        taken: CounterBy = "harvestman_fleet_taken_partitions_total" by "from" in WHENCES;
        /// How long it took to take partitions, as many as at once, by where they were: from reading what is known of them to fetching.
        take_seconds: HistogramBy = "harvestman_fleet_take_seconds" by "from" in WHENCES buckets STEP_SECONDS;
        /// Partitions let go.
        released: Counter = "harvestman_fleet_released_partitions_total";
        /// How long it took to let partitions go, as many as at once: until nothing of them was under way and their keys said so.
        release_seconds: Histogram = "harvestman_fleet_release_seconds" buckets STEP_SECONDS;
        /// Sessions of other nodes that this one found dead and evicted.
        evictions: Counter = "harvestman_fleet_evictions_total";

        /// Seconds until this node must stop fetching, unless its lease is renewed. Right after a renewal it is four fifths of `fleet.lease`.
        lease_margin: Seconds = "harvestman_fleet_lease_margin_seconds";
        /// What the margin is right after a renewal.
        lease: Seconds = "harvestman_fleet_lease_seconds";
        /// Sessions of this node that others took for dead. It begins again with nothing.
        sessions_lost: Counter = "harvestman_fleet_lost_sessions_total";

        /// Messages of the exchange that this node has yet to log, over the shards of its partitions. Asked for every few seconds.
        behind: Gauge = "harvestman_fleet_behind_messages";
        /// Links of other nodes' hosts, by what was done: `sent`, or `held_back` because the same was sent lately.
        foreign: CounterBy = "harvestman_fleet_foreign_links_total" by "done" in FOREIGN_LINKS;
        /// Links that came from other nodes, by what they were here; `elsewhere`: of hosts that this node does not hold, on the same shard.
        arrived: CounterBy = "harvestman_fleet_arrived_links_total" by "what" in ARRIVED_LINKS;
        /// Batches of links, published and read. What was missed is read again after partitions were taken.
        batches: CounterBy = "harvestman_fleet_batches_total" by "way" in WAYS;
        /// Bytes of batches of links, compressed, published and read.
        batch_bytes: CounterBy = "harvestman_fleet_batch_bytes_total" by "way" in WAYS;

        /// Fetches of this node that the policy was never shown: the bus was away, or full, for so long that there was no more room for them.
        dropped_observations: Counter = "harvestman_fleet_dropped_observations_total";

        /// Messages of this node's log that the bus has: what became of pages, and what was found.
        log_entries: Counter = "harvestman_fleet_log_entries_total";
        /// Their bytes, compressed.
        log_bytes: Counter = "harvestman_fleet_log_bytes_total";
        /// Checkpoints: a part of what is known was made of the log, and the log cut behind it.
        checkpoints: Counter = "harvestman_fleet_checkpoints_total";
        /// Bytes of parts written: by checkpoints, of what was taken, of several parts made one.
        checkpoint_bytes: Counter = "harvestman_fleet_checkpoint_bytes_total";
        /// How long a checkpoint took. Long ones delay the taking of partitions.
        checkpoint_seconds: Histogram = "harvestman_fleet_checkpoint_seconds" buckets STEP_SECONDS;

        /// Calls to the bus, by what they are about and what came of them; `abandoned` ones took too long, or nobody wanted the answer any more.
        /// Conflicts are ordinary: somebody else was first.
        calls: CounterByPair = "harvestman_fleet_bus_calls_total" by "call" in BUS_CALLS, "outcome" in BUS_OUTCOMES;
        /// How long calls to the bus took, however they ended. An append is acknowledged when it is replicated.
        call_seconds: HistogramBy = "harvestman_fleet_bus_call_seconds" by "call" in BUS_CALLS buckets CALL_SECONDS;
        /// Pauses before a call was repeated.
        repeats: Counter = "harvestman_fleet_bus_repeats_total";
        /// 1 while the bus answers: 0 from a call on that had no answer until one that has.
        reachable: Gauge = "harvestman_fleet_bus_reachable";
        /// Time without an answer of the bus. The crawl goes on for as long as the lease lasts, then it waits.
        away_seconds: SecondsCounter = "harvestman_fleet_bus_away_seconds_total";
        /// Messages between this node and the bus, by what they are about and which way they went: `published` to be kept, `asked`, `received`.
        messages: CounterByPair = "harvestman_fleet_bus_messages_total" by "about" in TRAFFIC, "way" in TRAFFIC_WAYS;
        /// Bytes of these messages, with subjects and headers, without what the protocol puts around them.
        message_bytes: CounterByPair = "harvestman_fleet_bus_bytes_total" by "about" in TRAFFIC, "way" in TRAFFIC_WAYS;
    }
}

impl FleetMetrics {
    /// Metrics that count nothing.
    pub fn off() -> Self {
        Self::make(None)
    }

    /// Has the series of pairs be there from the start.
    pub(crate) fn begin(&mut self) {
        for call in labels::BUS_CALLS {
            self.calls.begin(call, labels::BUS_OUTCOMES.iter().copied());
        }
        for about in labels::TRAFFIC {
            self.messages.begin(about, labels::TRAFFIC_WAYS.iter().copied());
            self.message_bytes.begin(about, labels::TRAFFIC_WAYS.iter().copied());
        }
        // Until a call says otherwise: the node has just connected.
        self.reachable.set(1);
    }

    /// Returns what a session held or did is over: nothing is shown of it that no longer holds.
    pub fn rest(&self) {
        for gauge in [&self.leads, &self.behind, self.partitions.by("held"), self.partitions.by("caught_up")] {
            gauge.set(0);
        }
        self.partitions.by("to_take").set(0);
        self.lease_margin.set(std::time::Duration::ZERO);
    }
}
