//! Tracks what a node has committed, for the parts of the engine that wait for it.

use std::collections::HashSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use parking_lot::Mutex;
use tokio::sync::{Notify, Semaphore};

use super::loads::Loads;
use harvestman_core::model::{Arrival, FleetEffects};
use harvestman_fleet::{Partition, Partitions};

/// Batches of the exchange that were taken in and are not kept yet, over all shards.
const ARRIVALS_MAX: usize = 64;

/// What is committed, for those who wait for it.
pub(super) struct CommitTracker {
    /// Of each shard, everything up to this number is in the log.
    positions: Box<[AtomicU64]>,
    /// What is known of each partition.
    pub(super) loads: Loads,
    /// Room for batches.
    room: Semaphore,
    taken: Mutex<HashSet<Partition>>,
    released: Mutex<HashSet<Partition>>,
    news: Notify,
    /// The session has ended in good order: the fleet has all that it is to know.
    closed: AtomicBool,
    /// What an earlier session knew is being offered to the fleet.
    hands_back: AtomicBool,
}

impl CommitTracker {
    pub(super) fn new(partitions: &Partitions) -> Arc<Self> {
        Arc::new(Self {
            loads: Loads::new(partitions),
            positions: (0..partitions.shards()).map(|_| AtomicU64::new(0)).collect(),
            room: Semaphore::new(ARRIVALS_MAX),
            taken: Mutex::default(),
            released: Mutex::default(),
            news: Notify::new(),
            closed: AtomicBool::new(false),
            hands_back: AtomicBool::new(true),
        })
    }

    /// Waits until there is room for another batch, and takes it; it is given back when the batch is kept.
    pub(super) async fn take_room(&self) {
        if let Ok(permit) = self.room.acquire().await {
            permit.forget();
        }
    }

    /// What is kept of each shard.
    pub(super) fn positions(&self) -> Vec<u64> {
        self.positions.iter().map(|position| position.load(Ordering::Acquire)).collect()
    }

    /// Waits until the log says that partitions are held.
    pub(super) async fn taken(&self, partitions: &[Partition]) {
        self.noted(&self.taken, partitions).await;
    }

    /// Waits until the log says that partitions are released.
    pub(super) async fn released(&self, partitions: &[Partition]) {
        self.noted(&self.released, partitions).await;
    }

    async fn noted(&self, noted: &Mutex<HashSet<Partition>>, partitions: &[Partition]) {
        loop {
            let news = self.news.notified();
            {
                let mut noted = noted.lock();
                if partitions.iter().all(|partition| noted.contains(partition)) {
                    noted.retain(|partition| !partitions.contains(partition));
                    return;
                }
            }
            news.await;
        }
    }

    /// What an earlier session knew was offered to the fleet, if there was anything.
    pub(super) fn handed_back(&self) {
        self.hands_back.store(false, Ordering::Release);
    }

    /// Whether that is still under way.
    pub(super) fn hands_back(&self) -> bool {
        self.hands_back.load(Ordering::Acquire)
    }

    /// The session has ended in good order.
    pub(super) fn close(&self) {
        self.closed.store(true, Ordering::Release);
    }

    /// Whether the session has ended in good order.
    pub(super) fn is_closed(&self) -> bool {
        self.closed.load(Ordering::Acquire)
    }

    /// Records committed effects.
    pub(super) fn kept(&self, fleet_effects: &FleetEffects) {
        if let Some(Arrival { shard, sequence, in_order }) = fleet_effects.arrived {
            self.room.add_permits(1);
            if let Some(position) = self.positions.get(usize::from(shard)).filter(|_| in_order) {
                position.fetch_max(sequence, Ordering::AcqRel);
            }
        }
        if !fleet_effects.released.is_empty() || !fleet_effects.taken.is_empty() {
            self.taken.lock().extend(fleet_effects.taken.iter().copied().map(Partition));
            self.released.lock().extend(fleet_effects.released.iter().copied().map(Partition));
            self.news.notify_waiters();
        }
    }
}
