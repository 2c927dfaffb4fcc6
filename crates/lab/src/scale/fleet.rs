//! The fleet that is asked about, and what its servers and machines can do.

use serde::Serialize;

/// A fleet, and what is given of it.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Fleet {
    /// Nodes.
    pub nodes: f64,
    /// URLs that are known in the end.
    pub urls: f64,
    /// Pages a second that a node fetches: what politeness or the machine allows.
    pub pages: f64,
    /// NATS servers, among which the streams' leaders are spread.
    pub servers: f64,
    /// Copies of everything.
    pub replicas: f64,
    /// Partitions.
    pub partitions: f64,
    /// Streams of the exchange, and as many of the logs.
    pub shards: f64,
    /// Seconds between two heartbeats of a node.
    pub renew: f64,
    /// Seconds after which a silent node is taken for dead.
    pub lease: f64,
    /// Seconds that a group of changes gathers at most.
    pub commit_every: f64,
    /// Pages that close a group.
    pub commit_pages: f64,
    /// Seconds between two checkpoints.
    pub checkpoint: f64,
    /// Parts that are made one.
    pub parts_max: f64,
    /// Messages a second that the leader of one stream takes.
    pub stream_messages: f64,
    /// Bytes a second that the network of a server carries.
    pub server_bytes: f64,
    /// Messages a second that a server hands to those who listen.
    pub server_deliveries: f64,
    /// Bytes of disk of a server.
    pub server_disk: f64,
    /// Bytes a second that the network of a node carries.
    pub node_bytes: f64,
    /// Bytes of memory of a node that the fleet may take.
    pub node_memory: f64,
}

impl Fleet {
    /// How often a node closes a group, in seconds.
    pub fn group(&self) -> f64 {
        self.commit_every.min(self.commit_pages / self.pages.max(1e-9))
    }

    /// Of how many nodes each reads a shard, as a share: those that hold one of its partitions, where partitions fall on nodes by chance.
    pub fn readers(&self) -> f64 {
        let held = self.partitions / self.nodes;
        1.0 - (1.0 - 1.0 / self.shards).powf(held.max(1.0))
    }
}
