//! What a node is to take and to let go, by what it sees.

use std::collections::{BTreeMap, BTreeSet};

use super::placement::owners;
use super::records::PartitionRecord;
use super::view::FleetView;
use crate::{Partition, Partitions, SessionId};

/// Where what is known of partitions stands: a session, and up to where its log counts (none: to where it is sealed). None: they were never held.
pub(super) type TakeoverSource = Option<(SessionId, Option<u64>)>;

/// What is to be done.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Plan {
    /// To be let go: another node is to hold them.
    pub(super) release: Vec<Partition>,
    /// To be taken: nobody holds them. With what is written of them now: if it is something else by the time that it is to be changed, they
    /// are somebody else's.
    pub(super) take: BTreeMap<TakeoverSource, Vec<FreePartition>>,
}

/// A partition that nobody holds: what is written of it, and at which revision (none: nothing).
pub(super) type FreePartition = (Partition, PartitionRecord, Option<u64>);

/// What a session is to take and to let go.
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
            if let Some(whence) = whence(view, &record) {
                plan.take.entry(whence).or_default().push((partition, record, revision));
            }
        }
    }
    plan
}

/// From where a partition can be taken; none while somebody holds it.
fn whence(view: &FleetView, record: &PartitionRecord) -> Option<TakeoverSource> {
    match &record.owner {
        Some(owner) if view.heartbeat(owner).is_some() => None,
        // Its log counts up to where it is sealed.
        Some(owner) => Some(Some((owner.clone(), None))),
        None => Some(record.source.clone().map(|source| (source, record.end))),
    }
}
