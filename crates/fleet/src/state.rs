//! Entries of a session's log, and the state of a partition.

use serde::{Deserialize, Serialize};

use super::Partition;
use harvestman_core::model::{Fate, Ledger, ProgressRecord, ScheduledUrl};
use harvestman_core::url::{Fingerprint, HostKey};

/// A URL that was accepted once and will not be fetched any more.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct FinishedUrl {
    /// The partition of the URL.
    pub partition: Partition,
    /// The URL.
    pub url: Fingerprint,
    /// Its final outcome.
    pub fate: Fate,
}

/// An entry of a session's log: the effect of one group of changes on the partitions that it holds.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct LogEntry {
    /// URLs that wait from now on, or continue to wait with other values.
    pub waiting: Vec<ScheduledUrl>,
    /// URLs with a final outcome. Finished URLs stay finished, regardless of other entries before or after.
    pub ended: Vec<FinishedUrl>,
    /// The state of hosts, as records of the state store (clock, back-off).
    pub hosts: Vec<(HostKey, Vec<u8>)>,
    /// Other facts to remember; each names its host, or a URL of it.
    pub notes: Vec<ProgressRecord>,
    /// Partitions that are held from here on: the positions below count for them, too.
    pub taken: Vec<Partition>,
    /// Partitions that are released by this entry: later entries do not count for them.
    pub released: Vec<Partition>,
    /// For each shard of the exchange: everything up to this sequence number is in this entry or an earlier one, for
    /// all partitions held. 0: nothing.
    pub positions: Vec<u64>,
    /// The ledger of the session after the entry.
    pub ledger: Ledger,
}

/// The state of a partition, from which its next holder continues.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct PartitionState {
    /// URLs that wait.
    pub waiting: Vec<ScheduledUrl>,
    /// URLs with a final outcome.
    pub ended: Vec<Fingerprint>,
    /// The state of hosts, as records of the state store.
    pub hosts: Vec<(HostKey, Vec<u8>)>,
    /// Other facts to remember.
    pub notes: Vec<ProgressRecord>,
    /// Everything in the partition's shard of the exchange up to this sequence number is included.
    pub position: u64,
}
