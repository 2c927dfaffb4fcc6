//! Computes which partitions a node takes and releases, from its view of the fleet.

use std::collections::{BTreeMap, BTreeSet};

use super::placement::owners;
use super::records::PartitionRecord;
use super::view::FleetView;
use crate::{Partition, Partitions, SessionId};

/// Where the state of a partition is recovered from. Ordered: partitions of one source are taken together.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum TakeoverSource {
    /// The partition was never held.
    New,
    /// The parts and the log of the session that held it last.
    Session {
        /// The session.
        session: SessionId,
        /// The last sequence number of its log that counts, if it released the partition. `None`: the session is dead,
        /// and its log counts up to where it is sealed.
        end: Option<u64>,
    },
}

/// The steps from the current to the desired assignment.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Plan {
    /// Partitions to release: they are assigned to another node.
    pub(super) release: Vec<Partition>,
    /// Partitions to take: no live session holds them.
    pub(super) take: BTreeMap<TakeoverSource, Vec<FreePartition>>,
}

/// A partition that no live session holds. If its record has changed by the time that it is taken, another session was
/// first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct FreePartition {
    /// The partition.
    pub(super) partition: Partition,
    /// Its current record.
    pub(super) record: PartitionRecord,
    /// The revision of the record, if it was ever written.
    pub(super) revision: Option<u64>,
}

/// Computes what session `me`, which holds `held`, takes and releases.
pub(super) fn plan(view: &FleetView, me: &SessionId, held: &BTreeSet<Partition>, partitions: &Partitions) -> Plan {
    let nodes = view.nodes();
    let mut plan = Plan::default();
    for (partition, owner) in partitions.all().zip(owners(view, partitions)) {
        let is_mine = nodes.get(owner).is_some_and(|session| *session == me);
        let is_held = held.contains(&partition);
        if is_held && !is_mine && owner != me.node() {
            plan.release.push(partition);
        }
        if is_mine && !is_held {
            let (record, revision) = view.partition(partition);
            if let Some(source) = takeover_source(view, &record) {
                plan.take.entry(source).or_default().push(FreePartition { partition, record, revision });
            }
        }
    }
    plan
}

/// Returns where a partition can be taken over from, or `None` while a live session holds it.
fn takeover_source(view: &FleetView, record: &PartitionRecord) -> Option<TakeoverSource> {
    match &record.owner {
        Some(owner) if view.heartbeat(owner).is_some() => None,
        Some(owner) => Some(TakeoverSource::Session { session: owner.clone(), end: None }),
        None => Some(match record.source.clone() {
            Some(session) => TakeoverSource::Session { session, end: record.end },
            None => TakeoverSource::New,
        }),
    }
}
