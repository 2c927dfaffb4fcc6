//! The cooperation of a fleet's nodes.

use super::super::instrument::{CounterByPair, Gauge, GaugeBy, Histogram, HistogramBy, Seconds, SecondsCounter};
use super::*;

/// Bounds for calls to the bus: from a server on the same machine to the longest timeout of a call.
const CALL_SECONDS: &[f64] = &[0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0];

/// Bounds for operations of many calls: taking or releasing partitions, a checkpoint.
const STEP_SECONDS: &[f64] = &[0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0, 300.0];

group! {
    /// A node of a fleet. Only nodes have these metrics; all metrics of a node have the label `node`, its name.
    pub struct FleetMetrics {
        /// Nodes, as this one sees them; `silent` nodes have not renewed their lease for a quarter of
        /// `fleet.lease`.
        nodes: GaugeBy = "harvestman_fleet_nodes" by "state" in NODE_STATES;
        /// 1 while this node is the leader. Each node reports its own view: for some seconds there may be two leaders,
        /// or none.
        leads: Gauge = "harvestman_fleet_leads";
        /// Partitions of this node: `held`, those of them that have `caught_up` with what they had missed, and those
        /// `to_take` from others.
        partitions: GaugeBy = "harvestman_fleet_partitions" by "state" in HOLDINGS;
        /// Partitions that no live node holds, as this one sees it. While it is not 0, their hosts are not crawled.
        unheld: Gauge = "harvestman_fleet_unheld_partitions";
        /// Partitions taken, by their previous holder: none for `new` ones, a node that released them for
        /// `handed_over`, an evicted node for `dead`.
        taken: CounterBy = "harvestman_fleet_taken_partitions_total" by "from" in WHENCES;
        /// Time to take partitions (all taken at once count as one), by previous holder: from reading their state to
        /// fetching.
        take_seconds: HistogramBy = "harvestman_fleet_take_seconds" by "from" in WHENCES buckets STEP_SECONDS;
        /// Partitions released.
        released: Counter = "harvestman_fleet_released_partitions_total";
        /// Time to release partitions (all released at once count as one): until no requests of them were in progress
        /// and their keys were updated.
        release_seconds: Histogram = "harvestman_fleet_release_seconds" buckets STEP_SECONDS;
        /// Sessions of other nodes that this one found dead and evicted.
        evictions: Counter = "harvestman_fleet_evictions_total";

        /// Seconds until this node must stop fetching, unless its lease is renewed. Right after a renewal it is four
        /// fifths of `fleet.lease`.
        lease_margin: Seconds = "harvestman_fleet_lease_margin_seconds";
        /// The margin right after a renewal.
        lease: Seconds = "harvestman_fleet_lease_seconds";
        /// Sessions of this node that others evicted. The node then starts a new session without partitions.
        sessions_lost: Counter = "harvestman_fleet_lost_sessions_total";

        /// Messages of the exchange that this node has yet to log, over the shards of its partitions. Measured every
        /// few seconds.
        behind: Gauge = "harvestman_fleet_behind_messages";
        /// Links to other nodes' hosts, by result: `sent`, or `held_back` because the same link was sent recently.
        foreign: CounterBy = "harvestman_fleet_foreign_links_total" by "done" in FOREIGN_LINKS;
        /// Links from other nodes, by their state here; `elsewhere`: to hosts that this node does not hold, on the same
        /// shard.
        arrived: CounterBy = "harvestman_fleet_arrived_links_total" by "what" in ARRIVED_LINKS;
        /// Batches of links, published and read. Missed batches are read again after partitions are taken.
        batches: CounterBy = "harvestman_fleet_batches_total" by "way" in WAYS;
        /// Bytes of batches of links, compressed, published and read.
        batch_bytes: CounterBy = "harvestman_fleet_batch_bytes_total" by "way" in WAYS;

        /// Fetches of this node that the policy never observed, because the bus was unreachable or full for so long
        /// that the buffer overflowed.
        dropped_observations: Counter = "harvestman_fleet_dropped_observations_total";

        /// Messages of this node's log that the bus has stored: the results of pages, and discovered links.
        log_entries: Counter = "harvestman_fleet_log_entries_total";
        /// Their bytes, compressed.
        log_bytes: Counter = "harvestman_fleet_log_bytes_total";
        /// Checkpoints: each writes a part of the state from the log and truncates the log.
        checkpoints: Counter = "harvestman_fleet_checkpoints_total";
        /// Bytes of parts written: by checkpoints, for partitions taken, and by merging parts.
        checkpoint_bytes: Counter = "harvestman_fleet_checkpoint_bytes_total";
        /// Duration of a checkpoint. Long ones delay the taking of partitions.
        checkpoint_seconds: Histogram = "harvestman_fleet_checkpoint_seconds" buckets STEP_SECONDS;

        /// Calls to the bus, by subject and outcome; `abandoned` ones timed out, or their answer was not needed any
        /// more. Conflicts are ordinary: another node was first.
        calls: CounterByPair = "harvestman_fleet_bus_calls_total" by "call" in BUS_CALLS, "outcome" in BUS_OUTCOMES;
        /// Duration of calls to the bus, for any outcome. An append is acknowledged when it is replicated.
        call_seconds: HistogramBy = "harvestman_fleet_bus_call_seconds" by "call" in BUS_CALLS buckets CALL_SECONDS;
        /// Pauses before a call was repeated.
        repeats: Counter = "harvestman_fleet_bus_repeats_total";
        /// 1 while the bus answers: 0 from the first call without an answer to the next one with an answer.
        reachable: Gauge = "harvestman_fleet_bus_reachable";
        /// Time without an answer of the bus. The crawl continues for as long as the lease lasts, and then waits.
        away_seconds: SecondsCounter = "harvestman_fleet_bus_away_seconds_total";
        /// Messages between this node and the bus, by subject and direction: `published` to be stored, `asked`,
        /// `received`.
        messages: CounterByPair = "harvestman_fleet_bus_messages_total" by "about" in TRAFFIC, "way" in TRAFFIC_WAYS;
        /// Bytes of these messages, including subjects and headers, without the framing of the protocol.
        message_bytes: CounterByPair = "harvestman_fleet_bus_bytes_total" by "about" in TRAFFIC, "way" in TRAFFIC_WAYS;
    }
}

impl FleetMetrics {
    /// Creates metrics that count nothing.
    pub fn off() -> Self {
        Self::make(None)
    }

    /// Creates the series of pairs at the start.
    pub(crate) fn begin(&mut self) {
        for call in labels::BUS_CALLS {
            self.calls.begin(call, labels::BUS_OUTCOMES.iter().copied());
        }
        for about in labels::TRAFFIC {
            self.messages.begin(about, labels::TRAFFIC_WAYS.iter().copied());
            self.message_bytes.begin(about, labels::TRAFFIC_WAYS.iter().copied());
        }
        // Until a call fails: the node has just connected.
        self.reachable.set(1);
    }

    /// Resets the metrics of a session that has ended, so that none shows an outdated state.
    pub fn reset(&self) {
        for gauge in [&self.leads, &self.behind, self.partitions.by("held"), self.partitions.by("caught_up")] {
            gauge.set(0);
        }
        self.partitions.by("to_take").set(0);
        self.lease_margin.set(std::time::Duration::ZERO);
    }
}
