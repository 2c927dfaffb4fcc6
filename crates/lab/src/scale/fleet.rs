//! The fleet of a forecast, and the capacities of its servers and machines.

use serde::Serialize;

/// A fleet and its resources.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Fleet {
    /// Number of nodes.
    pub nodes: f64,
    /// Number of known URLs at the end.
    pub urls: f64,
    /// Pages per second and node, as limited by politeness or the machine.
    pub pages: f64,
    /// Number of NATS servers over which the stream leaders are distributed.
    pub servers: f64,
    /// Number of replicas of all data.
    pub replicas: f64,
    /// Number of partitions.
    pub partitions: f64,
    /// Number of exchange streams, and of log streams.
    pub shards: f64,
    /// Seconds between two heartbeats of a node.
    pub renew: f64,
    /// Seconds after which a silent node is considered dead.
    pub lease: f64,
    /// Maximum duration of a group of changes, in seconds.
    pub commit_every: f64,
    /// Number of pages that close a group.
    pub commit_pages: f64,
    /// Seconds between two checkpoints.
    pub checkpoint: f64,
    /// Number of parts that are merged into one.
    pub parts_max: f64,
    /// Messages per second that the leader of a stream accepts.
    pub stream_messages: f64,
    /// Network bandwidth of a server, in bytes per second.
    pub server_bytes: f64,
    /// Messages per second that a server delivers to subscribers.
    pub server_deliveries: f64,
    /// Disk capacity of a server, in bytes.
    pub server_disk: f64,
    /// Network bandwidth of a node, in bytes per second.
    pub node_bytes: f64,
    /// Memory of a node available to the fleet, in bytes.
    pub node_memory: f64,
}

impl Fleet {
    /// Returns the duration of a group of a node, in seconds.
    pub fn group(&self) -> f64 {
        self.commit_every.min(self.commit_pages / self.pages.max(1e-9))
    }

    /// Returns the share of nodes that read a shard: those that own one of its partitions, with partitions assigned to
    /// nodes at random.
    pub fn readers(&self) -> f64 {
        let held = self.partitions / self.nodes;
        1.0 - (1.0 - 1.0 / self.shards).powf(held.max(1.0))
    }
}
