//! What stands in the keys of a fleet.

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

/// The key of what is placed otherwise than hashing says.
pub const PLACEMENT: &str = "placement";
/// The key of what people ask the leader to spread.
pub const REBALANCE: &str = "rebalance";
/// The key of the budgets.
pub const BUDGET: &str = "budget";

/// The key of a session's lease.
pub fn session_key(session: &SessionId) -> String {
    format!("session.{session}")
}

/// The key of a partition's record.
pub fn partition_key(partition: Partition) -> String {
    format!("partition.{partition}")
}

/// The key of what a session keeps of its partitions.
pub fn source_key(session: &SessionId) -> String {
    format!("source.{session}")
}

/// What a session says with each renewal of its lease.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Heartbeat {
    /// Counts them.
    pub beat: u64,
    /// The revision that its key was created with; 0 in the first heartbeat.
    pub born: u64,
    /// It lets its partitions go.
    pub leaving: bool,
    /// The partitions that it holds and has caught up with, as its log says.
    pub held: Vec<Partition>,
    /// Of each of them, in the same order: how many URLs are known of it, to two digits.
    #[serde(default)]
    pub known: Vec<u64>,
    /// Its share of the work against others'.
    #[serde(default)]
    pub weight: Weight,
    /// URLs that wait.
    pub waiting: u64,
    /// What is under way.
    pub under_way: u64,
    /// Changes with everything that happens in it.
    pub activity: u64,
    /// Of each shard of the exchange: how far it is in the log.
    pub positions: Vec<u64>,
    /// Links that it discovered.
    pub discovered: u64,
    /// Pages that it fetched.
    pub pages: u64,
    /// Requests that it sent.
    pub requests: u64,
    /// Bytes of the answers' bodies.
    pub bytes: u64,
}

impl Heartbeat {
    /// Whether it has nothing to do.
    pub fn is_idle(&self) -> bool {
        self.waiting == 0 && self.under_way == 0
    }
}

/// What a session's key holds.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SessionRecord {
    /// It lives, or has died and nobody has noticed yet.
    Live(Heartbeat),
    /// Somebody found its lease expired. It stays so.
    Evicted,
}

/// Who holds a partition.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PartitionRecord {
    /// Grows with every change of hands.
    pub token: u64,
    /// Who holds it; none where it was let go.
    pub owner: Option<SessionId>,
    /// Whose parts and log say what is known of it; none where it was never held.
    pub source: Option<SessionId>,
    /// The last sequence number of that log that counts, where it was let go.
    pub end: Option<u64>,
}

/// What is placed otherwise than hashing says, so that the load is even. What names a node that is not there counts for nothing.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Placement {
    /// The partitions that a node is to hold, by its name.
    pub elsewhere: BTreeMap<String, Vec<Partition>>,
    /// The number of the last request that was answered.
    pub answered: u64,
    /// What the last change has moved.
    pub moved: Vec<PartitionMove>,
}

/// A partition that moves.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PartitionMove {
    /// Which one.
    pub partition: Partition,
    /// The node that held it.
    pub from: String,
    /// The node that is to hold it.
    pub to: String,
}

/// What people ask the leader to spread.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Rebalance {
    /// The number of the request, from 1.
    pub asked: u64,
}

/// A number to its first two digits: what is told over and over again may be short.
pub fn rounded(number: u64) -> u64 {
    let mut unit = 1;
    while number / unit >= 100 {
        unit *= 10;
    }
    (number / unit + u64::from(number % unit >= unit.div_ceil(2) && unit > 1)) * unit
}

/// Whether others have taken over from a session, and what of its log counts for them. A session that is taken for dead may still append to its
/// log; an entry that one of those who take over has read and another has not would lose the links that it says are found.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Seal {
    /// Nobody has.
    #[default]
    None,
    /// Somebody is about to: the session can write no checkpoint any more.
    Begun,
    /// Nothing of its log counts beyond this sequence number, for anybody.
    At(u64),
}

/// Where what a session knows of its partitions stands.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SourceRecord {
    /// The names of its parts, oldest first.
    pub parts: Vec<String>,
    /// Where its log begins to count: what stands before is in the parts.
    pub log_from: u64,
    /// The number of the first entry that counts.
    pub number: u64,
    /// Whether others have taken over from it.
    #[serde(default)]
    pub seal: Seal,
}

/// Where a crawl stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CrawlState {
    /// Its seeds are not all in the exchange yet.
    Planting,
    /// It goes on.
    Running,
    /// It is over.
    Over,
}

/// The format of keys, logs, parts and batches. Nodes of one crawl have the same.
pub const FORMAT: u32 = 1;

/// Who wrote a crawl's record: what every version reads of it, before all else.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Origin {
    /// The format that the crawl is kept in.
    pub format: u32,
    /// The version of Harvestman that began it.
    pub version: String,
}

impl Origin {
    /// Of what this program writes.
    pub fn own() -> Self {
        Self { format: FORMAT, version: env!("CARGO_PKG_VERSION").to_owned() }
    }
}

/// What all nodes of a crawl agree on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CrawlRecord {
    /// Who began it.
    #[serde(flatten)]
    pub origin: Origin,
    /// Where it stands.
    pub state: CrawlState,
}

/// A record as a key's value.
pub fn written<T: Serialize>(record: &T) -> Bytes {
    // None of these types can fail to be written.
    Bytes::from(serde_json::to_vec(record).unwrap_or_default())
}

/// A key's value as a record.
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
