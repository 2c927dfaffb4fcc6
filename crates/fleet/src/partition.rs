//! Partitions of the hosts.

use std::fmt;

use serde::{Deserialize, Serialize};

use harvestman_core::url::{HostGroups, HostKey};

/// A subset of all hosts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Partition(pub u16);

impl fmt::Display for Partition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// The id of a session: one life of a node in a fleet, from joining to leaving, eviction or death. As text
/// `NODE.NONCE`, of letters, digits, `-` and `_`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct SessionId(pub String);

impl SessionId {
    /// Returns the name of the node.
    pub fn node(&self) -> &str {
        self.0.split_once('.').map_or(&*self.0, |(node, _)| node)
    }
}

impl fmt::Display for SessionId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// The division of all hosts into partitions. The same for all nodes of a fleet.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Partitions {
    count: u16,
    shards: u16,
    #[serde(default)]
    groups: HostGroups,
}

impl Partitions {
    /// Creates `count` partitions, a power of two, in `shards` shards of the exchange. Both values are clamped to their
    /// range.
    pub fn new(count: u16, shards: u16) -> Self {
        let count = count.clamp(1, 1 << 14).next_power_of_two();
        Self { count, shards: shards.clamp(1, count), groups: HostGroups::default() }
    }

    /// Keeps the hosts of each group together: the partition of a group is that of its first pattern. All nodes must
    /// use the same groups.
    #[must_use]
    pub fn with_groups(self, groups: HostGroups) -> Self {
        Self { groups, ..self }
    }

    /// Returns the partition of a host: that of its group, or of its name and port, so that a site stays in its
    /// partition when it moves to HTTPS.
    pub fn of(&self, host: &HostKey) -> Partition {
        self.of_origin(host.as_str())
    }

    /// Returns the partition of a host by its origin (`scheme://authority`).
    pub fn of_origin(&self, origin: &str) -> Partition {
        let authority = origin.split_once("://").map_or(origin, |(_, authority)| authority);
        let name = self.groups.representative(authority);
        Partition((xxhash_rust::xxh3::xxh3_64(name.as_bytes()) as u16) & (self.count - 1))
    }

    /// Returns the shard of the exchange that carries a partition's links.
    pub fn shard(&self, partition: Partition) -> u16 {
        partition.0 % self.shards
    }

    /// Returns the number of partitions.
    pub const fn count(&self) -> u16 {
        self.count
    }

    /// Returns the number of shards.
    pub const fn shards(&self) -> u16 {
        self.shards
    }

    /// Iterates over all partitions.
    pub fn all(&self) -> impl Iterator<Item = Partition> + use<> {
        (0..self.count).map(Partition)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn grouped() -> Partitions {
        let groups = ["shop.example *.shop.example".to_owned(), "*.news.example cdn.example:8080".to_owned()];
        Partitions::new(256, 16).with_groups(HostGroups::new(&groups).unwrap())
    }

    #[test]
    fn hosts_of_a_group_are_in_one_partition() {
        let partitions = grouped();
        let of = |origin: &str| partitions.of(&HostKey::from_origin(origin));
        for n in 0..100 {
            assert_eq!(of(&format!("https://s{n}.shop.example:{}", 8_000 + n)), of("http://shop.example"));
            assert_eq!(of(&format!("http://a.n{n}.news.example")), of("http://cdn.example:8080"));
        }
        assert_ne!(of("http://shop.example"), of("http://cdn.example:8080"));
        assert_ne!(of("http://cdn.example"), of("http://cdn.example:8080"));
    }

    #[test]
    fn what_is_written_reads_back_as_the_same_partitions() {
        let text = serde_json::to_string(&grouped()).unwrap();
        assert_eq!(serde_json::from_str::<Partitions>(&text).unwrap(), grouped());
        let old: Partitions = serde_json::from_str(r#"{"count":16,"shards":4}"#).unwrap();
        assert_eq!(old, Partitions::new(16, 4));
    }

    proptest! {
        #[test]
        fn hosts_of_no_group_are_where_they_are_without_groups(name in "[a-z]{1,8}\\.(example|test)", port in 0_u16..3) {
            let origin = if port == 0 { format!("http://{name}") } else { format!("https://{name}:{port}") };
            prop_assume!(!["shop.example", "news.example"].contains(&&*name));
            prop_assert_eq!(grouped().of_origin(&origin), Partitions::new(256, 16).of_origin(&origin));
        }
    }
}
