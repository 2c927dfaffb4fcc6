//! The values of the fleet's keys.

use std::collections::BTreeMap;

use bytes::Bytes;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::assignment::Weight;
use crate::{Partition, SessionId};

/// The key of the crawl's record.
pub const CRAWL: &str = "crawl";
/// The key of the orders.
pub const ORDERS: &str = "orders";

/// The key of placements that differ from hashing.
pub const PLACEMENT: &str = "placement";
/// The key of requests to rebalance.
pub const REBALANCE: &str = "rebalance";
/// The key of the budgets.
pub const BUDGET: &str = "budget";

/// Returns the key of a session's lease.
pub fn session_key(session: &SessionId) -> String {
    format!("session.{session}")
}

/// Returns the key of a partition's record.
pub fn partition_key(partition: Partition) -> String {
    format!("partition.{partition}")
}

/// Returns the key that locates the persisted state of a session.
pub fn source_key(session: &SessionId) -> String {
    format!("source.{session}")
}

/// The state that a session publishes with each renewal of its lease.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Heartbeat {
    /// Counts the heartbeats of the session.
    pub beat: u64,
    /// The revision that the session's key was created with; 0 in the first heartbeat.
    pub born: u64,
    /// Whether the session is releasing its partitions.
    pub leaving: bool,
    /// The partitions that it holds and has caught up with, according to its log.
    pub held: Vec<Partition>,
    /// For each of them, in the same order: the number of known URLs, to two significant digits.
    #[serde(default)]
    pub known: Vec<u64>,
    /// The node's share of the work relative to other nodes.
    #[serde(default)]
    pub weight: Weight,
    /// URLs that wait.
    pub waiting: u64,
    /// Requests in flight, and results that are not logged yet.
    pub under_way: u64,
    /// Changes with every event in the crawler.
    pub activity: u64,
    /// For each shard of the exchange: the position that is in the log.
    pub positions: Vec<u64>,
    /// If the session holds the policy: everything in the stream of observations up to this sequence number was shown
    /// to it before this heartbeat was made.
    #[serde(default)]
    pub shown: u64,
    /// Links discovered.
    pub discovered: u64,
    /// Pages fetched.
    pub pages: u64,
    /// Requests sent.
    pub requests: u64,
    /// Bytes of response bodies.
    pub bytes: u64,
}

impl Heartbeat {
    /// Returns whether the session has nothing to do.
    pub fn is_idle(&self) -> bool {
        self.waiting == 0 && self.under_way == 0
    }
}

/// The value of a session's key.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SessionRecord {
    /// The session is alive, or died and was not evicted yet.
    Live(Heartbeat),
    /// Another session found the lease expired. Final.
    Evicted,
}

/// The ownership of a partition.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PartitionRecord {
    /// The fencing token: grows with every change of ownership.
    pub token: u64,
    /// The session that holds the partition; `None` if it was released.
    pub owner: Option<SessionId>,
    /// The session whose parts and log hold the state of the partition; `None` if it was never held.
    pub source: Option<SessionId>,
    /// The last sequence number of that log that counts, if the partition was released.
    pub end: Option<u64>,
}

/// Placements that differ from hashing in order to balance the load. Entries of nodes that are not present are ignored.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Placement {
    /// The partitions assigned to each node, by node name.
    pub elsewhere: BTreeMap<String, Vec<Partition>>,
    /// The number of the last request that was answered.
    pub answered: u64,
    /// The moves of the last change.
    pub moved: Vec<PartitionMove>,
}

/// A partition that moves.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PartitionMove {
    /// The partition.
    pub partition: Partition,
    /// The node that held it.
    pub from: String,
    /// The node that it is assigned to.
    pub to: String,
}

/// A request to rebalance.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Rebalance {
    /// The number of the request, counted from 1.
    pub asked: u64,
}

/// Rounds a number to two significant digits, to keep values that are published often short.
pub fn rounded(number: u64) -> u64 {
    let mut unit = 1;
    while number / unit >= 100 {
        unit *= 10;
    }
    (number / unit + u64::from(number % unit >= unit.div_ceil(2) && unit > 1)) * unit
}

/// Whether other sessions have taken over from a session, and how much of its log counts for them. An evicted session
/// may still append to its log. If one successor read such an entry and another did not, the links in it would be lost.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Seal {
    /// No session has taken over.
    #[default]
    None,
    /// A takeover has begun: the session can no longer write a checkpoint.
    Begun,
    /// Nothing in its log counts beyond this sequence number, for any successor.
    At(u64),
}

/// Locates the persisted state of a session.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SourceRecord {
    /// The names of its parts, oldest first.
    pub parts: Vec<String>,
    /// The sequence number from which the log counts; earlier entries are in the parts.
    pub log_from: u64,
    /// The number of the first entry that counts.
    pub number: u64,
    /// Whether other sessions have taken over from it.
    #[serde(default)]
    pub seal: Seal,
}

/// The state of a crawl.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CrawlState {
    /// Not all seeds are in the exchange yet.
    Planting,
    /// The crawl is running.
    Running,
    /// The crawl is complete.
    Over,
}

/// The format of keys, logs, parts and batches. All nodes of a crawl use the same.
pub const FORMAT: u32 = 7;

/// The writer of a crawl's record. Every version can read these fields.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Origin {
    /// The format of the crawl's data.
    pub format: u32,
    /// The version of Harvestman that started the crawl.
    pub version: String,
}

impl Origin {
    /// Returns the origin of data written by this program.
    pub fn own() -> Self {
        Self { format: FORMAT, version: env!("CARGO_PKG_VERSION").to_owned() }
    }
}

/// The record that all nodes of a crawl agree on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CrawlRecord {
    /// The writer of the record.
    #[serde(flatten)]
    pub origin: Origin,
    /// The state of the crawl.
    pub state: CrawlState,
}

/// Encodes a record as the value of a key.
pub fn written<T: Serialize>(record: &T) -> Bytes {
    // Serialisation of these types cannot fail.
    Bytes::from(serde_json::to_vec(record).unwrap_or_default())
}

/// Decodes the value of a key.
pub fn read<T: DeserializeOwned>(value: &[u8]) -> Result<T, String> {
    serde_json::from_slice(value).map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_rounded_to_two_digits() {
        let cases =
            [(0, 0), (7, 7), (99, 99), (104, 100), (105, 110), (1_049, 1_000), (994_999, 990_000), (999, 1_000)];
        for (number, expected) in cases {
            assert_eq!(rounded(number), expected, "{number}");
        }
        assert_eq!(rounded(u64::MAX), 18_000_000_000_000_000_000);
    }

    #[test]
    fn a_placement_is_read_again() {
        let moved = vec![PartitionMove { partition: Partition(3), from: "b".to_owned(), to: "a".to_owned() }];
        let elsewhere = BTreeMap::from([("a".to_owned(), vec![Partition(3), Partition(250)])]);
        let placement = Placement { elsewhere, answered: 2, moved };
        assert_eq!(read::<Placement>(&written(&placement)), Ok(placement));
    }

    #[test]
    fn what_earlier_versions_said_of_browsers_is_ignored() {
        let with = |field: &str| format!(r#"{{"token":3,"owner":"a.1","source":"a.1","end":null{field}}}"#);
        let marked = read::<PartitionRecord>(with(r#","needs_browser":true"#).as_bytes());
        assert_eq!(marked, read(with("").as_bytes()));
        assert_eq!(marked.unwrap().token, 3);
        let beat = SessionRecord::Live(Heartbeat { beat: 3, ..Heartbeat::default() });
        let text = String::from_utf8(written(&beat).to_vec()).unwrap();
        let said = text.replace(r#""beat":3"#, r#""beat":3,"browser":true"#);
        assert!(said != text && read::<SessionRecord>(said.as_bytes()) == Ok(beat), "{said}");
    }

    #[test]
    fn what_is_written_is_read_again() {
        let beat =
            Heartbeat { beat: 3, held: vec![Partition(7)], positions: vec![0, 9], pages: 5, ..Heartbeat::default() };
        for record in [SessionRecord::Live(beat), SessionRecord::Evicted] {
            let text = written(&record);
            assert!(!text.is_empty());
            assert_eq!(read::<SessionRecord>(&text), Ok(record));
        }
        assert!(read::<SessionRecord>(b"{}").is_err());
    }
}
