//! Derives the status of a fleet from its keys.

use std::collections::{BTreeMap, BTreeSet};

use super::node::records::{self, CrawlState, Heartbeat};
use super::node::view::FleetView;
use super::orders::Orders;
use super::{Partitions, SessionId};
use harvestman_core::model::{FleetStatus, NodeStatus};

/// Derives the status of the crawl `name` from a view. `heard`: the sessions that sent a heartbeat while the view
/// was watched. `ends`: the last message of each shard.
pub fn fleet_status(
    name: &str,
    view: &FleetView,
    heard: &BTreeSet<SessionId>,
    partitions: &Partitions,
    ends: &[u64],
) -> FleetStatus {
    let mut holds: BTreeMap<&SessionId, u64> = BTreeMap::new();
    let owners = view.partitions.values().filter_map(|(record, _)| record.owner.as_ref());
    owners.for_each(|owner| *holds.entry(owner).or_default() += 1);
    let leader = view.leader();
    let mut nodes: Vec<NodeStatus> = view
        .live()
        .map(|(session, beat)| NodeStatus {
            node: session.node().to_owned(),
            session: session.to_string(),
            leads: leader == Some(session),
            state: if !heard.contains(session) {
                "silent"
            } else if beat.leaving {
                "leaving"
            } else {
                "live"
            }
            .to_owned(),
            weight: beat.weight,
            known: beat.known.iter().sum(),
            partitions: holds.get(session).copied().unwrap_or(0),
            caught_up: beat.held.len() as u64,
            waiting: beat.waiting,
            under_way: beat.under_way,
            pages: beat.pages,
            requests: beat.requests,
            bytes: beat.bytes,
            behind: behind(beat, partitions, ends),
        })
        .collect();
    nodes.sort_by(|one, other| one.node.cmp(&other.node));
    let held: u64 = nodes.iter().map(|node| node.partitions).sum();
    let state = view.crawl.as_ref().map_or("none", |(crawl, _)| match crawl.state {
        CrawlState::Planting => "planting",
        CrawlState::Running => overriding_state(view).unwrap_or("running"),
        CrawlState::Over => "over",
    });
    let (state, size, partitions) = (state.to_owned(), nodes.len() as u64, u64::from(partitions.count()));
    FleetStatus { name: name.to_owned(), state, partitions, held, size, nodes, exchange: ends.to_vec() }
}

/// Returns the state that an order or an exhausted budget imposes on a running crawl.
fn overriding_state(view: &FleetView) -> Option<&'static str> {
    let orders = view.orders.as_ref().and_then(|(value, _)| records::read::<Orders>(value).ok()).unwrap_or_default();
    let is_spent = view.budget.as_ref().is_some_and(|(budget, _)| budget.over.is_some());
    let states = [(orders.stopped, "stopped"), (is_spent, "spent"), (orders.paused, "paused")];
    states.into_iter().find(|(is_so, _)| *is_so).map(|(_, state)| state)
}

/// Returns the number of messages in the shards of its partitions that a node has yet to log.
fn behind(beat: &Heartbeat, partitions: &Partitions, ends: &[u64]) -> u64 {
    let shards: BTreeSet<u16> = beat.held.iter().map(|partition| partitions.shard(*partition)).collect();
    let lag = |shard: u16| {
        let (end, position) = (ends.get(usize::from(shard))?, beat.positions.get(usize::from(shard))?);
        Some(end.saturating_sub(*position))
    };
    shards.into_iter().filter_map(lag).sum()
}

#[cfg(test)]
#[path = "status_tests.rs"]
mod tests;
