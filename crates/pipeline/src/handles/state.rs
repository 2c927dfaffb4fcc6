//! The handle to the state writer.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use crossbeam_channel::{Receiver, Sender, bounded};

use crate::bounds::{ERRANDS_MAX, UNCOMMITTED_URLS_MAX, leases_max};
use harvestman_core::config::Config;
use harvestman_core::model::{Change, ProgressRecord};
use harvestman_core::url::HostKey;
use harvestman_stages::frontier::{ChangePort, Credit, CreditPool};
use harvestman_stages::host::Politeness;
use harvestman_storage::store::encode;

/// The tasks of the state writer.
pub(crate) enum Task {
    /// A change of the frontier.
    Change(Box<Change>, Credit),
    /// What is known of a host, encoded.
    Host(HostKey, Vec<u8>),
    /// A fact.
    Progress(ProgressRecord),
    /// There are no more tasks.
    End,
}

/// The state writer's queue. It has room for everything that leases and auxiliary requests can produce; if the state
/// writer waits for the disk longer than that, the frontier waits too. So it does while many URLs are not committed.
#[derive(Clone)]
pub(crate) struct StateHandle {
    tasks: Sender<Task>,
    /// For the URLs of changes that are not committed.
    credit: CreditPool,
    /// Changes that are not committed yet.
    pending: Arc<AtomicU64>,
}

/// The state writer's end of the queue.
pub(crate) struct StateQueue {
    pub(crate) tasks: Receiver<Task>,
    /// Changes that are not committed yet.
    pub(crate) pending: Arc<AtomicU64>,
}

impl StateHandle {
    /// Creates a queue with room for the configured leases and auxiliary requests, and the state writer's end of it.
    pub(crate) fn new(config: &Config) -> (Self, StateQueue) {
        let (sender, tasks) = bounded(2 * (leases_max(config) + ERRANDS_MAX));
        let pending: Arc<AtomicU64> = Arc::default();
        let credit = CreditPool::new(UNCOMMITTED_URLS_MAX);
        (Self { tasks: sender, credit, pending: Arc::clone(&pending) }, StateQueue { tasks, pending })
    }

    /// Persists what is known of a host.
    pub(crate) fn remember(&self, host: &HostKey, memory: &Politeness) {
        self.send(Task::Host(host.clone(), encode(memory)));
    }

    /// Persists a fact.
    pub(crate) fn note(&self, note: ProgressRecord) {
        self.send(Task::Progress(note));
    }

    /// Returns the number of changes that are not committed yet.
    pub(crate) fn pending(&self) -> u64 {
        self.pending.load(Ordering::Acquire)
    }

    /// Ends the state writer when it has committed what is in the queue.
    pub(crate) fn end(&self) {
        self.send(Task::End);
    }

    fn send(&self, task: Task) {
        if self.tasks.send(task).is_err() {
            // It ends when nothing is in progress any more.
            tracing::debug!("a change came after the end of the crawl");
        }
    }
}

impl ChangePort for StateHandle {
    fn keep(&self, change: Change) {
        let credit = self.credit.take(change.waiting.len() + change.ended.len());
        self.pending.fetch_add(1, Ordering::AcqRel);
        self.send(Task::Change(Box::new(change), credit));
    }
}
