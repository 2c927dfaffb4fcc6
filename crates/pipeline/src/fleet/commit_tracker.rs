//! Tracks what a node has committed, for the parts of the engine that wait for it.

use std::collections::HashSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use parking_lot::Mutex;
use tokio::sync::{Notify, Semaphore};

use super::loads::Loads;
use harvestman_core::model::{Arrival, FleetEffects};
use harvestman_fleet::{Partition, Partitions};

/// The maximum number of batches of the exchange that are taken in and not committed yet, over all shards.
const ARRIVALS_MAX: usize = 64;

/// What a session has committed. Tasks can wait for it.
pub(super) struct CommitTracker {
    /// The number of each shard up to which everything is in the log.
    positions: Box<[AtomicU64]>,
    /// The load of each partition.
    pub(super) loads: Loads,
    /// Room for batches.
    room: Semaphore,
    taken: Mutex<HashSet<Partition>>,
    released: Mutex<HashSet<Partition>>,
    news: Notify,
    /// Whether the session has ended cleanly: the fleet has everything that it must know.
    closed: AtomicBool,
    /// Whether what an earlier session knew is still being offered to the fleet.
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

    /// Waits until there is room for another batch, and takes it; it is returned when the batch is committed.
    pub(super) async fn take_room(&self) {
        if let Ok(permit) = self.room.acquire().await {
            permit.forget();
        }
    }

    /// Returns the committed position of each shard.
    pub(super) fn positions(&self) -> Vec<u64> {
        self.positions.iter().map(|position| position.load(Ordering::Acquire)).collect()
    }

    /// Waits until the log records that partitions are held.
    pub(super) async fn taken(&self, partitions: &[Partition]) {
        self.noted(&self.taken, partitions).await;
    }

    /// Waits until the log records that partitions are released.
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

    /// Records that what an earlier session knew, if anything, was offered to the fleet.
    pub(super) fn handed_back(&self) {
        self.hands_back.store(false, Ordering::Release);
    }

    /// Whether that offer is still in progress.
    pub(super) fn hands_back(&self) -> bool {
        self.hands_back.load(Ordering::Acquire)
    }

    /// Records that the session has ended cleanly.
    pub(super) fn close(&self) {
        self.closed.store(true, Ordering::Release);
    }

    /// Whether the session has ended cleanly.
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
