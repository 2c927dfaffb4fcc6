//! What a fleet asks of the crawler of a node.

use std::sync::atomic::{AtomicU64, Ordering};

use super::bus::BoxFuture;
use super::{LogEntry, Partition, PartitionState};
use harvestman_core::clock::Instant;
use harvestman_core::model::{Ledger, ScheduledUrl};

/// Until when this node may fetch: it is raised with each renewal of its lease, and read before each request. What is under way when it
/// runs out is broken off.
#[derive(Debug, Default)]
pub struct FetchDeadline(AtomicU64);

impl FetchDeadline {
    /// Nothing may be fetched from this moment on. Only ever moves forward, but for [`Self::end`].
    pub fn extend(&self, until: Instant) {
        self.0.fetch_max(until.as_micros(), Ordering::AcqRel);
    }

    /// It is over, for good.
    pub fn end(&self) {
        self.0.store(0, Ordering::Release);
    }

    /// When it ends.
    pub fn until(&self) -> Instant {
        Instant::from_micros(self.0.load(Ordering::Acquire))
    }
}

/// The session is over: nothing more can be kept in its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("this node's place in the fleet has gone to others")]
pub struct SessionEnded;

/// Where an engine leaves what the fleet must not lose.
pub trait Journal: Send + Sync {
    /// Publishes links to the exchange and then writes entries to the session's log, in this order. Ends when all of it is replicated, however
    /// long the bus is away, or when the session is over.
    fn commit(&self, foreign: Vec<ScheduledUrl>, entries: Vec<LogEntry>) -> BoxFuture<'_, Result<(), SessionEnded>>;
}

/// What a crawler is doing.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct EngineStatus {
    /// URLs that wait.
    pub waiting: u64,
    /// Fetches and errands under way, and those whose outcome is not in the log yet.
    pub under_way: u64,
    /// Grows with everything that the crawler takes in or ends. Two equal pulses: nothing has happened between them.
    pub activity: u64,
    /// Of each shard of the exchange: everything up to this sequence number is in the log, for the partitions held.
    pub positions: Vec<u64>,
    /// Of each partition, by its number: how many URLs are known of it, waiting or ended. What is said of partitions that are not held means
    /// nothing; where the list ends nothing is known.
    pub known: Vec<u64>,
    /// The account.
    pub ledger: Ledger,
}

/// The crawler of a node, as its fleet sees it. What it writes to its log, it writes itself.
pub trait Engine: Send + Sync {
    /// Takes partitions of one shard in, with what is known of them: their URLs wait from now on, and links of them are accepted. No host
    /// of them is contacted before its delay has passed from this moment on, also none that nothing is known of yet.
    fn take<'a>(&'a self, partitions: Vec<(Partition, PartitionState)>) -> BoxFuture<'a, ()>;
    /// Lets partitions go: nothing of them is begun any more. Ends when nothing of them is under way and the log says that they are released.
    /// Until the very entry that says so their links are accepted as before: its positions count for them.
    fn release<'a>(&'a self, partitions: &'a [Partition]) -> BoxFuture<'a, ()>;
    /// A batch of the exchange, in the order of a shard. Waits while too much is under way. Links of partitions that are not held are left
    /// out. `catching_up`: the batch was read before, and is again for partitions that were taken since; it does not move the position.
    fn offer<'a>(&'a self, shard: u16, sequence: u64, links: Vec<ScheduledUrl>, catching_up: bool)
    -> BoxFuture<'a, ()>;
    /// From here on positions count for these partitions: what they had missed was offered. Ends when the log says that they are taken; those
    /// that are not held are left out.
    fn caught_up<'a>(&'a self, partitions: &'a [Partition]) -> BoxFuture<'a, ()>;
    /// What it is doing.
    fn status(&self) -> EngineStatus;
}
