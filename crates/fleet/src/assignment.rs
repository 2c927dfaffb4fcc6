//! Assignment of partitions to nodes.
//!
//! Rendezvous hashing with bounded loads: each partition ranks all nodes by a hash of both names and goes to the first
//! node that has room, so that a node that joins or leaves moves little more than its own share. Input: nodes by name
//! with their weights, and the number of partitions. Output: a node for each partition. O(partitions · nodes · log
//! nodes). Sources: Thaler and Ravishankar 1998 (highest random weight), §4; Mirrokni, Thorup and Zadimoghaddam 2018
//! (bounded loads). All nodes that see the same nodes compute the same assignment.

use std::collections::BTreeMap;

use super::{Partition, Partitions};

/// The share of a node relative to nodes of weight 1. A node of weight 0 is assigned nothing while another node has a
/// positive weight.
pub type Weight = u32;

/// Returns the node of each partition, in the order of the partitions. Empty if there are no nodes.
pub fn assign<'a>(nodes: &BTreeMap<&'a str, Weight>, partitions: &Partitions) -> Vec<&'a str> {
    let rooms = rooms(nodes, partitions.count());
    let mut free = rooms.clone();
    let mut owners = Vec::with_capacity(usize::from(partitions.count()));
    for partition in partitions.all() {
        let ranked = ranking(nodes, partition);
        let Some(owner) = ranked.into_iter().find(|node| free.get(node).is_some_and(|free| *free > 0)) else { break };
        if let Some(free) = free.get_mut(owner) {
            *free -= 1;
        }
        owners.push(owner);
    }
    owners
}

/// Returns the capacity of each node in partitions: its share, rounded up.
fn rooms<'a>(nodes: &BTreeMap<&'a str, Weight>, count: u16) -> BTreeMap<&'a str, u64> {
    let even = nodes.values().all(|weight| *weight == 0);
    let weight = |weight: Weight| if even { 1 } else { u64::from(weight) };
    let total: u64 = nodes.values().map(|of| weight(*of)).sum();
    nodes.iter().map(|(node, of)| (*node, (u64::from(count) * weight(*of)).div_ceil(total.max(1)))).collect()
}

/// Returns all nodes, ordered by the preference of a partition.
fn ranking<'a>(nodes: &BTreeMap<&'a str, Weight>, partition: Partition) -> Vec<&'a str> {
    let hash = |node: &str| xxhash_rust::xxh3::xxh3_64_with_seed(node.as_bytes(), u64::from(partition.0) + 1);
    let mut ranked: Vec<(u64, &str)> = nodes.keys().map(|node| (hash(node), *node)).collect();
    ranked.sort_unstable_by(|a, b| b.cmp(a));
    ranked.into_iter().map(|(_, node)| node).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn named(names: &[String]) -> BTreeMap<&str, Weight> {
        names.iter().map(|name| (name.as_str(), 1)).collect()
    }

    fn names(count: usize) -> Vec<String> {
        (0..count).map(|n| format!("node-{n}")).collect()
    }

    fn moved(before: &[&str], after: &[&str]) -> usize {
        before.iter().zip(after).filter(|(before, after)| before != after).count()
    }

    proptest! {
        #[test]
        fn every_partition_has_one_owner_and_no_node_more_than_its_share(count in 1_usize..40, power in 0_u32..10) {
            let names = names(count);
            let partitions = Partitions::new(1 << power, 1);
            let owners = assign(&named(&names), &partitions);
            prop_assert_eq!(owners.len(), usize::from(partitions.count()));
            let mut loads = BTreeMap::<&str, usize>::new();
            owners.iter().for_each(|owner| *loads.entry(owner).or_default() += 1);
            prop_assert!(loads.values().all(|load| *load <= owners.len().div_ceil(count)));
        }

        #[test]
        fn a_node_of_twice_the_weight_holds_no_more_than_twice_as_much(weights in prop::collection::vec(0_u32..5, 1..12)) {
            let names = names(weights.len());
            let nodes: BTreeMap<&str, Weight> = names.iter().map(String::as_str).zip(weights.iter().copied()).collect();
            let owners = assign(&nodes, &Partitions::new(256, 1));
            prop_assert_eq!(owners.len(), 256);
            let total: u32 = weights.iter().sum();
            for (node, weight) in &nodes {
                let load = owners.iter().filter(|owner| *owner == node).count();
                prop_assert!(total == 0 || load <= (256 * *weight as usize).div_ceil(total as usize));
            }
        }
    }

    #[test]
    fn a_node_that_comes_or_goes_moves_little_but_its_own() {
        let partitions = Partitions::new(256, 1);
        let mut most = 0;
        for count in 2..20 {
            let names = names(count);
            let before = assign(&named(&names), &partitions);
            for gone in &names {
                let mut nodes = named(&names);
                nodes.remove(gone.as_str());
                let after = assign(&nodes, &partitions);
                let must = before.iter().filter(|owner| *owner == gone).count();
                most = most.max(moved(&before, &after) - must);
            }
        }
        // The moves caused by the load bound, of 256 partitions; measured.
        assert_eq!(most, 22);
    }

    #[test]
    fn without_nodes_nobody_holds_anything() {
        assert!(assign(&BTreeMap::new(), &Partitions::new(16, 4)).is_empty());
    }
}
