//! The keeper: a thread that keeps what changes in a crawl, in groups.
//!
//! A group is closed when it is old enough or large enough. First the archive is forced to the disk, then the group is committed, and
//! only then do its leases end: what the state says was fetched is in the archive.

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;

use crossbeam_channel::{Receiver, Sender, bounded};

use super::switchboard::{ERRANDS_MAX, Lines};
use crate::archive::ArchiveSink;
use crate::clock::{Clock, Instant};
use crate::config::Config;
use crate::frontier::{ChangePort, Control, Kept};
use crate::host::Politeness;
use crate::page::Change;
use crate::store::{Store, decode, encode};
use crate::url::HostKey;

enum Task {
    Change(Box<Change>),
    Host(HostKey, Vec<u8>),
    End,
}

/// The way to the keeper. There is room for all that leases and errands can bring; a keeper that waits for the disk longer than that
/// makes the frontier wait too.
#[derive(Clone)]
pub(super) struct KeeperPort(Sender<Task>);

impl KeeperPort {
    pub(super) fn remember(&self, host: &HostKey, memory: &Politeness) {
        self.send(Task::Host(host.clone(), encode(memory)));
    }

    fn send(&self, task: Task) {
        if self.0.send(task).is_err() {
            // It ends when nothing is under way any more.
            tracing::debug!("a change came after the end of the crawl");
        }
    }
}

impl ChangePort for KeeperPort {
    fn keep(&self, change: Change) {
        self.send(Task::Change(Box::new(change)));
    }
}

/// What an earlier run knew of a host.
pub(super) fn recollection(bytes: &[u8]) -> Option<Politeness> {
    decode(bytes)
}

/// The running thread.
pub(super) struct KeeperThread {
    port: KeeperPort,
    thread: JoinHandle<()>,
    failed: Arc<AtomicBool>,
}

impl KeeperThread {
    pub(super) const fn port(&self) -> &KeeperPort {
        &self.port
    }

    /// Keeps what still waits and ends. True if something could not be kept.
    pub(super) fn join(self) -> std::thread::Result<bool> {
        self.port.send(Task::End);
        self.thread.join()?;
        Ok(self.failed.load(Ordering::Relaxed))
    }
}

/// What waits to be committed.
#[derive(Default)]
struct Group {
    changes: Vec<Change>,
    hosts: BTreeMap<HostKey, Vec<u8>>,
    leases: u32,
}

struct Keeper {
    store: Store,
    sink: ArchiveSink,
    lines: Lines,
    clock: Clock,
    /// When the crawl would have started had it never been interrupted.
    started: Instant,
    every: Duration,
    leases_max: u32,
    failed: Arc<AtomicBool>,
}

/// Starts the keeper.
pub(super) fn start(
    config: &Config,
    store: Store,
    (sink, lines): (ArchiveSink, Lines),
    (clock, started): (Clock, Instant),
) -> std::io::Result<KeeperThread> {
    let in_flight = config.frontier.in_flight_max.max(1);
    let (sender, receiver) = bounded(2 * (in_flight as usize + ERRANDS_MAX));
    let failed = Arc::new(AtomicBool::new(false));
    let leases_max = config.state.commit_pages.min(in_flight / 4).max(1);
    let every = config.state.commit_every.0;
    let keeper = Keeper { store, sink, lines, clock, started, every, leases_max, failed: Arc::clone(&failed) };
    let thread = std::thread::Builder::new().name("keeper".to_owned()).spawn(move || keeper.run(&receiver))?;
    Ok(KeeperThread { port: KeeperPort(sender), thread, failed })
}

impl Keeper {
    fn run(self, tasks: &Receiver<Task>) {
        while let Ok(first) = tasks.recv() {
            let mut group = Group::default();
            let goes_on = group.take(first) && self.gather(&mut group, tasks);
            self.keep(&group);
            if !goes_on {
                break;
            }
        }
    }

    /// Gathers what comes until the group is to be closed. False where nothing comes after it.
    fn gather(&self, group: &mut Group, tasks: &Receiver<Task>) -> bool {
        let until = self.clock.now() + self.every;
        while group.leases < self.leases_max {
            let left = until.since(self.clock.now());
            let Ok(task) = tasks.recv_timeout(left) else { return true };
            if !group.take(task) {
                return false;
            }
        }
        true
    }

    fn keep(&self, group: &Group) {
        let metrics = &self.lines.0.metrics.state;
        if !self.failed.load(Ordering::Relaxed)
            && let Err(error) = self.commit_contained(group)
        {
            metrics.failures.inc();
            tracing::error!(
                "{error}: the crawl stops; what was kept before is whole, and `harvestman resume` goes on from it"
            );
            self.failed.store(true, Ordering::Relaxed);
            self.lines.0.to_frontier(Control::Stop);
        }
        // After a failure too, so that the crawl can end.
        self.lines.0.to_frontier(Kept(group.leases));
    }

    /// A keeper that is gone would leave the crawl waiting for ever, so a panic is an error like any other.
    fn commit_contained(&self, group: &Group) -> Result<(), String> {
        let commit = AssertUnwindSafe(|| self.commit(group));
        catch_unwind(commit).unwrap_or_else(|_| Err("the keeper panicked".to_owned()))
    }

    fn commit(&self, group: &Group) -> Result<(), String> {
        let began = self.clock.now();
        if group.leases > 0 {
            self.sink.sync().map_err(|error| error.to_string())?;
        }
        let now = self.clock.now();
        let elapsed = now.since(self.started);
        self.store.commit(&group.changes, &group.hosts, elapsed).map_err(|error| error.to_string())?;
        if let Some(recrawl) = self.lines.0.recrawl.get() {
            group.changes.iter().for_each(|change| recrawl.kept(change));
        }
        let metrics = &self.lines.0.metrics.state;
        metrics.commits.inc();
        metrics.pages.add(u64::from(group.leases));
        metrics.commit_seconds.observe(self.clock.now().since(began));
        Ok(())
    }
}

impl Group {
    /// False where the task is the end.
    fn take(&mut self, task: Task) -> bool {
        match task {
            Task::Change(change) => {
                self.leases += change.leases;
                self.changes.push(*change);
            }
            Task::Host(host, memory) => drop(self.hosts.insert(host, memory)),
            Task::End => return false,
        }
        true
    }
}
