//! The state writer: a thread that persists the changes of a crawl, in groups.
//!
//! A group is closed when it is old enough or large enough. The archive is synced to disk first, then the group is
//! committed, and only then do its leases end: what the state records as fetched is in the archive.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;

use crossbeam_channel::RecvTimeoutError;
use parking_lot::Mutex;

use crate::bounds::{UNCOMMITTED_URLS_MAX, leases_max};
use crate::handles::{FrontierHandle, StateHandle, StateQueue, Task};
use crate::recrawl::RecrawlHandle;
use harvestman_core::clock::{Clock, Instant};
use harvestman_core::config::Config;
use harvestman_core::model::Ledger;
use harvestman_metrics::StateMetrics;
use harvestman_stages::frontier::{Credit, LeasesCommitted};
use harvestman_stages::host::Politeness;
use harvestman_storage::archive;
use harvestman_storage::store::{CommitGroup, Store, StoreError, decode};

/// Commits groups of changes.
pub(crate) trait StateLog: Send {
    /// [`Store::commit`].
    fn commit(&self, group: &CommitGroup, elapsed: Duration) -> Result<(), StoreError>;
}

impl StateLog for Store {
    fn commit(&self, group: &CommitGroup, elapsed: Duration) -> Result<(), StoreError> {
        Self::commit(self, group, elapsed)
    }
}

/// Decodes what an earlier run knew of a host.
pub(crate) fn recollection(bytes: &[u8]) -> Option<Politeness> {
    decode(bytes)
}

/// The running state writer.
pub(crate) struct StateWriterThread {
    handle: StateHandle,
    thread: JoinHandle<()>,
    failed: Arc<AtomicBool>,
    committed: Arc<Mutex<Ledger>>,
}

impl StateWriterThread {
    /// Commits what still waits, and ends. If something could not be committed, returns the account of what was.
    pub(crate) fn join(self) -> std::thread::Result<Option<Ledger>> {
        self.handle.end();
        self.thread.join()?;
        let committed = self.committed.lock().clone();
        Ok(self.failed.load(Ordering::Relaxed).then_some(committed))
    }
}

/// Changes that wait to be committed.
#[derive(Default)]
struct Gathered {
    commit: CommitGroup,
    leases: u32,
    /// For their URLs; returned when they are committed.
    credit: Vec<Credit>,
    urls: usize,
}

/// The disk as the state writer sees it.
pub(crate) struct Disk {
    pub(crate) state: Box<dyn StateLog>,
    /// Syncs the archive to disk.
    pub(crate) sync_archive: SyncArchive,
}

/// Syncs the archive to disk.
pub(crate) type SyncArchive = Box<dyn Fn() -> Result<(), Arc<archive::Error>> + Send>;

/// Persists changes.
pub(crate) struct StateWriter {
    disk: Disk,
    frontier: FrontierHandle,
    /// In a recrawl: its scheduler, which waits for visits to be committed.
    recrawl: Option<RecrawlHandle>,
    metrics: Arc<StateMetrics>,
    clock: Clock,
    /// When the crawl would have started had it never been interrupted.
    started: Instant,
    every: Duration,
    leases_max: u32,
    queue: StateQueue,
    /// The changes that are not committed yet.
    group: Gathered,
    /// When the group is closed, however small; `None` while it is empty.
    due: Option<Instant>,
    failed: Arc<AtomicBool>,
    /// The account as it was last committed.
    committed: Arc<Mutex<Ledger>>,
}

/// What a state writer is built from.
pub(crate) struct StateWriterSetup {
    pub(crate) disk: Disk,
    /// The account until now.
    pub(crate) account: Ledger,
    pub(crate) queue: StateQueue,
    pub(crate) frontier: FrontierHandle,
    pub(crate) recrawl: Option<RecrawlHandle>,
    pub(crate) metrics: Arc<StateMetrics>,
    pub(crate) clock: Clock,
    /// When the crawl would have started had it never been interrupted.
    pub(crate) started: Instant,
    /// Number of ended pages after which their results are committed.
    pub(crate) pages_max: u32,
}

impl StateWriter {
    /// Creates a state writer that commits as often as `config` says.
    pub(crate) fn new(config: &Config, setup: StateWriterSetup) -> Self {
        let StateWriterSetup { disk, account, queue, frontier, recrawl, metrics, clock, started, pages_max } = setup;
        let leases_max = pages_max.min(leases_max(config) as u32 / 4).max(1);
        Self {
            disk,
            frontier,
            recrawl,
            metrics,
            clock,
            started,
            every: config.state.commit_every.0,
            leases_max,
            queue,
            group: Gathered::default(),
            due: None,
            failed: Arc::default(),
            committed: Arc::new(Mutex::new(account)),
        }
    }

    /// Starts the thread. `handle` is the handle to it.
    pub(crate) fn spawn(self, handle: StateHandle) -> std::io::Result<StateWriterThread> {
        let (failed, committed) = (Arc::clone(&self.failed), Arc::clone(&self.committed));
        let thread = std::thread::Builder::new().name("state".to_owned()).spawn(move || self.run())?;
        Ok(StateWriterThread { handle, thread, failed, committed })
    }

    fn run(mut self) {
        loop {
            let task = match self.due {
                None => self.queue.tasks.recv().map_err(|_| RecvTimeoutError::Disconnected),
                Some(due) => self.queue.tasks.recv_timeout(due.since(self.clock.now())),
            };
            let ends = match task {
                Ok(task) => !self.take(task),
                Err(RecvTimeoutError::Timeout) => false,
                Err(RecvTimeoutError::Disconnected) => true,
            };
            if ends || self.is_due() {
                self.commit_group();
            }
            if ends {
                break;
            }
        }
    }

    /// Adds a task to the group. Returns false at the end.
    fn take(&mut self, task: Task) -> bool {
        let continues = self.group.take(task);
        if continues && self.due.is_none() {
            self.due = Some(self.clock.now() + self.every);
        }
        continues
    }

    /// Whether the group is old or large enough. With half of the credit, no change that takes the other half waits for
    /// the group to become old.
    fn is_due(&self) -> bool {
        let large = self.group.leases >= self.leases_max || self.group.urls >= UNCOMMITTED_URLS_MAX / 2;
        large || self.due.is_some_and(|due| due <= self.clock.now())
    }

    /// Commits the group, and ends its leases.
    fn commit_group(&mut self) {
        let group = std::mem::take(&mut self.group);
        self.due = None;
        let metrics = &self.metrics;
        if !self.failed.load(Ordering::Relaxed)
            && let Err(error) = self.commit_contained(&group)
        {
            metrics.failures.inc();
            tracing::error!(
                "{error}: the crawl stops; what was committed before is intact, and `harvestman resume` continues from \
                 it"
            );
            self.failed.store(true, Ordering::Relaxed);
            self.frontier.stop();
        }
        self.queue.pending.fetch_sub(group.commit.changes.len() as u64, Ordering::AcqRel);
        // After a failure too, so that the crawl can end.
        self.frontier.send(LeasesCommitted(group.leases));
    }

    /// Commits the group; a panic is an error like any other, since the crawl would wait forever for a state writer
    /// that is gone.
    fn commit_contained(&self, group: &Gathered) -> Result<(), String> {
        let commit = AssertUnwindSafe(|| self.commit(group));
        catch_unwind(commit).unwrap_or_else(|_| Err("the state writer panicked".to_owned()))
    }

    fn commit(&self, group: &Gathered) -> Result<(), String> {
        let began = self.clock.now();
        if group.leases > 0 {
            (self.disk.sync_archive)().map_err(|error| error.to_string())?;
        }
        let now = self.clock.now();
        let elapsed = now.since(self.started);
        self.disk.state.commit(&group.commit, elapsed).map_err(|error| error.to_string())?;
        if let Some(last) = group.commit.changes.last() {
            self.committed.lock().clone_from(&last.ledger);
        }
        if let Some(recrawl) = &self.recrawl {
            group.commit.changes.iter().for_each(|change| recrawl.kept(change));
        }
        let metrics = &self.metrics;
        metrics.commits.inc();
        metrics.queue_length.set(self.queue.tasks.len() as u64);
        metrics.pages.add(u64::from(group.leases));
        metrics.commit_seconds.observe(self.clock.now().since(began));
        Ok(())
    }
}

impl Gathered {
    /// Adds a task. Returns false at the end.
    fn take(&mut self, task: Task) -> bool {
        match task {
            Task::Change(change, credit) => {
                self.leases += change.leases;
                self.urls += credit.urls();
                self.credit.push(credit);
                self.commit.changes.push(*change);
            }
            Task::Host(host, memory) => drop(self.commit.hosts.insert(host, memory)),
            Task::Progress(note) => self.commit.notes.push(note),
            Task::End => return false,
        }
        true
    }
}

/// For the simulation, which has no threads.
#[cfg(test)]
impl StateWriter {
    /// Adds what waits and commits what is due. Returns whether there was anything to do.
    pub(crate) fn step(&mut self) -> bool {
        let mut any = false;
        while !self.is_due()
            && let Ok(task) = self.queue.tasks.try_recv()
        {
            any = true;
            self.take(task);
        }
        if self.is_due() {
            self.commit_group();
            any = true;
        }
        any
    }

    /// Commits what still waits. If something could not be committed, returns the account of what was.
    pub(crate) fn finish(mut self) -> Option<Ledger> {
        while self.step() {}
        self.commit_group();
        let committed = self.committed.lock().clone();
        self.failed.load(Ordering::Relaxed).then_some(committed)
    }
}
