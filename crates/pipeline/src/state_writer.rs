//! The keeper: a thread that keeps what changes in a crawl, in groups.
//!
//! A group is closed when it is old enough or large enough. First the archive is forced to the disk, then the group is committed, and
//! only then do its leases end: what the state says was fetched is in the archive.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;

use crossbeam_channel::{Receiver, RecvTimeoutError, Sender, bounded};
use parking_lot::Mutex;

use super::switchboard::{ERRANDS_MAX, Lines};
use harvestman_core::clock::{Clock, Instant};
use harvestman_core::config::Config;
use harvestman_core::model::{Change, Ledger, Note};
use harvestman_core::url::HostKey;
use harvestman_stages::frontier::{ChangePort, Control, Kept};
use harvestman_stages::host::Politeness;
use harvestman_storage::archive;
use harvestman_storage::store::{Group, Store, StoreError, decode, encode};

enum Task {
    Change(Box<Change>),
    Host(HostKey, Vec<u8>),
    Note(Note),
    End,
}

/// Where groups of changes are committed.
pub(super) trait StateLog: Send {
    /// [`Store::commit`].
    fn commit(&self, group: &Group, elapsed: Duration) -> Result<(), StoreError>;
}

impl StateLog for Store {
    fn commit(&self, group: &Group, elapsed: Duration) -> Result<(), StoreError> {
        Self::commit(self, group, elapsed)
    }
}

/// The way to the keeper. There is room for all that leases and errands can bring; a keeper that waits for the disk longer than that
/// makes the frontier wait too.
#[derive(Clone)]
pub(super) struct StateHandle {
    tasks: Sender<Task>,
    /// Changes that are not kept yet.
    pending: Arc<AtomicU64>,
}

impl StateHandle {
    pub(super) fn remember(&self, host: &HostKey, memory: &Politeness) {
        self.send(Task::Host(host.clone(), encode(memory)));
    }

    /// Changes that are not kept yet.
    pub(super) fn pending(&self) -> u64 {
        self.pending.load(Ordering::Acquire)
    }

    pub(super) fn note(&self, note: Note) {
        self.send(Task::Note(note));
    }

    fn send(&self, task: Task) {
        if self.tasks.send(task).is_err() {
            // It ends when nothing is under way any more.
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

/// What an earlier run knew of a host.
pub(super) fn recollection(bytes: &[u8]) -> Option<Politeness> {
    decode(bytes)
}

/// The running thread.
pub(super) struct StateWriterThread {
    port: StateHandle,
    thread: JoinHandle<()>,
    failed: Arc<AtomicBool>,
    kept: Arc<Mutex<Ledger>>,
}

impl StateWriterThread {
    /// Keeps what still waits and ends. If something could not be kept, the account of what was.
    pub(super) fn join(self) -> std::thread::Result<Option<Ledger>> {
        self.port.send(Task::End);
        self.thread.join()?;
        let kept = self.kept.lock().clone();
        Ok(self.failed.load(Ordering::Relaxed).then_some(kept))
    }
}

/// What waits to be committed.
#[derive(Default)]
struct Gathered {
    kept: Group,
    leases: u32,
}

/// What the keeper writes to.
pub(super) struct Disk {
    pub(super) state: Box<dyn StateLog>,
    /// Forces the archive to the disk.
    pub(super) sync_archive: SyncArchive,
}

/// Forces the archive to the disk.
pub(super) type SyncArchive = Box<dyn Fn() -> Result<(), Arc<archive::Error>> + Send>;

/// Keeps changes.
pub(super) struct StateWriter {
    disk: Disk,
    lines: Lines,
    clock: Clock,
    /// When the crawl would have started had it never been interrupted.
    started: Instant,
    every: Duration,
    leases_max: u32,
    tasks: Receiver<Task>,
    /// What is not committed yet.
    group: Gathered,
    /// When the group is closed, however small; none while there is nothing in it.
    due: Option<Instant>,
    failed: Arc<AtomicBool>,
    pending: Arc<AtomicU64>,
    /// The account as it was kept last.
    kept: Arc<Mutex<Ledger>>,
}

impl StateWriter {
    /// A keeper of a crawl that began at `started` and had this account until now, and the way to it.
    pub(super) fn new(
        config: &Config,
        (disk, account): (Disk, Ledger),
        lines: Lines,
        (clock, started): (Clock, Instant),
    ) -> (Self, StateHandle) {
        let in_flight = config.frontier.in_flight_max.max(1);
        let (sender, tasks) = bounded(2 * (in_flight as usize + ERRANDS_MAX));
        let keeper = Self {
            disk,
            lines,
            clock,
            started,
            every: config.state.commit_every.0,
            leases_max: config.state.commit_pages.min(in_flight / 4).max(1),
            tasks,
            group: Gathered::default(),
            due: None,
            failed: Arc::default(),
            pending: Arc::default(),
            kept: Arc::new(Mutex::new(account)),
        };
        let port = StateHandle { tasks: sender, pending: Arc::clone(&keeper.pending) };
        (keeper, port)
    }

    /// Starts the thread, which the port leads to.
    pub(super) fn spawn(self, port: StateHandle) -> std::io::Result<StateWriterThread> {
        let (failed, kept) = (Arc::clone(&self.failed), Arc::clone(&self.kept));
        let thread = std::thread::Builder::new().name("keeper".to_owned()).spawn(move || self.run())?;
        Ok(StateWriterThread { port, thread, failed, kept })
    }

    fn run(mut self) {
        loop {
            let task = match self.due {
                None => self.tasks.recv().map_err(|_| RecvTimeoutError::Disconnected),
                Some(due) => self.tasks.recv_timeout(due.since(self.clock.now())),
            };
            let ends = match task {
                Ok(task) => !self.take(task),
                Err(RecvTimeoutError::Timeout) => false,
                Err(RecvTimeoutError::Disconnected) => true,
            };
            if ends || self.is_due() {
                self.keep();
            }
            if ends {
                break;
            }
        }
    }

    /// Takes a task into the group. False where it is the end.
    fn take(&mut self, task: Task) -> bool {
        let goes_on = self.group.take(task);
        if goes_on && self.due.is_none() {
            self.due = Some(self.clock.now() + self.every);
        }
        goes_on
    }

    /// Whether the group is old or large enough.
    fn is_due(&self) -> bool {
        self.group.leases >= self.leases_max || self.due.is_some_and(|due| due <= self.clock.now())
    }

    /// Commits the group, and lets its leases end.
    fn keep(&mut self) {
        let group = std::mem::take(&mut self.group);
        self.due = None;
        let metrics = &self.lines.0.metrics.state;
        if !self.failed.load(Ordering::Relaxed)
            && let Err(error) = self.commit_contained(&group)
        {
            metrics.failures.inc();
            tracing::error!(
                "{error}: the crawl stops; what was kept before is whole, and `harvestman resume` goes on from it"
            );
            self.failed.store(true, Ordering::Relaxed);
            self.lines.0.to_frontier(Control::Stop);
        }
        self.pending.fetch_sub(group.kept.changes.len() as u64, Ordering::AcqRel);
        // After a failure too, so that the crawl can end.
        self.lines.0.to_frontier(Kept(group.leases));
    }

    /// A keeper that is gone would leave the crawl waiting for ever, so a panic is an error like any other.
    fn commit_contained(&self, group: &Gathered) -> Result<(), String> {
        let commit = AssertUnwindSafe(|| self.commit(group));
        catch_unwind(commit).unwrap_or_else(|_| Err("the keeper panicked".to_owned()))
    }

    fn commit(&self, group: &Gathered) -> Result<(), String> {
        let began = self.clock.now();
        if group.leases > 0 {
            (self.disk.sync_archive)().map_err(|error| error.to_string())?;
        }
        let now = self.clock.now();
        let elapsed = now.since(self.started);
        self.disk.state.commit(&group.kept, elapsed).map_err(|error| error.to_string())?;
        if let Some(last) = group.kept.changes.last() {
            self.kept.lock().clone_from(&last.ledger);
        }
        if let Some(recrawl) = self.lines.0.recrawl.get() {
            group.kept.changes.iter().for_each(|change| recrawl.kept(change));
        }
        let metrics = &self.lines.0.metrics.state;
        metrics.commits.inc();
        metrics.queue_length.set(self.tasks.len() as u64);
        metrics.pages.add(u64::from(group.leases));
        metrics.commit_seconds.observe(self.clock.now().since(began));
        Ok(())
    }
}

impl Gathered {
    /// False where the task is the end.
    fn take(&mut self, task: Task) -> bool {
        match task {
            Task::Change(change) => {
                self.leases += change.leases;
                self.kept.changes.push(*change);
            }
            Task::Host(host, memory) => drop(self.kept.hosts.insert(host, memory)),
            Task::Note(note) => self.kept.notes.push(note),
            Task::End => return false,
        }
        true
    }
}

/// For the simulation, which has no threads.
#[cfg(test)]
impl StateWriter {
    /// Takes what waits and commits what is due. False where there was nothing to do.
    pub(super) fn step(&mut self) -> bool {
        let mut any = false;
        while !self.is_due()
            && let Ok(task) = self.tasks.try_recv()
        {
            any = true;
            self.take(task);
        }
        if self.is_due() {
            self.keep();
            any = true;
        }
        any
    }

    /// Keeps what still waits. True if something could not be kept.
    pub(super) fn finish(mut self) -> bool {
        while self.step() {}
        self.keep();
        self.failed.load(Ordering::Relaxed)
    }
}
