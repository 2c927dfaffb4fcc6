//! A fleet: many nodes that crawl together over a replicated bus (NATS JetStream).
//!
//! Hosts hash to a fixed number of [partitions](Partition). A partition is held by one node at a time, and only that
//! node sends requests to its hosts and remembers which of their URLs were seen. Links of other nodes' partitions
//! travel over the exchange. The links that a partition received and the URLs that it finished are in its holder's
//! replicated log, from which the next holder continues.
//!
//! * [`bus`] is the interface of the bus: keys with compare-and-swap, streams, objects. Nothing else of the bus is
//!   visible to the other modules.
//! * `nats` implements the bus on NATS JetStream.
//! * [`engine`] is the interface of a node's crawler.
//! * [`node`] is the protocol of a node.
//! * [`policy`] replicates one policy to all nodes, which one of them trains with the observations of all.
//! * [`HostOwnership`] is what the stages of a crawl see of the fleet: on one machine ([`SingleNode`]) all hosts are
//!   its own.
//! * [`wire`] encodes messages, and [`rebuild`] reconstructs the state of a partition from them.
//!
//! Internal to Harvestman, without a promise of stability: other programs use `harvestman-library`.

pub mod assignment;
pub mod balance;
pub mod budget;
pub mod bus;
pub mod compaction;
pub mod connect;
pub mod engine;
pub mod lease;
mod metered_bus;
pub mod nats;
pub mod node;
pub mod order_submission;
pub mod orders;
mod ownership;
mod partition;
pub mod policy;
mod protection;
pub mod rebalance_report;
pub mod rebuild;
pub mod retry;
pub mod sealed_bus;
mod state;
pub mod status;
pub mod termination;
pub mod watermark;
pub mod wire;

#[cfg(test)]
mod tests;

pub use connect::ConnectError;
pub use harvestman_core::model::{HostOwnership, SingleNode};
pub use lease::LeaseTerms;
pub use metered_bus::MeteredBus;
pub use ownership::PartitionOwnership;
pub use partition::{Partition, Partitions, SessionId};
pub use state::{FinishedUrl, LogEntry, PartitionState};
