//! The writer thread, which writes entries encoded by the CPU workers to the files in the order of arrival.
//!
//! An [`ArchiveEntry`] is answered (its `done` is called, on the writer thread) after its records were written and its
//! line was added to the page log, so an outcome is never recorded before its bytes. The queue is bounded in entries
//! and in bytes; a full queue blocks the workers. After the first error every entry is answered with that error, and
//! nothing more is written.

use std::panic::AssertUnwindSafe;
use std::path::Path;
use std::sync::Arc;
use std::thread::{self, JoinHandle};
use std::time::Duration;

use crossbeam_channel::{Receiver, RecvTimeoutError, Sender, bounded};

use super::Error;
use super::archive_limits::{ArchiveLimits, ByteBudget, DiskReserve};
use super::encode::EncodedPage;
use super::line_log::LineLog;
use super::record_id::RunId;
use super::revisit::RevisitIndex;
use super::writer::{Archive, ArchiveTotals, CrawlInfo, RecordLocation};
use harvestman_core::clock::{Clock, Instant};
use harvestman_core::config::archive::{ArchiveOptions, LineCompression};
use harvestman_core::model::PageRecord;

/// The file name of the page log in the crawl directory.
pub(super) const PAGE_LOG: &str = "pages.jsonl";
/// The file name of the link export in the crawl directory.
const LINK_LOG: &str = "links.jsonl";
/// Compression of the link export: its lines are many and alike, every tool reads gzip, and nobody follows it as it
/// grows.
const LINK_COMPRESSION: LineCompression = LineCompression::Gzip;

/// The completion callback of an entry. It receives the location of the response if it was archived, or the error. It
/// runs on the writer thread, so it must not block.
pub type OnWritten = Box<dyn FnOnce(Result<Option<RecordLocation>, Arc<Error>>) + Send>;

/// The records and lines of one outcome.
pub struct ArchiveEntry {
    /// The WARC records; `None` if there was no answer, or the archive is disabled.
    pub page: Option<EncodedPage>,
    /// The line of the page log, if any. The writer fills in the location of the records.
    pub record: Option<PageRecord>,
    /// The line of the link export, created by [`super::link_export::links_line`].
    pub links: Option<Vec<u8>>,
    /// Called on completion.
    pub done: OnWritten,
}

/// The destination of entries: the files of a crawl, or a wrapper around them.
pub trait ArchiveOutput: Send {
    /// Writes an entry's records, adds its line to the page log, and returns the location of the response. An error
    /// leaves the files unchanged.
    fn write(&mut self, entry: &mut ArchiveEntry, now: Instant) -> Result<Option<RecordLocation>, Error>;
    /// Syncs all written data to disk.
    fn sync(&mut self) -> Result<(), Error>;
    /// Performs periodic work that is due at `now`.
    fn housekeep(&mut self, now: Instant) -> Result<(), Error>;
    /// Releases the reserved disk space for entries that were accepted before. No more entries follow.
    fn release_reserve(&mut self);
    /// Closes all files, also after an error: data written before the error is complete, and the files get their final
    /// names.
    fn finish(self: Box<Self>) -> Result<ArchiveTotals, Error>;
}

/// The files of a crawl, owned by the writer thread.
pub struct CrawlFiles {
    /// The WARC files; `None` if `archive.enabled` is off.
    pub archive: Option<Archive>,
    /// The page log.
    pub pages: LineLog,
    /// The link export; `None` if it is disabled.
    pub links: Option<LineLog>,
    /// Disk space for data that is still in memory when the disk is full.
    reserve: Option<DiskReserve>,
}

/// A task of the writer thread.
enum Task {
    Write(Box<ArchiveEntry>),
    /// Syncs all written data to disk and sends the result.
    Sync(Sender<Result<(), Arc<Error>>>),
}

/// Sends entries to the writer thread. Cheap to clone; the thread ends when the last clone is dropped.
#[derive(Clone)]
pub struct ArchiveSink {
    sender: Sender<Task>,
    budget: Arc<ByteBudget>,
}

/// The handle of the writer thread. Join it to close the files.
pub struct ArchiveThread(JoinHandle<Result<ArchiveTotals, Error>>);

impl ArchiveSink {
    /// Creates a sink, and the writer that writes its entries to `output`. Every written response is registered in
    /// `index`.
    pub fn new(
        output: Box<dyn ArchiveOutput>,
        index: Arc<RevisitIndex>,
        clock: Clock,
        limits: ArchiveLimits,
    ) -> (Self, ArchiveWriter) {
        let (sender, receiver) = bounded(limits.queue_entries.max(1));
        let budget = Arc::new(ByteBudget::new(limits.queue_bytes));
        let tick = limits.flush_every.clamp(Duration::from_millis(10), Duration::from_secs(1));
        let writer = ArchiveWriter { output, receiver, tick, index, clock, budget: budget.clone(), failed: None };
        (Self { sender, budget }, writer)
    }

    /// Enqueues `entry`, and blocks while the queue is full. Returns the entry as the error if the writer thread has
    /// ended.
    pub fn write(&self, entry: ArchiveEntry) -> Result<(), Box<ArchiveEntry>> {
        let bytes = size(&entry);
        self.budget.take(bytes);
        self.sender.send(Task::Write(Box::new(entry))).map_err(|refused| {
            self.budget.give_back(bytes);
            match refused.0 {
                Task::Write(entry) => entry,
                Task::Sync(_) => unreachable!("an entry was sent"),
            }
        })
    }

    /// Waits until all previously enqueued entries are on disk.
    pub fn sync(&self) -> Result<(), Arc<Error>> {
        let gone = || Arc::new(Error::Stopped("the archive thread is gone".to_owned()));
        let (answer, answered) = bounded(1);
        self.sender.send(Task::Sync(answer)).map_err(|_| gone())?;
        answered.recv().unwrap_or_else(|_| Err(gone()))
    }

    /// Returns the number of waiting entries.
    pub fn queue_length(&self) -> usize {
        self.sender.len()
    }

    /// Returns the bytes of waiting entries.
    pub fn queue_bytes(&self) -> usize {
        self.budget.held()
    }
}

impl ArchiveThread {
    /// Waits until every sink is dropped and every entry is written, then closes the files. Returns the first error.
    pub fn join(self) -> Result<ArchiveTotals, Error> {
        self.0.join().unwrap_or_else(|_| Err(Error::Stopped("the archive thread panicked".to_owned())))
    }
}

/// Writes the entries of the sink.
pub struct ArchiveWriter {
    output: Box<dyn ArchiveOutput>,
    receiver: Receiver<Task>,
    /// The interval of checks for periodic work while the queue is empty.
    tick: Duration,
    index: Arc<RevisitIndex>,
    clock: Clock,
    budget: Arc<ByteBudget>,
    failed: Option<Arc<Error>>,
}

impl ArchiveWriter {
    /// Starts the writer thread.
    pub fn spawn(self) -> Result<ArchiveThread, Error> {
        thread::Builder::new()
            .name("archive".to_owned())
            .spawn(move || self.run())
            .map(ArchiveThread)
            .map_err(|source| Error::file("start", "the archive thread".as_ref(), source))
    }

    fn run(mut self) -> Result<ArchiveTotals, Error> {
        loop {
            match self.receiver.recv_timeout(self.tick) {
                Ok(task) => self.serve(task),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return self.finish(),
            }
            self.housekeep();
        }
    }

    /// Writes one waiting entry, if any, and performs periodic work that is due. Returns `false` if no entry was
    /// waiting. For callers without a separate thread.
    pub fn step(&mut self) -> bool {
        let task = self.receiver.try_recv();
        let any = task.is_ok();
        task.into_iter().for_each(|task| self.serve(task));
        self.housekeep();
        any
    }

    fn serve(&mut self, task: Task) {
        match task {
            Task::Write(entry) => self.take(*entry),
            // The caller may have given up.
            Task::Sync(answer) => drop(answer.send(self.sync())),
        }
    }

    fn housekeep(&mut self) {
        if self.failed.is_none()
            && let Err(error) = self.output.housekeep(self.clock.now())
        {
            self.fail(Arc::new(error));
        }
    }

    fn take(&mut self, mut entry: ArchiveEntry) {
        let bytes = size(&entry);
        let result = match &self.failed {
            Some(error) => Err(error.clone()),
            None => self.output.write(&mut entry, self.clock.now()).map_err(Arc::new),
        };
        match &result {
            Ok(_) => self.register(&entry),
            Err(error) => self.fail(error.clone()),
        }
        self.budget.give_back(bytes);
        let done = entry.done;
        // A dead writer would block the workers forever, so a panic is handled like any other error.
        if std::panic::catch_unwind(AssertUnwindSafe(|| done(result))).is_err() {
            self.failed.get_or_insert_with(|| Arc::new(Error::Stopped("a completion callback panicked".to_owned())));
        }
    }

    /// Syncs all written data to disk.
    pub fn sync(&mut self) -> Result<(), Arc<Error>> {
        let result = match &self.failed {
            Some(error) => Err(error.clone()),
            None => self.output.sync().map_err(Arc::new),
        };
        result.inspect_err(|error| self.fail(error.clone()))
    }

    /// Records the first error, after which nothing more is accepted.
    fn fail(&mut self, error: Arc<Error>) {
        self.failed.get_or_insert(error);
        self.output.release_reserve();
    }

    fn register(&self, entry: &ArchiveEntry) {
        if let Some(page) = &entry.page
            && let Some(original) = &page.original
        {
            self.index.register(&page.payload_digest, original);
        }
    }

    /// Closes all files. Returns the first error.
    pub fn finish(self) -> Result<ArchiveTotals, Error> {
        let written = self.output.finish();
        match self.failed {
            Some(first) => Err(Arc::try_unwrap(first).unwrap_or_else(|shared| Error::Stopped(shared.to_string()))),
            None => written,
        }
    }
}

impl CrawlFiles {
    /// Opens the files of a crawl in `directory` according to the options: new WARC files, and logs that continue where
    /// they ended.
    pub fn open(
        directory: &Path,
        options: &ArchiveOptions,
        limits: ArchiveLimits,
        info: &CrawlInfo,
        run: RunId,
        now: Instant,
    ) -> Result<Self, Error> {
        // The reserve comes first: without room for it there is none for a crawl.
        let reserve = DiskReserve::take(directory, limits.reserve)?;
        let create = || Archive::create(directory, options, info, run, now);
        let archive = options.enabled.then(create).transpose()?.map(|archive| archive.syncing_every(limits.sync_every));
        let pages = LineLog::open(directory, PAGE_LOG, options.pages_compress, limits)?;
        let links = options.links.then(|| LineLog::open(directory, LINK_LOG, LINK_COMPRESSION, limits)).transpose()?;
        Ok(Self { archive, pages, links, reserve })
    }
}

impl ArchiveOutput for CrawlFiles {
    fn write(&mut self, entry: &mut ArchiveEntry, now: Instant) -> Result<Option<RecordLocation>, Error> {
        let position = match (&mut self.archive, &entry.page) {
            (Some(archive), Some(page)) => Some(archive.append(page, now)?),
            _ => None,
        };
        if let Some(record) = &mut entry.record {
            // Of an answer that is not kept there is no response record.
            let page = entry.page.as_ref().filter(|page| !page.is_unkept);
            let position = page.and(position.as_ref());
            record.payload_digest = page.map(|page| page.payload_digest.to_string());
            record.warc_file = position.map(|position| position.file.to_string());
            record.warc_offset = position.map(|position| position.offset);
            self.pages.append(now, |out| {
                serde_json::to_writer(&mut *out, record).expect("a record of plain values is always JSON");
                out.push(b'\n');
            })?;
        }
        if let (Some(log), Some(line)) = (&mut self.links, &entry.links) {
            log.append(now, |out| out.extend_from_slice(line))?;
        }
        Ok(position)
    }

    fn sync(&mut self) -> Result<(), Error> {
        self.archive.as_mut().map_or(Ok(()), Archive::sync)?;
        self.pages.sync()?;
        self.links.as_mut().map_or(Ok(()), LineLog::sync)
    }

    fn housekeep(&mut self, now: Instant) -> Result<(), Error> {
        self.pages.flush_if_due(now)?;
        self.links.as_mut().map_or(Ok(()), |log| log.flush_if_due(now))?;
        self.archive.as_mut().map_or(Ok(()), |archive| archive.sync_if_due(now))
    }

    fn release_reserve(&mut self) {
        self.reserve = None;
    }

    fn finish(self: Box<Self>) -> Result<ArchiveTotals, Error> {
        let Self { archive, pages, links, reserve } = *self;
        drop(reserve);
        let written = archive.map_or(Ok(ArchiveTotals::default()), Archive::finish);
        let logs = pages.finish().and(links.map_or(Ok(()), LineLog::finish));
        logs.and(written)
    }
}

fn size(entry: &ArchiveEntry) -> usize {
    let page = entry.page.as_ref().map_or(0, |page| page.bytes.len());
    page + entry.links.as_ref().map_or(0, Vec::len)
}
