//! Many machines that crawl together: a fleet of nodes over a replicated bus (NATS JetStream).
//!
//! Hosts hash to a fixed number of [partitions](Partition); a partition is held by one node at a time, and only that node sends requests
//! to its hosts and remembers which of their URLs were seen. Links of foreign partitions travel over the exchange; what a partition was
//! given and what it finished is in its holder's replicated log, from which the next holder goes on.
//!
//! * [`bus`] is what is asked of the bus: keys with compare-and-swap, streams, objects. Everything else knows no more of it.
//! * `nats` is the bus on NATS JetStream (with the feature `fleet`).
//! * [`engine`] is what is asked of the crawler of a node.
//! * [`policy`] is how all nodes decide by what one of them learns from all.
//! * [`HostOwnership`] is what the stages of a crawl ask: on one machine ([`SingleNode`]) everything is its own.
//! * [`wire`] is how all of it stands as bytes, and [`rebuild`] how what is known of a partition is put together from them.

pub mod assignment;
pub mod balance;
pub mod budget;
pub mod bus;
pub mod compaction;
pub mod connect;
pub mod engine;
pub mod lease;
mod metered_bus;
#[cfg(feature = "nats")]
pub mod nats;
pub mod node;
pub mod order_submission;
pub mod orders;
mod ownership;
mod partition;
pub mod policy;
pub mod rebalance_report;
pub mod rebuild;
pub mod retry;
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
