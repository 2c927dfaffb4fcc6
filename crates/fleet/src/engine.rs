//! The interface between a fleet and the crawler of a node.

use std::sync::atomic::{AtomicU64, Ordering};

use super::bus::BoxFuture;
use super::{LogEntry, Partition, PartitionState};
use harvestman_core::clock::Instant;
use harvestman_core::model::{Ledger, ScheduledUrl};

/// The deadline until which this node may fetch. Extended with each renewal of its lease, and checked before each
/// request. Requests in flight are aborted when it passes.
#[derive(Debug, Default)]
pub struct FetchDeadline(AtomicU64);

impl FetchDeadline {
    /// Extends the deadline to this time. Only moves it forward.
    pub fn extend(&self, until: Instant) {
        self.0.fetch_max(until.as_micros(), Ordering::AcqRel);
    }

    /// Ends the permission to fetch for good.
    pub fn end(&self) {
        self.0.store(0, Ordering::Release);
    }

    /// Returns the deadline.
    pub fn until(&self) -> Instant {
        Instant::from_micros(self.0.load(Ordering::Acquire))
    }
}

/// The session has ended: nothing more can be written in its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("this node's session in the fleet has ended")]
pub struct SessionEnded;

/// Durable storage for what the fleet must not lose.
pub trait Journal: Send + Sync {
    /// Publishes links to the exchange and then appends entries to the session's log, in this order. Completes when all
    /// of it is replicated, however long the bus is unavailable, or fails when the session has ended.
    fn commit(&self, foreign: Vec<ScheduledUrl>, entries: Vec<LogEntry>) -> BoxFuture<'_, Result<(), SessionEnded>>;
}

/// The status of a crawler.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct EngineStatus {
    /// URLs that wait.
    pub waiting: u64,
    /// Fetches and errands in flight, and results that are not in the log yet.
    pub under_way: u64,
    /// Grows with every URL that the crawler accepts or finishes. If two statuses have the same value, nothing has
    /// happened between them.
    pub activity: u64,
    /// For each shard of the exchange: everything up to this sequence number is in the log, for the partitions held.
    pub positions: Vec<u64>,
    /// For each partition, by its number: the number of known URLs, waiting or finished. Meaningless for partitions
    /// that are not held; missing entries are unknown.
    pub known: Vec<u64>,
    /// The ledger of the session.
    pub ledger: Ledger,
}

/// The crawler of a node, as its fleet sees it. It appends to its log itself.
pub trait Engine: Send + Sync {
    /// Takes partitions of one shard with their state: their URLs wait from now on, and links to them are accepted. No
    /// host of them is contacted before its crawl delay has passed from this moment on, even if nothing is known of the
    /// host.
    fn take<'a>(&'a self, partitions: Vec<(Partition, PartitionState)>) -> BoxFuture<'a, ()>;
    /// Releases partitions: no new request for them begins. Completes when nothing of them is in flight and the log
    /// says that they are released. Their links are accepted until that very entry: its positions count for them.
    fn release<'a>(&'a self, partitions: &'a [Partition]) -> BoxFuture<'a, ()>;
    /// Offers a batch of the exchange, in the order of a shard. Waits while too much is in flight. Links of partitions
    /// that are not held are ignored. `catching_up`: the batch was read before and is repeated for partitions taken
    /// since; it does not advance the position.
    fn offer<'a>(&'a self, shard: u16, sequence: u64, links: Vec<ScheduledUrl>, catching_up: bool)
    -> BoxFuture<'a, ()>;
    /// Positions count for these partitions from here on: what they had missed was offered. Completes when the log says
    /// that they are taken. Partitions that are not held are ignored.
    fn caught_up<'a>(&'a self, partitions: &'a [Partition]) -> BoxFuture<'a, ()>;
    /// Returns the current status.
    fn status(&self) -> EngineStatus;
}
