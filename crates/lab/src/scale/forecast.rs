//! What a fleet asks of its servers and machines, from what things cost.

use serde::Serialize;

use super::{Costs, Fleet};
use harvestman_fleet::compaction::write_amplification;

/// A resource, and how much of it is used.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Demand {
    /// What is asked for.
    pub what: &'static str,
    /// How much of it.
    pub asked: f64,
    /// How much there is.
    pub there_is: f64,
    /// In what it is counted.
    pub unit: &'static str,
    /// What makes it less.
    pub then: &'static str,
}

impl Demand {
    /// The share of what there is. Above 1 it does not work.
    pub fn share(&self) -> f64 {
        self.asked / self.there_is
    }
}

/// What comes out.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Forecast {
    /// Pages a second of all nodes.
    pub pages: f64,
    /// Pages fetched when so many URLs are known.
    pub fetched: f64,
    /// Seconds until then.
    pub seconds: f64,
    /// Messages that are kept, a page.
    pub messages_a_page: f64,
    /// Links in a message of the exchange.
    pub links_a_message: f64,
    /// Bytes on the wire of a link that is handed over.
    pub bytes_a_link: f64,
    /// Bytes a second over the exchange, as its senders write them.
    pub exchange_bytes: f64,
    /// Bytes on the servers' disks, all copies.
    pub stored: f64,
    /// Bytes of disk of a node for the URLs that it knows.
    pub node_disk: f64,
    /// Seconds from a node's death until the last of its partitions goes on.
    pub take_over: f64,
    /// Resources, the scarcest first.
    pub demands: Vec<Demand>,
}

/// The share of links to other hosts that are another node's: all but those that fall on the same one.
fn foreign(nodes: f64) -> f64 {
    1.0 - 1.0 / nodes
}

/// Bytes of a URL in the exact set on disk.
const SEEN_DISK: f64 = 16.0;
/// Checkpoints that are played through: further ones change little.
const CHECKPOINTS_MAX: f64 = 1e6;
/// Each part is kept twice.
const COPIES: f64 = 2.0;

struct Flows {
    /// Links handed over a second, by all.
    links: f64,
    /// Messages of the exchange a second.
    batches: f64,
    /// Bytes of them.
    batch_bytes: f64,
    /// Messages of the logs a second.
    entries: f64,
    entry_bytes: f64,
    /// Heartbeats a second.
    beats: f64,
    beat_bytes: f64,
}

fn flows(costs: &Costs, fleet: &Fleet) -> Flows {
    let groups = fleet.nodes / fleet.group();
    let links = fleet.nodes * fleet.pages * costs.handed * foreign(fleet.nodes);
    // A group's links to a shard are one message, or none if there are none.
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

/// Bytes of all that is known in checkpoints, once.
fn parts(costs: &Costs, fleet: &Fleet) -> f64 {
    let fetched = fetched(costs, fleet);
    fetched * costs.ended_bytes + (fleet.urls - fetched) * costs.waiting_bytes
}

/// Bytes of checkpoints that a node writes a second, once: what it learns, and what is written anew when parts are made one.
fn merged(costs: &Costs, fleet: &Fleet) -> f64 {
    let seconds = fetched(costs, fleet) / fleet.pages / fleet.nodes;
    let checkpoints = (seconds / fleet.checkpoint).clamp(1.0, CHECKPOINTS_MAX) as u64;
    let a_page = costs.ended_bytes + (costs.new - 1.0).max(0.0) * costs.waiting_bytes;
    fleet.pages * a_page * write_amplification(checkpoints, fleet.parts_max as usize)
}

/// Pages that were fetched when so many URLs are known.
fn fetched(costs: &Costs, fleet: &Fleet) -> f64 {
    (fleet.urls / costs.new.max(1e-9)).min(fleet.urls)
}

/// What such a fleet asks for.
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
    // Each renewal is told to every node.
    let deliveries = flows.beats * fleet.nodes + flows.batches * listeners + flows.entries;
    // Each copy of what is written goes to a server, and each who reads gets one.
    let read = flows.beat_bytes * fleet.nodes + flows.batch_bytes * listeners;
    let merged = merged(costs, fleet);
    let kept = flows.batch_bytes + flows.entry_bytes + flows.beat_bytes + COPIES * merged * fleet.nodes;
    // The parts that are made one, and the log before a checkpoint, are read too.
    let (written, read) = (kept * fleet.replicas, read + merged * fleet.nodes + flows.entry_bytes);
    let stored = (COPIES * of_node * fleet.nodes + flows.entry_bytes * fleet.checkpoint) * fleet.replicas;
    let urls = fleet.urls / fleet.nodes;
    let keys = fleet.partitions * costs.partition_bytes + fleet.nodes * flows.beat_bytes / flows.beats.max(1e-9);
    let demand = |what, asked, there_is, unit, then| Demand { what, asked, there_is, unit, then };
    vec![
        demand(
            "a stream of the exchange",
            flows.batches / fleet.shards,
            fleet.stream_messages,
            "messages/s",
            "more shards, or a longer fleet.commit_every: more links a message",
        ),
        demand(
            "a stream of the logs",
            flows.entries / fleet.shards,
            fleet.stream_messages,
            "messages/s",
            "more shards, or a longer fleet.commit_every",
        ),
        demand("the keys", flows.beats, fleet.stream_messages, "messages/s", "a longer fleet.renew (and fleet.lease)"),
        demand(
            "deliveries of a server",
            deliveries / fleet.servers,
            fleet.server_deliveries,
            "messages/s",
            "a longer fleet.renew, as every node hears every other; more servers",
        ),
        demand(
            "the network of a server",
            (written + read) / fleet.servers,
            fleet.server_bytes,
            "bytes/s",
            "more servers; a longer fleet.renew, as every node hears every other; a longer fleet.checkpoint",
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
            "more shards, so that a node reads fewer of those whose links are not its own",
        ),
        demand(
            "memory of a node while it takes over",
            urls * costs.seen_memory + keys + 2.0 * of_node,
            fleet.node_memory,
            "bytes",
            "more nodes, so that each knows fewer URLs",
        ),
    ]
}

/// The fewest nodes, of 1 and its doubles, at which something is asked for that there is not, and what it is; as many URLs a node as
/// `fleet` has. None up to a million.
pub fn least(costs: &Costs, fleet: &Fleet) -> Option<(f64, &'static str)> {
    (1..=20).map(|power| f64::from(1 << power)).find_map(|nodes| {
        let urls = fleet.urls / fleet.nodes * nodes;
        let partitions = fleet.partitions.max(4.0 * nodes);
        let sized = Fleet { nodes, urls, partitions, ..*fleet };
        let first = forecast(costs, &sized).demands.into_iter().next()?;
        (first.share() > 1.0).then_some((nodes, first.what))
    })
}
