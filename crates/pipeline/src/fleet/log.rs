//! The state log of a node: a group of changes is in the session's log before it is in the node's own state.

use std::sync::Arc;
use std::time::Duration;

use super::commit_tracker::CommitTracker;
use crate::run::state_writer::StateLog;
use harvestman_core::model::{Change, FleetEffects};
use harvestman_fleet::engine::Journal;
use harvestman_fleet::{FinishedUrl, LogEntry, Partitions};
use harvestman_storage::store::{CommitGroup, Store, StoreError};

/// How often it is checked how a session has ended.
const CLOSING_LOOKS: u32 = 50;
/// The pause between these checks.
const CLOSING_PAUSE: Duration = Duration::from_millis(10);

/// Writes groups to the fleet, and then to the disk.
pub(super) struct FleetLog {
    pub(super) journal: Arc<dyn Journal>,
    pub(super) store: Store,
    pub(super) partitions: Partitions,
    pub(super) commits: Arc<CommitTracker>,
    /// The runtime that serves the journal's sockets.
    pub(super) runtime: tokio::runtime::Handle,
}

impl StateLog for FleetLog {
    fn commit(&self, group: &CommitGroup, elapsed: Duration) -> Result<(), StoreError> {
        if !self.commits.is_closed() {
            let foreign = effects_of(&group.changes).flat_map(|effects| effects.foreign.iter().cloned()).collect();
            let entries = entries(group, &self.partitions);
            let committed = self.runtime.block_on(self.journal.commit(foreign, entries));
            // The session may have ended in the meantime, with everything that counts.
            if let Err(over) = committed
                && !self.closes()
            {
                return Err(StoreError::Fleet(over.to_string()));
            }
        }
        self.store.commit(group, elapsed)?;
        // Before those who wait for the effects are notified.
        group.changes.iter().for_each(|change| self.commits.loads.kept(change, &self.partitions));
        effects_of(&group.changes).for_each(|effects| self.commits.kept(effects));
        Ok(())
    }
}

impl FleetLog {
    /// Returns whether the session has ended cleanly, which is known a moment after its end.
    fn closes(&self) -> bool {
        (0..CLOSING_LOOKS).any(|_| {
            let closed = self.commits.is_closed();
            if !closed {
                std::thread::sleep(CLOSING_PAUSE);
            }
            closed
        })
    }
}

fn effects_of(changes: &[Change]) -> impl Iterator<Item = &FleetEffects> {
    changes.iter().filter_map(|change| change.fleet_effects.as_deref())
}

/// Converts a group to entries of the log: one, and another after each change that releases partitions, since later
/// changes do not count for these.
fn entries(group: &CommitGroup, partitions: &Partitions) -> Vec<LogEntry> {
    let mut entries = Vec::new();
    let mut entry = LogEntry { positions: vec![0; usize::from(partitions.shards())], ..LogEntry::default() };
    for change in &group.changes {
        let fleet_effects = change.fleet_effects.as_deref();
        if !fleet_effects.is_some_and(|effects| effects.imported) {
            entry.waiting.extend(change.waiting.iter().map(|(_, item)| item.clone()));
        }
        entry.ended.extend(change.ended.iter().map(|ended| {
            let partition = partitions.of(&ended.host);
            FinishedUrl { partition, url: ended.url, fate: ended.fate }
        }));
        entry.notes.extend(change.progress.iter().cloned());
        entry.ledger.clone_from(&change.ledger);
        let Some(fleet_effects) = fleet_effects else { continue };
        if let Some(arrived) = fleet_effects.arrived.filter(|arrived| arrived.in_order)
            && let Some(position) = entry.positions.get_mut(usize::from(arrived.shard))
        {
            *position = arrived.sequence.max(*position);
        }
        entry.taken.extend(fleet_effects.taken.iter().copied().map(harvestman_fleet::Partition));
        if !fleet_effects.released.is_empty() {
            entry.released.extend(fleet_effects.released.iter().copied().map(harvestman_fleet::Partition));
            let next = LogEntry {
                positions: vec![0; entry.positions.len()],
                ledger: entry.ledger.clone(),
                ..LogEntry::default()
            };
            entries.push(std::mem::replace(&mut entry, next));
        }
    }
    entry.hosts = group.hosts.iter().map(|(host, memory)| (host.clone(), memory.clone())).collect();
    entry.notes.extend(group.notes.iter().cloned());
    // Hosts that were released in this group have the clocks of before: their new node waits anyway.
    entries.push(entry);
    entries
}

#[cfg(test)]
mod tests {
    use super::*;
    use harvestman_core::model::{Apath, Arrival, Fate, LinkClass, ScheduledUrl};
    use harvestman_core::url::CanonicalUrl;

    fn item(url: &str) -> ScheduledUrl {
        let class = LinkClass::unclassified(Apath(1));
        let url = CanonicalUrl::from_canonical(url);
        ScheduledUrl { depth: 1, ..ScheduledUrl::found(url, class) }
    }

    fn passing(fleet_effects: FleetEffects) -> Change {
        Change { fleet_effects: Some(Box::new(fleet_effects)), ..Change::default() }
    }

    fn arrived(sequence: u64, in_order: bool) -> Change {
        passing(FleetEffects { arrived: Some(Arrival { shard: 1, sequence, in_order }), ..FleetEffects::default() })
    }

    #[test]
    fn a_group_is_one_entry_and_what_comes_after_a_release_another() {
        let ended = harvestman_core::model::Ended {
            number: Some(1),
            url: item("http://a.test/").url.fingerprint(),
            host: item("http://a.test/").url.host_key(),
            fate: Fate::Fetched,
        };
        let imported = FleetEffects { imported: true, ..FleetEffects::default() };
        let changes = vec![
            Change { waiting: vec![(2, item("http://a.test/1"))], ended: vec![ended], ..Change::default() },
            Change { waiting: vec![(3, item("http://a.test/2"))], ..passing(imported) },
            arrived(7, true),
            arrived(90, false),
            passing(FleetEffects { released: vec![5], ..FleetEffects::default() }),
            arrived(8, true),
            passing(FleetEffects { taken: vec![6], ..FleetEffects::default() }),
        ];
        let partitions = Partitions::new(16, 4);
        let entries = entries(&CommitGroup { changes, ..CommitGroup::default() }, &partitions);
        let [first, second] = &entries[..] else { panic!("{} entries", entries.len()) };
        assert_eq!(first.waiting, [item("http://a.test/1")], "what another node committed is not committed again");
        assert_eq!(first.ended[0].partition, partitions.of(&item("http://a.test/").url.host_key()));
        assert_eq!((&*first.positions, first.released.len(), first.taken.len()), (&[0, 7, 0, 0][..], 1, 0));
        assert_eq!((&*second.positions, second.released.len(), second.taken.len()), (&[0, 8, 0, 0][..], 0, 1));
    }
}
