//! The simulated disk: real files, with operations that fail, or are the last of their run. After a run that ended by a
//! power failure, the files are set to a length that they may have had then.

use std::collections::BTreeMap;
use std::fs;
use std::io::{Read, Seek, SeekFrom};
use std::os::unix::fs::FileExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use rand::Rng as _;
use tokio::sync::Notify;

use crate::run::state_writer::StateLog;
use harvestman_core::clock::Instant;
use harvestman_core::seed::Rng;
use harvestman_storage::archive::{ArchiveEntry, ArchiveOutput, ArchiveTotals, CrawlFiles, Error, RecordLocation};
use harvestman_storage::store::{CommitGroup, Store, StoreError};

/// What happens at one operation on the disk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Event {
    /// The process is killed before it.
    KilledBefore,
    /// The process is killed during it.
    KilledWithin,
    /// The power fails before it.
    PowerBefore,
    /// The power fails during it.
    PowerWithin,
    /// It fails.
    Fails,
    /// It is done, and reported as failed.
    FailsAfterwards,
}

impl Event {
    pub(super) const ALL: [Self; 6] = [
        Self::KilledBefore,
        Self::KilledWithin,
        Self::PowerBefore,
        Self::PowerWithin,
        Self::Fails,
        Self::FailsAfterwards,
    ];

    /// Whether it ends the run.
    pub(super) const fn is_end(self) -> bool {
        !matches!(self, Self::Fails | Self::FailsAfterwards)
    }

    const fn is_power(self) -> bool {
        matches!(self, Self::PowerBefore | Self::PowerWithin)
    }
}

/// An event, and the operation of a run at which it happens, counted from 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Plan {
    pub(super) at: u64,
    pub(super) event: Event,
}

/// The lengths of files by path, under the names that open files have when finished; and how far the journal of the
/// state is written.
#[derive(Debug, Clone, Default)]
struct Lengths {
    files: BTreeMap<PathBuf, u64>,
    journal: Option<(PathBuf, u64)>,
}

struct Condition {
    directory: PathBuf,
    plan: Option<Plan>,
    operations: u64,
    /// The lengths that are synced to disk.
    synced: Lengths,
    /// The lengths before and after the last operation; `None` while the run lives.
    death: Option<(Lengths, Lengths, Event)>,
}

/// The disk of one run.
#[derive(Clone)]
pub(super) struct Disk {
    condition: Arc<Mutex<Condition>>,
    pub(super) died: Arc<Notify>,
}

enum Verdict<T> {
    Done(T),
    /// It failed, or the run is dead and no stage gets the result.
    Failed,
}

impl Disk {
    pub(super) fn new(directory: &Path, plan: Option<Plan>) -> Self {
        let condition =
            Condition { directory: directory.to_owned(), plan, operations: 0, synced: lengths(directory), death: None };
        Self { condition: Arc::new(Mutex::new(condition)), died: Arc::default() }
    }

    /// Returns the number of operations so far.
    pub(super) fn operations(&self) -> u64 {
        self.condition.lock().operations
    }

    pub(super) fn is_dead(&self) -> bool {
        self.condition.lock().death.is_some()
    }

    /// Ends the run now, between two operations.
    pub(super) fn kill(&self, event: Event) {
        let mut condition = self.condition.lock();
        let now = lengths(&condition.directory);
        condition.death.get_or_insert((now.clone(), now, event));
        self.died.notify_one();
    }

    /// Carries out an operation according to the plan.
    fn operate<T>(&self, operation: impl FnOnce() -> T) -> Verdict<T> {
        if self.is_dead() {
            return Verdict::Failed;
        }
        let (event, directory) = {
            let mut condition = self.condition.lock();
            let at = condition.operations;
            condition.operations += 1;
            (condition.plan.filter(|plan| plan.at == at).map(|plan| plan.event), condition.directory.clone())
        };
        match event {
            None => Verdict::Done(operation()),
            Some(Event::Fails) => Verdict::Failed,
            Some(Event::FailsAfterwards) => {
                operation();
                Verdict::Failed
            }
            Some(event @ (Event::KilledBefore | Event::PowerBefore)) => {
                self.kill(event);
                Verdict::Failed
            }
            Some(event @ (Event::KilledWithin | Event::PowerWithin)) => {
                let before = lengths(&directory);
                operation();
                self.condition.lock().death = Some((before, lengths(&directory), event));
                self.died.notify_one();
                Verdict::Failed
            }
        }
    }

    fn note_synced(&self) {
        let mut condition = self.condition.lock();
        condition.synced = lengths(&condition.directory);
    }

    /// Sets the files to a state in which the end of the run may have left them.
    pub(super) fn settle(&self, rng: &mut Rng) {
        let condition = self.condition.lock();
        let Some((before, after, event)) = &condition.death else { return };
        let floor = if event.is_power() { &condition.synced } else { before };
        for (name, end) in &after.files {
            // A file has its final name only after it was forced to the disk.
            let is_finished = name.exists() && name.to_string_lossy().contains(".warc");
            let least = if is_finished { *end } else { floor.files.get(name).copied().unwrap_or(0).min(*end) };
            let retained = rng.random_range(least..=*end);
            // Some file systems have already allocated space for what was never written.
            let room = event.is_power() && rng.random_bool(0.2);
            let path = if name.exists() { name.clone() } else { open_name(name) };
            cut(&path, retained, if room { *end } else { retained });
            if event.is_power() {
                lose_a_page(&path, least, retained, rng);
            }
        }
        if let (Some((path, end)), Some((was, from))) = (&after.journal, &before.journal)
            && path == was
        {
            // It is preallocated.
            let length = fs::metadata(path).expect("the journal is there").len();
            let (from, retained) = ((*from).min(*end), rng.random_range((*from).min(*end)..=*end));
            cut(path, retained, length);
            if event.is_power() {
                lose_a_page(path, from, retained, rng);
            }
        }
    }
}

/// Zeroes a page now and then: pages of a file reach the disk in any order, so one may be missing while those behind it
/// are there.
fn lose_a_page(path: &Path, from: u64, to: u64, rng: &mut Rng) {
    // Smaller than real ones, as are the files.
    const PAGE: u64 = 256;
    let pages = from / PAGE..to / PAGE;
    if pages.is_empty() || rng.random_bool(0.7) {
        return;
    }
    let start = (rng.random_range(pages) * PAGE).max(from);
    let end = (start / PAGE + 1) * PAGE;
    let file = fs::OpenOptions::new().write(true).open(path).expect("a file that was there");
    file.write_all_at(&vec![0; (end - start) as usize], start).expect("it can be written");
}

/// Truncates a file to its first bytes, and fills it up with zeros.
fn cut(path: &Path, retained: u64, length: u64) {
    let file = fs::OpenOptions::new().write(true).open(path).expect("a file that was there");
    file.set_len(retained).and_then(|()| file.set_len(length)).expect("it can be cut");
}

fn open_name(name: &Path) -> PathBuf {
    let mut open = name.as_os_str().to_owned();
    open.push(harvestman_storage::archive::OPEN_SUFFIX);
    PathBuf::from(open)
}

fn lengths(directory: &Path) -> Lengths {
    let mut lengths = Lengths::default();
    for folder in [directory.to_owned(), directory.join("warc")] {
        let Ok(entries) = fs::read_dir(folder) else { continue };
        for entry in entries.flatten() {
            let name = entry.path();
            let text = name.to_string_lossy().into_owned();
            if text.contains(".jsonl") || text.contains(".warc") {
                let finished = text.strip_suffix(harvestman_storage::archive::OPEN_SUFFIX).unwrap_or(&text);
                lengths.files.insert(PathBuf::from(finished), entry.metadata().expect("a file").len());
            }
        }
    }
    let entries = fs::read_dir(directory.join("state")).into_iter().flatten().flatten();
    let journal = entries.map(|entry| entry.path()).filter(|path| path.extension().is_some_and(|it| it == "jnl")).max();
    lengths.journal = journal.map(|path| {
        let end = written(&path);
        (path, end)
    });
    lengths
}

/// Returns how much of a journal is written: zeros follow. No record has this many of them.
fn written(path: &Path) -> u64 {
    const ZEROS: usize = 16 << 10;
    let mut file = fs::File::open(path).expect("the journal can be read");
    let (mut end, mut at) = (0, 0);
    let mut buffer = vec![0; ZEROS];
    loop {
        file.seek(SeekFrom::Start(at)).expect("a place in the file");
        let read = file.read(&mut buffer).expect("the journal can be read");
        match buffer[..read].iter().rposition(|byte| *byte != 0) {
            Some(last) => end = at + last as u64 + 1,
            None => return end,
        }
        at += read as u64;
    }
}

/// The archive's files on the simulated disk.
pub(super) struct FaultyFiles {
    pub(super) files: CrawlFiles,
    pub(super) disk: Disk,
}

fn failure() -> Error {
    Error::Stopped("the disk fails as planned".to_owned())
}

impl ArchiveOutput for FaultyFiles {
    fn write(&mut self, entry: &mut ArchiveEntry, now: Instant) -> Result<Option<RecordLocation>, Error> {
        match self.disk.clone().operate(|| self.files.write(entry, now)) {
            Verdict::Done(result) => result,
            Verdict::Failed => Err(failure()),
        }
    }

    fn sync(&mut self) -> Result<(), Error> {
        match self.disk.clone().operate(|| self.files.sync()) {
            Verdict::Done(result) => {
                self.disk.note_synced();
                result
            }
            Verdict::Failed => Err(failure()),
        }
    }

    fn housekeep(&mut self, now: Instant) -> Result<(), Error> {
        if self.disk.is_dead() { Err(failure()) } else { self.files.housekeep(now) }
    }

    fn release_reserve(&mut self) {
        if !self.disk.is_dead() {
            self.files.release_reserve();
        }
    }

    fn finish(self: Box<Self>) -> Result<ArchiveTotals, Error> {
        let Self { files, disk } = *self;
        match disk.operate(|| Box::new(files).finish()) {
            Verdict::Done(result) => {
                disk.note_synced();
                result
            }
            Verdict::Failed => Err(failure()),
        }
    }
}

/// The state on the simulated disk.
pub(super) struct FaultyState {
    pub(super) store: Store,
    pub(super) disk: Disk,
}

impl StateLog for FaultyState {
    fn commit(&self, group: &CommitGroup, elapsed: Duration) -> Result<(), StoreError> {
        match self.disk.operate(|| self.store.commit(group, elapsed)) {
            Verdict::Done(result) => result,
            Verdict::Failed => Err(StoreError::Failed {
                action: "write",
                path: PathBuf::from("simulated"),
                reason: "as the plan says".to_owned(),
            }),
        }
    }
}

/// Creates a temporary directory, in memory if possible.
pub(super) fn scratch() -> tempfile::TempDir {
    let in_memory = tempfile::tempdir_in("/dev/shm");
    in_memory.or_else(|_| tempfile::tempdir()).expect("a directory for temporary files")
}
