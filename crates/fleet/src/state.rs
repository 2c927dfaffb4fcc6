//! What stands in a session's log, and what is known of a partition.

use serde::{Deserialize, Serialize};

use super::Partition;
use harvestman_core::model::{Fate, Ledger, ProgressRecord, ScheduledUrl};
use harvestman_core::url::{Fingerprint, HostKey};

/// A URL that was accepted once and will not be fetched any more.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct FinishedUrl {
    /// Its partition.
    pub partition: Partition,
    /// The URL.
    pub url: Fingerprint,
    /// What became of it.
    pub fate: Fate,
}

/// An entry of a session's log: what one group of changes did to the partitions that it holds.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct LogEntry {
    /// URLs that wait from now on, or go on waiting with other values.
    pub waiting: Vec<ScheduledUrl>,
    /// URLs whose fate is settled. Whatever else is said of a URL, before or after: one that has ended stays so.
    pub ended: Vec<FinishedUrl>,
    /// What is known of hosts by now, as records of the state (clock, back-off).
    pub hosts: Vec<(HostKey, Vec<u8>)>,
    /// What else is to be kept in mind; each names its host, or a URL of it.
    pub notes: Vec<ProgressRecord>,
    /// Partitions that are held from here on: positions below count for them too.
    pub taken: Vec<Partition>,
    /// Partitions that are let go with this entry: nothing after it counts for them.
    pub released: Vec<Partition>,
    /// Of each shard of the exchange: everything up to this sequence number is in this entry or before it, for all partitions held. 0: nothing.
    pub positions: Vec<u64>,
    /// The account of the session after it.
    pub ledger: Ledger,
}

/// What is known of a partition: what its next holder goes on from.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct PartitionState {
    /// URLs that wait.
    pub waiting: Vec<ScheduledUrl>,
    /// URLs whose fate is settled.
    pub ended: Vec<Fingerprint>,
    /// What is known of hosts, as records of the state.
    pub hosts: Vec<(HostKey, Vec<u8>)>,
    /// What else is to be kept in mind.
    pub notes: Vec<ProgressRecord>,
    /// Everything of the exchange up to this sequence number of the partition's shard is in it.
    pub position: u64,
}
