//! The desired placement of partitions, computed from a node's view: where hashing puts them, except those that were
//! moved to balance the load.

use std::collections::BTreeMap;

use super::records::{PartitionMove, Placement};
use super::view::FleetView;
use crate::assignment::{Weight, assign};
use crate::balance::{BalanceThresholds, Move, balance};
use crate::{Partition, Partitions, SessionId};

/// Returns the node that each partition is assigned to, in the order of the partitions. Empty if there are no nodes.
pub fn owners<'a>(view: &'a FleetView, partitions: &Partitions) -> Vec<&'a str> {
    let weights = view.weights();
    let mut owners = assign(&weights, partitions);
    let Some((placement, _)) = &view.placement else { return owners };
    for (node, moved) in &placement.elsewhere {
        let Some(node) = takes_part(&weights, node) else { continue };
        for partition in moved {
            if let Some(owner) = owners.get_mut(usize::from(partition.0)) {
                *owner = node;
            }
        }
    }
    owners
}

/// Returns a node if partitions can be assigned to it.
fn takes_part<'a>(weights: &BTreeMap<&'a str, Weight>, node: &str) -> Option<&'a str> {
    let (name, weight) = weights.get_key_value(node)?;
    (*weight > 0 || weights.values().all(|weight| *weight == 0)).then_some(*name)
}

/// Returns the number of known URLs of each partition, in their order. `None` while a partition is not at its assigned
/// node or has not caught up: then the load of its holder is not known either.
pub fn known(view: &FleetView, partitions: &Partitions) -> Option<Vec<u64>> {
    let nodes = view.nodes();
    let mut heartbeats: BTreeMap<&SessionId, BTreeMap<Partition, u64>> = BTreeMap::new();
    for (session, said) in view.live() {
        heartbeats.insert(session, said.held.iter().copied().zip(said.known.iter().copied()).collect());
    }
    let owners = owners(view, partitions);
    if owners.is_empty() {
        return None;
    }
    let known = |(partition, owner): (Partition, &str)| {
        let (record, _) = view.partitions.get(&partition)?;
        let holder = record.owner.as_ref().filter(|holder| nodes.get(owner) == Some(holder))?;
        heartbeats.get(holder)?.get(&partition).copied()
    };
    partitions.all().zip(owners).map(known).collect()
}

/// Computes the placement that balances the load. `None` if the placement stays as it is or the load is not known.
/// `asked` is the number of a request, which is answered in any case.
pub fn place(view: &FleetView, partitions: &Partitions, asked: Option<u64>) -> Option<Placement> {
    let known = known(view, partitions)?;
    let now = view.placement.as_ref().map(|(placement, _)| placement.clone()).unwrap_or_default();
    let weights = even_if_none(view.weights());
    let names: Vec<&str> = weights.keys().copied().collect();
    let weights: Vec<Weight> = weights.into_values().collect();
    let mut owners = owners(view, partitions);
    let number = |owner: &&str| names.binary_search(owner).ok();
    let holders: Vec<usize> = owners.iter().map(number).collect::<Option<_>>()?;
    let bounds = if asked.is_some() { BalanceThresholds::REQUESTED } else { BalanceThresholds::PERIODIC };
    let mut moved = Vec::new();
    for Move { partition, to } in balance(&holders, &known, &weights, &bounds) {
        let owner = &mut owners[usize::from(partition.0)];
        moved.push(PartitionMove { partition, from: (*owner).to_owned(), to: names[to].to_owned() });
        *owner = names[to];
    }
    let elsewhere = elsewhere(&owners, view, partitions);
    let is_as_before = moved.is_empty() && asked.is_none() && elsewhere == now.elsewhere;
    // A change that only removes stale entries keeps the last list of moves, for the requester.
    let moved = if moved.is_empty() && asked.is_none() { now.moved } else { moved };
    (!is_as_before).then(|| Placement { elsewhere, answered: asked.unwrap_or(now.answered), moved })
}

/// Returns the assignments that differ from hashing.
fn elsewhere(owners: &[&str], view: &FleetView, partitions: &Partitions) -> BTreeMap<String, Vec<Partition>> {
    let hashed = assign(&view.weights(), partitions);
    let mut elsewhere: BTreeMap<String, Vec<Partition>> = BTreeMap::new();
    for (partition, (owner, hashed)) in partitions.all().zip(owners.iter().zip(hashed)) {
        if *owner != hashed {
            elsewhere.entry((*owner).to_owned()).or_default().push(partition);
        }
    }
    elsewhere
}

/// Gives every node the same weight if no node has one.
fn even_if_none(weights: BTreeMap<&str, Weight>) -> BTreeMap<&str, Weight> {
    let none = weights.values().all(|weight| *weight == 0);
    weights.into_iter().map(|(node, weight)| (node, if none { 1 } else { weight })).collect()
}

#[cfg(test)]
#[path = "placement_tests.rs"]
mod tests;
