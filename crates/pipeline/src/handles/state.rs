//! The way to the state writer.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use crossbeam_channel::{Receiver, Sender, bounded};

use crate::bounds::{ERRANDS_MAX, leases_max};
use harvestman_core::config::Config;
use harvestman_core::model::{Change, ProgressRecord};
use harvestman_core::url::HostKey;
use harvestman_stages::frontier::ChangePort;
use harvestman_stages::host::Politeness;
use harvestman_storage::store::encode;

/// What the state writer is given.
pub(crate) enum Task {
    /// A change of the frontier.
    Change(Box<Change>),
    /// What is known of a host, encoded.
    Host(HostKey, Vec<u8>),
    /// A fact.
    Progress(ProgressRecord),
    /// There is no more.
    End,
}

/// The state writer's queue. It has room for all that leases and errands can bring; a state writer that waits for the disk longer than
/// that makes the frontier wait too.
#[derive(Clone)]
pub(crate) struct StateHandle {
    tasks: Sender<Task>,
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
    /// A queue as large as the configuration's leases and errands ask for, and the state writer's end of it.
    pub(crate) fn new(config: &Config) -> (Self, StateQueue) {
        let (sender, tasks) = bounded(2 * (leases_max(config) + ERRANDS_MAX));
        let pending: Arc<AtomicU64> = Arc::default();
        (Self { tasks: sender, pending: Arc::clone(&pending) }, StateQueue { tasks, pending })
    }

    /// Persists what is known of a host.
    pub(crate) fn remember(&self, host: &HostKey, memory: &Politeness) {
        self.send(Task::Host(host.clone(), encode(memory)));
    }

    /// Persists a fact.
    pub(crate) fn note(&self, note: ProgressRecord) {
        self.send(Task::Progress(note));
    }

    /// Changes that are not committed yet.
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
        self.pending.fetch_add(1, Ordering::AcqRel);
        self.send(Task::Change(Box::new(change)));
    }
}
