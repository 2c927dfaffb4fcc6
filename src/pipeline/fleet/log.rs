//! What stands before the state of a node: a group of changes is in the session's log before it is in the node's own state.

use std::sync::Arc;
use std::time::Duration;

use super::desk::Desk;
use crate::fleet::engine::Journal;
use crate::fleet::{Ended, Entry, Partitions};
use crate::page::{Change, Passage};
use crate::pipeline::keeper::StateLog;
use crate::store::{Group, Store, StoreError};

/// How often, and how far apart, it is looked how a session has ended.
const CLOSING_LOOKS: u32 = 50;
const CLOSING_PAUSE: Duration = Duration::from_millis(10);

/// Writes groups to the fleet, and then to the disk.
pub(super) struct FleetLog {
    pub(super) journal: Arc<dyn Journal>,
    pub(super) store: Store,
    pub(super) partitions: Partitions,
    pub(super) desk: Arc<Desk>,
    /// Where the journal's sockets are served.
    pub(super) runtime: tokio::runtime::Handle,
}

impl StateLog for FleetLog {
    fn commit(&self, group: &Group, elapsed: Duration) -> Result<(), StoreError> {
        if !self.desk.is_closed() {
            let foreign = passages(&group.changes).flat_map(|passage| passage.foreign.iter().cloned()).collect();
            let entries = entries(group, &self.partitions);
            let kept = self.runtime.block_on(self.journal.keep(foreign, entries));
            // It may have ended in the meantime, with everything that counts.
            if let Err(over) = kept
                && !self.closes()
            {
                return Err(StoreError::Fleet(over.to_string()));
            }
        }
        self.store.commit(group, elapsed)?;
        // Before whoever waits for a passage hears of it.
        group.changes.iter().for_each(|change| self.desk.loads.kept(change, &self.partitions));
        passages(&group.changes).for_each(|passage| self.desk.kept(passage));
        Ok(())
    }
}

impl FleetLog {
    /// Whether the session has ended in good order, which is known a moment after its end.
    fn closes(&self) -> bool {
        (0..CLOSING_LOOKS).any(|_| {
            let closed = self.desk.is_closed();
            if !closed {
                std::thread::sleep(CLOSING_PAUSE);
            }
            closed
        })
    }
}

fn passages(changes: &[Change]) -> impl Iterator<Item = &Passage> {
    changes.iter().filter_map(|change| change.passage.as_deref())
}

/// A group as entries of the log: one, and one more after each change that lets partitions go, as what comes later does not count for them.
fn entries(group: &Group, partitions: &Partitions) -> Vec<Entry> {
    let mut entries = Vec::new();
    let mut entry = Entry { positions: vec![0; usize::from(partitions.shards())], ..Entry::default() };
    for change in &group.changes {
        let passage = change.passage.as_deref();
        if !passage.is_some_and(|passage| passage.imported) {
            entry.waiting.extend(change.waiting.iter().map(|(_, item)| item.clone()));
        }
        entry.ended.extend(change.ended.iter().map(|ended| {
            let partition = partitions.of(&ended.host);
            Ended { partition, url: ended.url, fate: ended.fate }
        }));
        entry.notes.extend(change.notes.iter().cloned());
        entry.ledger.clone_from(&change.ledger);
        let Some(passage) = passage else { continue };
        if let Some(arrived) = passage.arrived.filter(|arrived| arrived.in_order)
            && let Some(position) = entry.positions.get_mut(usize::from(arrived.shard))
        {
            *position = arrived.sequence.max(*position);
        }
        entry.taken.extend(passage.taken.iter().copied().map(crate::fleet::Partition));
        if !passage.released.is_empty() {
            entry.released.extend(passage.released.iter().copied().map(crate::fleet::Partition));
            let next =
                Entry { positions: vec![0; entry.positions.len()], ledger: entry.ledger.clone(), ..Entry::default() };
            entries.push(std::mem::replace(&mut entry, next));
        }
    }
    entry.hosts = group.hosts.iter().map(|(host, memory)| (host.clone(), memory.clone())).collect();
    entry.notes.extend(group.notes.iter().cloned());
    // The clocks of hosts that were let go in this group are those of before: whoever holds them now waits anyway.
    entries.push(entry);
    entries
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::page::{Apath, Arrival, Fate, LinkClass, ScheduledUrl};
    use crate::url::CanonicalUrl;

    fn item(url: &str) -> ScheduledUrl {
        let class = LinkClass::unclassified(Apath(1));
        let url = CanonicalUrl::from_canonical(url);
        ScheduledUrl { url, class, depth: 1, redirects: 0, attempts: 0, via: None }
    }

    fn passing(passage: Passage) -> Change {
        Change { passage: Some(Box::new(passage)), ..Change::default() }
    }

    fn arrived(sequence: u64, in_order: bool) -> Change {
        passing(Passage { arrived: Some(Arrival { shard: 1, sequence, in_order }), ..Passage::default() })
    }

    #[test]
    fn a_group_is_one_entry_and_what_comes_after_a_release_another() {
        let ended = crate::page::Ended {
            number: Some(1),
            url: item("http://a.test/").url.fingerprint(),
            host: item("http://a.test/").url.host_key(),
            fate: Fate::Fetched,
        };
        let imported = Passage { imported: true, ..Passage::default() };
        let changes = vec![
            Change { waiting: vec![(2, item("http://a.test/1"))], ended: vec![ended], ..Change::default() },
            Change { waiting: vec![(3, item("http://a.test/2"))], ..passing(imported) },
            arrived(7, true),
            arrived(90, false),
            passing(Passage { released: vec![5], ..Passage::default() }),
            arrived(8, true),
            passing(Passage { taken: vec![6], ..Passage::default() }),
        ];
        let partitions = Partitions::new(16, 4);
        let entries = entries(&Group { changes, ..Group::default() }, &partitions);
        let [first, second] = &entries[..] else { panic!("{} entries", entries.len()) };
        assert_eq!(first.waiting, [item("http://a.test/1")], "what another node kept is not kept again");
        assert_eq!(first.ended[0].partition, partitions.of(&item("http://a.test/").url.host_key()));
        assert_eq!((&*first.positions, first.released.len(), first.taken.len()), (&[0, 7, 0, 0][..], 1, 0));
        assert_eq!((&*second.positions, second.released.len(), second.taken.len()), (&[0, 8, 0, 0][..], 0, 1));
    }
}
