//! The load of a fleet on its servers and machines, computed from measured costs.

use serde::Serialize;

use super::{Costs, Fleet};
use harvestman_fleet::compaction::write_amplification;

/// A resource and its use.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Demand {
    /// The resource.
    pub what: &'static str,
    /// The amount used.
    pub asked: f64,
    /// The amount available.
    pub there_is: f64,
    /// The unit.
    pub unit: &'static str,
    /// The remedy.
    pub then: &'static str,
}

impl Demand {
    /// Returns the share used; above 1 the fleet does not work.
    pub fn share(&self) -> f64 {
        self.asked / self.there_is
    }
}

/// A forecast.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Forecast {
    /// Pages per second of all nodes.
    pub pages: f64,
    /// Pages fetched until the number of URLs is known.
    pub fetched: f64,
    /// Seconds until then.
    pub seconds: f64,
    /// Stored messages per page.
    pub messages_a_page: f64,
    /// Links per exchange message.
    pub links_a_message: f64,
    /// Bytes on the wire per link handed over.
    pub bytes_a_link: f64,
    /// Bytes per second over the exchange, as written by its senders.
    pub exchange_bytes: f64,
    /// Bytes on the disks of the servers, all replicas.
    pub stored: f64,
    /// Bytes of disk of a node for the URLs that it knows.
    pub node_disk: f64,
    /// Seconds from the death of a node until the last of its partitions is active again.
    pub take_over: f64,
    /// The resources, scarcest first.
    pub demands: Vec<Demand>,
}

/// Returns the share of links to other hosts that belong to another node.
fn foreign(nodes: f64) -> f64 {
    1.0 - 1.0 / nodes
}

/// Bytes of a URL in the exact set on disk.
const SEEN_DISK: f64 = 16.0;
/// Maximum number of simulated checkpoints; further ones change little.
const CHECKPOINTS_MAX: f64 = 1e6;
/// Each part is stored twice.
const COPIES: f64 = 2.0;

struct Flows {
    /// Links handed over per second, by all nodes.
    links: f64,
    /// Exchange messages per second.
    batches: f64,
    /// Bytes of them.
    batch_bytes: f64,
    /// Log messages per second.
    entries: f64,
    entry_bytes: f64,
    /// Heartbeats per second.
    beats: f64,
    beat_bytes: f64,
}

fn flows(costs: &Costs, fleet: &Fleet) -> Flows {
    let groups = fleet.nodes / fleet.group();
    let links = fleet.nodes * fleet.pages * costs.handed * foreign(fleet.nodes);
    // The links of a group to a shard form one message, or none if there are no links.
    let of_group = links / groups / fleet.shards;
    let some = 1.0 - (-of_group).exp();
    let batches = groups * fleet.shards * some.max(of_group / 256.0);
    let beats = fleet.nodes / fleet.renew;
    let beat = costs.beat_bytes.0 + costs.beat_bytes.1 * fleet.partitions / fleet.nodes;
    Flows {
        links,
        batches,
        batch_bytes: batches * costs.batch_bytes + links * costs.link_bytes,
        entries: groups,
        entry_bytes: groups * costs.entry_bytes + fleet.nodes * fleet.pages * costs.page_bytes,
        beats,
        beat_bytes: beats * beat,
    }
}

/// Returns the bytes of everything known in checkpoints, without replicas.
fn parts(costs: &Costs, fleet: &Fleet) -> f64 {
    let fetched = fetched(costs, fleet);
    fetched * costs.ended_bytes + (fleet.urls - fetched) * costs.waiting_bytes
}

/// Returns the checkpoint bytes per second and node, without replicas: new knowledge, and rewrites when parts are
/// merged.
fn merged(costs: &Costs, fleet: &Fleet) -> f64 {
    let seconds = fetched(costs, fleet) / fleet.pages / fleet.nodes;
    let checkpoints = (seconds / fleet.checkpoint).clamp(1.0, CHECKPOINTS_MAX) as u64;
    let a_page = costs.ended_bytes + (costs.new - 1.0).max(0.0) * costs.waiting_bytes;
    fleet.pages * a_page * write_amplification(checkpoints, fleet.parts_max as usize)
}

/// Returns the number of pages fetched when the number of URLs is known.
fn fetched(costs: &Costs, fleet: &Fleet) -> f64 {
    (fleet.urls / costs.new.max(1e-9)).min(fleet.urls)
}

/// Forecasts the load of a fleet.
pub fn forecast(costs: &Costs, fleet: &Fleet) -> Forecast {
    let flows = flows(costs, fleet);
    let pages = fleet.nodes * fleet.pages;
    let fetched = fetched(costs, fleet);
    let parts = parts(costs, fleet);
    let of_node = parts / fleet.nodes;
    let mut demands = demands(costs, fleet, &flows, of_node);
    demands.sort_by(|one, other| other.share().total_cmp(&one.share()));
    let takers = (fleet.partitions / fleet.nodes).ceil().min((fleet.nodes - 1.0).max(1.0));
    let urls = fleet.urls / fleet.nodes;
    let reading = of_node / fleet.node_bytes + urls / takers / costs.rebuilt;
    Forecast {
        pages,
        fetched,
        seconds: fetched / pages,
        messages_a_page: (flows.batches + flows.entries) / pages,
        links_a_message: if flows.batches > 0.0 { flows.links / flows.batches } else { 0.0 },
        bytes_a_link: if flows.links > 0.0 { flows.batch_bytes / flows.links } else { 0.0 },
        exchange_bytes: flows.batch_bytes,
        stored: (COPIES * parts + flows.entry_bytes * fleet.checkpoint) * fleet.replicas,
        node_disk: urls * SEEN_DISK,
        take_over: fleet.lease + reading,
        demands,
    }
}

fn demands(costs: &Costs, fleet: &Fleet, flows: &Flows, of_node: f64) -> Vec<Demand> {
    let listeners = fleet.readers() * fleet.nodes;
    // Each renewal is delivered to every node.
    let deliveries = flows.beats * fleet.nodes + flows.batches * listeners + flows.entries;
    // Each replica of a write goes to a server, and each reader receives a copy.
    let read = flows.beat_bytes * fleet.nodes + flows.batch_bytes * listeners;
    let merged = merged(costs, fleet);
    let kept = flows.batch_bytes + flows.entry_bytes + flows.beat_bytes + COPIES * merged * fleet.nodes;
    // Merged parts and the log before a checkpoint are read too.
    let (written, read) = (kept * fleet.replicas, read + merged * fleet.nodes + flows.entry_bytes);
    let stored = (COPIES * of_node * fleet.nodes + flows.entry_bytes * fleet.checkpoint) * fleet.replicas;
    let urls = fleet.urls / fleet.nodes;
    let keys = fleet.partitions * costs.partition_bytes + fleet.nodes * flows.beat_bytes / flows.beats.max(1e-9);
    let demand = |what, asked, there_is, unit, then| Demand { what, asked, there_is, unit, then };
    vec![
        demand(
            "an exchange stream",
            flows.batches / fleet.shards,
            fleet.stream_messages,
            "messages/s",
            "more shards, or a longer fleet.commit_every: more links per message",
        ),
        demand(
            "a log stream",
            flows.entries / fleet.shards,
            fleet.stream_messages,
            "messages/s",
            "more shards, or a longer fleet.commit_every",
        ),
        demand(
            "the key-value stream",
            flows.beats,
            fleet.stream_messages,
            "messages/s",
            "a longer fleet.renew (and fleet.lease)",
        ),
        demand(
            "deliveries of a server",
            deliveries / fleet.servers,
            fleet.server_deliveries,
            "messages/s",
            "a longer fleet.renew, since every node receives the heartbeats of all others; more servers",
        ),
        demand(
            "the network of a server",
            (written + read) / fleet.servers,
            fleet.server_bytes,
            "bytes/s",
            "more servers; a longer fleet.renew, since every node receives the heartbeats of all others; a longer fleet.checkpoint",
        ),
        demand(
            "the disk of a server",
            stored / fleet.servers,
            fleet.server_disk,
            "bytes",
            "more servers, larger disks",
        ),
        demand(
            "the network of a node",
            (flows.beat_bytes * fleet.nodes + flows.batch_bytes * listeners) / fleet.nodes + (COPIES + 1.0) * merged,
            fleet.node_bytes,
            "bytes/s",
            "more shards, so that a node reads fewer links of other nodes",
        ),
        demand(
            "the memory of a node during a take-over",
            urls * costs.seen_memory + keys + 2.0 * of_node,
            fleet.node_memory,
            "bytes",
            "more nodes, so that each knows fewer URLs",
        ),
    ]
}

/// Returns the smallest number of nodes, of 1 and its doubles, at which a resource is exhausted, and that resource,
/// with as many URLs per node as `fleet`. `None` if there is none up to a million.
pub fn least(costs: &Costs, fleet: &Fleet) -> Option<(f64, &'static str)> {
    (1..=20).map(|power| f64::from(1 << power)).find_map(|nodes| {
        let urls = fleet.urls / fleet.nodes * nodes;
        let partitions = fleet.partitions.max(4.0 * nodes);
        let sized = Fleet { nodes, urls, partitions, ..*fleet };
        let first = forecast(costs, &sized).demands.into_iter().next()?;
        (first.share() > 1.0).then_some((nodes, first.what))
    })
}
