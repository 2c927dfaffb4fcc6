//! What a node holds, and until when it may fetch.

use std::collections::HashSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, AtomicU64, Ordering};

use parking_lot::Mutex;

use super::engine::Tenure;
use super::{Partition, Partitions};
use harvestman_core::clock::Instant;
use harvestman_core::model::{HostOwnership, ScheduledUrl};
use harvestman_core::url::{Fingerprint, HostKey};
use harvestman_metrics::FleetMetrics;

/// Slots of the memory of what was handed over: 2 MiB.
const SENT_SLOTS: usize = 1 << 18;

const FOREIGN: u8 = 0;
const HELD: u8 = 1;
const LEAVING: u8 = 2;

/// What a node holds. Shared by all threads; partitions change hands under the engine's gate.
pub struct Territory {
    partitions: Partitions,
    states: Box<[AtomicU8]>,
    tenure: Arc<Tenure>,
    sent: Box<[AtomicU64]>,
    /// URLs that were seen here, and handed over all the same.
    regretted: Mutex<HashSet<Fingerprint>>,
    metrics: Arc<FleetMetrics>,
}

impl Territory {
    /// Nothing is held yet.
    pub fn new(partitions: Partitions, tenure: Arc<Tenure>, metrics: Arc<FleetMetrics>) -> Self {
        Self {
            states: partitions.all().map(|_| AtomicU8::new(FOREIGN)).collect(),
            sent: (0..SENT_SLOTS).map(|_| AtomicU64::new(0)).collect(),
            partitions,
            tenure,
            regretted: Mutex::default(),
            metrics,
        }
    }

    /// How hosts are divided.
    pub const fn partitions(&self) -> &Partitions {
        &self.partitions
    }

    /// Until when this node may fetch.
    pub const fn tenure(&self) -> &Arc<Tenure> {
        &self.tenure
    }

    /// From now on it is held.
    pub fn hold(&self, partition: Partition) {
        self.set(partition, HELD);
    }

    /// From now on nothing of it is begun; links of it go to others, but what others send is still taken in.
    pub fn leave(&self, partition: Partition) {
        self.set(partition, LEAVING);
    }

    /// From now on it is another's.
    pub fn let_go(&self, partition: Partition) {
        self.set(partition, FOREIGN);
    }

    /// Whether what others send of a host is taken in.
    pub fn takes_in(&self, origin: &str) -> bool {
        self.state(origin) != FOREIGN
    }

    /// Whether a URL that others send is to be taken in although it was seen: it was handed over in between.
    pub fn was_regretted(&self, url: Fingerprint) -> bool {
        let mut regretted = self.regretted.lock();
        !regretted.is_empty() && regretted.remove(&url)
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

impl HostOwnership for Territory {
    fn holds(&self, origin: &str) -> bool {
        self.state(origin) == HELD
    }

    fn may_fetch(&self, host: &HostKey, now: Instant) -> bool {
        now < self.tenure.until() && self.holds(host.as_str())
    }

    fn is_news(&self, url: Fingerprint) -> bool {
        // The slot by one half, its content by the other. 0 is that of an empty slot: such a URL is always news.
        let (slot, tag) = (url.0 as usize % SENT_SLOTS, (url.0 >> 64) as u64);
        let is_news = self.sent[slot].swap(tag, Ordering::Relaxed) != tag || tag == 0;
        if !is_news {
            self.metrics.foreign.by("held_back").inc();
        }
        is_news
    }

    fn regret(&self, url: &ScheduledUrl) {
        self.regretted.lock().insert(url.url.fingerprint());
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    fn territory() -> Territory {
        Territory::new(Partitions::new(16, 4), Arc::default(), Arc::new(FleetMetrics::off()))
    }

    #[test]
    fn what_is_held_is_taken_in_and_fetched_while_the_tenure_lasts() {
        let territory = territory();
        let host: HostKey = HostKey::from_origin("http://a.test");
        let partition = territory.partitions().of(&host);
        let (now, later) = (Instant::from_micros(5), Instant::from_micros(5) + Duration::from_secs(1));
        territory.tenure().extend(later);
        assert!(!territory.holds("http://a.test") && !territory.takes_in("http://a.test"));
        territory.hold(partition);
        assert!(territory.holds("https://a.test") && territory.may_fetch(&host, now));
        assert!(!territory.may_fetch(&host, later), "its time is up");
        territory.leave(partition);
        assert!(!territory.holds("http://a.test") && territory.takes_in("http://a.test"));
        assert!(!territory.may_fetch(&host, now));
        territory.let_go(partition);
        assert!(!territory.takes_in("http://a.test"));
    }

    #[test]
    fn what_was_handed_over_is_no_news_until_it_is_forgotten() {
        let territory = territory();
        let (one, same_slot) = (Fingerprint(7 << 64 | 3), Fingerprint(9 << 64 | 3));
        assert!(territory.is_news(one) && !territory.is_news(one));
        assert!(territory.is_news(same_slot) && territory.is_news(one), "it was pushed out");
        assert!(territory.is_news(Fingerprint(0)) && territory.is_news(Fingerprint(0)));
    }
}
