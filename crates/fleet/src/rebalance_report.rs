//! The result of rebalancing a fleet.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use serde::Serialize;

use super::Partitions;
use super::node::placement;
use super::node::records::PartitionMove;
use super::node::view::FleetView;
use harvestman_core::model::load_deviation;

/// The load of a node.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct NodeLoad {
    /// The name of the node.
    pub node: String,
    /// Its share of the work relative to other nodes.
    pub weight: u32,
    /// The known URLs of the partitions that it holds, before and after. Approximate: nodes report two significant
    /// digits per partition.
    pub before: u64,
    /// See `before`.
    pub after: u64,
}

/// The moves of a rebalance, and their effect.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct RebalanceReport {
    /// The name of the crawl.
    pub name: String,
    /// The moves.
    pub moved: Vec<PartitionMove>,
    /// Whether all partitions are at their assigned nodes and have caught up; otherwise moves are still in progress.
    pub is_done: bool,
    /// The nodes, by name.
    pub nodes: Vec<NodeLoad>,
}

impl RebalanceReport {
    /// Creates the report at the start of a rebalance.
    pub fn before(name: &str, view: &FleetView) -> Self {
        let nodes = loads(view).into_iter();
        let nodes = nodes.map(|(node, (weight, before))| NodeLoad { node, weight, before, after: before }).collect();
        Self { name: name.to_owned(), nodes, ..Self::default() }
    }

    /// Returns whether all partitions are at their assigned nodes.
    pub fn is_done(view: &FleetView, partitions: &Partitions) -> bool {
        placement::known(view, partitions).is_some()
    }

    /// Adds the moves of the new placement.
    #[must_use]
    pub fn placed(self, view: &FleetView) -> Self {
        let moved = view.placement.as_ref().map(|(placement, _)| placement.moved.clone()).unwrap_or_default();
        Self { moved, ..self }
    }

    /// Completes the report at the end of the rebalance, or at its timeout.
    #[must_use]
    pub fn ended(mut self, view: &FleetView, partitions: &Partitions) -> Self {
        self.is_done = Self::is_done(view, partitions);
        let mut after = loads(view);
        for load in &mut self.nodes {
            load.after = after.remove(&load.node).map_or(0, |(_, known)| known);
        }
        let new = after.into_iter().map(|(node, (weight, after))| NodeLoad { node, weight, before: 0, after });
        self.nodes.extend(new);
        self.nodes.sort_by(|one, other| one.node.cmp(&other.node));
        self
    }
}

/// Returns the weight and load of each node.
fn loads(view: &FleetView) -> BTreeMap<String, (u32, u64)> {
    let nodes = view.nodes().into_iter();
    let said = nodes.filter_map(|(node, session)| Some((node, view.heartbeat(session)?)));
    said.map(|(node, said)| (node.to_owned(), (said.weight, said.known.iter().sum()))).collect()
}

impl fmt::Display for RebalanceReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { name, moved, is_done, nodes } = self;
        match (moved.len(), is_done) {
            (0, true) => writeln!(f, "crawl `{name}`: no partition was moved, because the load is balanced")?,
            (0, false) => writeln!(f, "crawl `{name}`: no partition was moved; other moves are in progress")?,
            (count, true) => writeln!(f, "crawl `{name}`: {count} partitions were moved")?,
            (count, false) => {
                writeln!(f, "crawl `{name}`: {count} partitions are moving; not all moves have completed")?
            }
        }
        let ways: BTreeSet<(&str, &str)> = moved.iter().map(|moved| (&*moved.from, &*moved.to)).collect();
        for (from, to) in ways {
            let these: Vec<String> = moved
                .iter()
                .filter(|moved| moved.from == from && moved.to == to)
                .map(|moved| moved.partition.to_string())
                .collect();
            writeln!(f, "  from {from} to {to}: {}", these.join(", "))?;
        }
        let weight_sum: u64 = nodes.iter().map(|load| u64::from(load.weight)).sum();
        let (before, after): (u64, u64) =
            nodes.iter().fold((0, 0), |sum, load| (sum.0 + load.before, sum.1 + load.after));
        for NodeLoad { node, weight, before: its, after: now } in nodes {
            let (was, is) =
                (load_deviation(*its, before, *weight, weight_sum), load_deviation(*now, after, *weight, weight_sum));
            writeln!(f, "  {node}: about {its} URLs ({was}) before, {now} ({is}) after")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Partition;
    use crate::SessionId;
    use crate::node::records::{Heartbeat, Placement, SessionRecord};

    fn view(nodes: &[(&str, &[u64])]) -> FleetView {
        let mut view = FleetView::default();
        for (node, known) in nodes {
            let said = Heartbeat { born: 1, weight: 1, known: known.to_vec(), ..Heartbeat::default() };
            view.sessions.insert(SessionId(format!("{node}.1")), (SessionRecord::Live(said), 1));
        }
        view
    }

    #[test]
    fn what_was_moved_is_told_by_its_ways_with_the_loads_before_and_after() {
        let mut before = view(&[("a", &[100, 50]), ("b", &[50])]);
        let moved = vec![PartitionMove { partition: Partition(7), from: "a".to_owned(), to: "b".to_owned() }];
        before.placement = Some((Placement { moved, answered: 1, ..Placement::default() }, 1));
        let begun = RebalanceReport::before("x", &before).placed(&before);
        let ended = begun.ended(&view(&[("a", &[100]), ("b", &[50, 50])]), &Partitions::new(4, 1));
        assert!(!ended.is_done, "nobody holds anything");
        let text = RebalanceReport { is_done: true, ..ended }.to_string();
        let expected = "crawl `x`: 1 partitions were moved\n  from a to b: 7\n  a: about 150 URLs (+50%) before, 100 (+0%) after\n  \
                        b: about 50 URLs (-50%) before, 100 (+0%) after\n";
        assert_eq!(text, expected);
    }
}
