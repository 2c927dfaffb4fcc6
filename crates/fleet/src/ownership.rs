//! The partitions that a node owns, and until when it may fetch.

use std::collections::HashSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, AtomicU64, Ordering};

use parking_lot::Mutex;

use super::engine::FetchDeadline;
use super::{Partition, Partitions};
use harvestman_core::clock::Instant;
use harvestman_core::model::{HostOwnership, ScheduledUrl};
use harvestman_core::url::{Fingerprint, HostKey};
use harvestman_metrics::FleetMetrics;

/// Slots of the cache of links sent to other nodes: 2 MiB.
const SENT_SLOTS: usize = 1 << 18;

const FOREIGN: u8 = 0;
const HELD: u8 = 1;
const LEAVING: u8 = 2;

/// The partitions that a node owns. Shared by all threads; ownership changes under the engine's lock.
pub struct PartitionOwnership {
    partitions: Partitions,
    states: Box<[AtomicU8]>,
    fetch_deadline: Arc<FetchDeadline>,
    sent: Box<[AtomicU64]>,
    /// URLs that were seen here and nevertheless sent to another node.
    relinquished: Mutex<HashSet<Fingerprint>>,
    metrics: Arc<FleetMetrics>,
}

impl PartitionOwnership {
    /// Creates the ownership of a node that holds nothing yet.
    pub fn new(partitions: Partitions, fetch_deadline: Arc<FetchDeadline>, metrics: Arc<FleetMetrics>) -> Self {
        Self {
            states: partitions.all().map(|_| AtomicU8::new(FOREIGN)).collect(),
            sent: (0..SENT_SLOTS).map(|_| AtomicU64::new(0)).collect(),
            partitions,
            fetch_deadline,
            relinquished: Mutex::default(),
            metrics,
        }
    }

    /// Returns the division of hosts into partitions.
    pub const fn partitions(&self) -> &Partitions {
        &self.partitions
    }

    /// Returns the deadline until which this node may fetch.
    pub const fn fetch_deadline(&self) -> &Arc<FetchDeadline> {
        &self.fetch_deadline
    }

    /// Marks a partition as held.
    pub fn hold(&self, partition: Partition) {
        self.set(partition, HELD);
    }

    /// Marks a partition as being released: no new request begins, and links to it go to other nodes, but links from
    /// other nodes are still accepted.
    pub fn begin_release(&self, partition: Partition) {
        self.set(partition, LEAVING);
    }

    /// Marks a partition as owned by another node.
    pub fn release(&self, partition: Partition) {
        self.set(partition, FOREIGN);
    }

    /// Returns whether links to a host are accepted from other nodes.
    pub fn accepts_links_of(&self, origin: &str) -> bool {
        self.state(origin) != FOREIGN
    }

    /// Returns whether a URL must be accepted from another node although it was seen here, because it was sent away in
    /// between. Forgets the URL.
    pub fn was_relinquished(&self, url: Fingerprint) -> bool {
        let mut relinquished = self.relinquished.lock();
        !relinquished.is_empty() && relinquished.remove(&url)
    }

    fn set(&self, partition: Partition, state: u8) {
        if let Some(slot) = self.states.get(usize::from(partition.0)) {
            slot.store(state, Ordering::SeqCst);
        }
    }

    fn state(&self, origin: &str) -> u8 {
        let partition = self.partitions.of_origin(origin);
        self.states.get(usize::from(partition.0)).map_or(FOREIGN, |state| state.load(Ordering::SeqCst))
    }
}

impl HostOwnership for PartitionOwnership {
    fn holds(&self, origin: &str) -> bool {
        self.state(origin) == HELD
    }

    fn may_fetch(&self, host: &HostKey, now: Instant) -> bool {
        now < self.fetch_deadline.until() && self.holds(host.as_str())
    }

    fn record_handover(&self, url: Fingerprint) -> bool {
        // One half of the fingerprint selects the slot, the other is its content. 0 marks an empty slot, so such a URL
        // is always sent.
        let (slot, tag) = (url.0 as usize % SENT_SLOTS, (url.0 >> 64) as u64);
        let is_news = self.sent[slot].swap(tag, Ordering::Relaxed) != tag || tag == 0;
        if !is_news {
            self.metrics.foreign.by("held_back").inc();
        }
        is_news
    }

    fn allow_return(&self, url: &ScheduledUrl) {
        self.relinquished.lock().insert(url.url.fingerprint());
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    fn ownership() -> PartitionOwnership {
        PartitionOwnership::new(Partitions::new(16, 4), Arc::default(), Arc::new(FleetMetrics::off()))
    }

    #[test]
    fn what_is_held_is_taken_in_and_fetched_while_the_tenure_lasts() {
        let ownership = ownership();
        let host: HostKey = HostKey::from_origin("http://a.test");
        let partition = ownership.partitions().of(&host);
        let (now, later) = (Instant::from_micros(5), Instant::from_micros(5) + Duration::from_secs(1));
        ownership.fetch_deadline().extend(later);
        assert!(!ownership.holds("http://a.test") && !ownership.accepts_links_of("http://a.test"));
        ownership.hold(partition);
        assert!(ownership.holds("https://a.test") && ownership.may_fetch(&host, now));
        assert!(!ownership.may_fetch(&host, later), "its time is up");
        ownership.begin_release(partition);
        assert!(!ownership.holds("http://a.test") && ownership.accepts_links_of("http://a.test"));
        assert!(!ownership.may_fetch(&host, now));
        ownership.release(partition);
        assert!(!ownership.accepts_links_of("http://a.test"));
    }

    #[test]
    fn what_was_handed_over_is_no_news_until_it_is_forgotten() {
        let ownership = ownership();
        let (one, same_slot) = (Fingerprint(7 << 64 | 3), Fingerprint(9 << 64 | 3));
        assert!(ownership.record_handover(one) && !ownership.record_handover(one));
        assert!(ownership.record_handover(same_slot) && ownership.record_handover(one), "it was pushed out");
        assert!(ownership.record_handover(Fingerprint(0)) && ownership.record_handover(Fingerprint(0)));
    }
}
