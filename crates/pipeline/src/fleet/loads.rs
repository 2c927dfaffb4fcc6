//! The load of each partition.

use std::sync::atomic::{AtomicU64, Ordering};

use harvestman_core::model::Change;
use harvestman_fleet::{Partition, PartitionState, Partitions};

/// The number of URLs that were ever accepted of each partition that is held. Changes count when they are committed;
/// what another node knew counts when it is taken.
pub(super) struct Loads(Box<[AtomicU64]>);

impl Loads {
    pub(super) fn new(partitions: &Partitions) -> Self {
        Self(partitions.all().map(|_| AtomicU64::new(0)).collect())
    }

    /// Records that a partition is taken, with what is known of it.
    pub(super) fn took(&self, partition: Partition, known: &PartitionState) {
        self.set(partition, (known.waiting.len() + known.ended.len()) as u64);
    }

    /// Records a committed change.
    pub(super) fn kept(&self, change: &Change, partitions: &Partitions) {
        let fleet_effects = change.fleet_effects.as_deref();
        if !fleet_effects.is_some_and(|effects| effects.imported) {
            // A URL that was tried before was counted before.
            let new = change.waiting.iter().filter(|(_, item)| item.attempts == 0);
            new.for_each(|(_, item)| self.grow(partitions.of_origin(item.url.origin())));
        }
        let never_waited = change.ended.iter().filter(|ended| ended.number.is_none());
        never_waited.for_each(|ended| self.grow(partitions.of(&ended.host)));
        let released = fleet_effects.map(|effects| &*effects.released).unwrap_or_default();
        released.iter().for_each(|partition| self.set(Partition(*partition), 0));
    }

    /// Returns the load of each partition, by its number.
    pub(super) fn now(&self) -> Vec<u64> {
        self.0.iter().map(|known| known.load(Ordering::Relaxed)).collect()
    }

    fn grow(&self, partition: Partition) {
        if let Some(known) = self.0.get(usize::from(partition.0)) {
            known.fetch_add(1, Ordering::Relaxed);
        }
    }

    fn set(&self, partition: Partition, to: u64) {
        if let Some(known) = self.0.get(usize::from(partition.0)) {
            known.store(to, Ordering::Relaxed);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use harvestman_core::model::{Apath, Ended, Fate, FleetEffects, LinkClass, ScheduledUrl};
    use harvestman_core::url::CanonicalUrl;

    fn item(url: &str, attempts: u8) -> ScheduledUrl {
        let (url, class) = (CanonicalUrl::from_canonical(url), LinkClass::unclassified(Apath(1)));
        ScheduledUrl { depth: 1, attempts, ..ScheduledUrl::found(url, class) }
    }

    fn ended(url: &str, number: Option<u64>) -> Ended {
        let url = item(url, 0).url;
        Ended { number, url: url.fingerprint(), host: url.host_key(), fate: Fate::Fetched }
    }

    #[test]
    fn each_url_counts_once_until_its_partition_is_released() {
        let partitions = Partitions::new(16, 4);
        let at = partitions.of_origin("http://a.test");
        let loads = Loads::new(&partitions);
        let known = || loads.now()[usize::from(at.0)];
        loads.took(
            at,
            &PartitionState { ended: vec![item("http://a.test/0", 0).url.fingerprint()], ..PartitionState::default() },
        );
        let waiting = vec![(1, item("http://a.test/1", 0)), (2, item("http://a.test/2", 1))];
        let ended = vec![ended("http://a.test/3", None), ended("http://a.test/0", Some(7))];
        loads.kept(&Change { waiting: waiting.clone(), ended, ..Change::default() }, &partitions);
        assert_eq!(known(), 3, "what was tried before and what waited before are known already");
        let imported = Some(Box::new(FleetEffects { imported: true, ..FleetEffects::default() }));
        loads.kept(&Change { waiting, fleet_effects: imported, ..Change::default() }, &partitions);
        assert_eq!(known(), 3, "what comes with a partition was counted when it was taken");
        assert_eq!(loads.now().iter().sum::<u64>(), 3);
        let fleet_effects = Some(Box::new(FleetEffects { released: vec![at.0], ..FleetEffects::default() }));
        loads.kept(&Change { fleet_effects, ..Change::default() }, &partitions);
        assert_eq!(known(), 0);
    }
}
