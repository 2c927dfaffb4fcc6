//! Uploads: once for a directory, or beside a crawl until it ends.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread::JoinHandle;
use std::time::Duration;

use tokio::runtime::{Builder, Runtime};

use super::closed::{ClosedFile, closed_files};
use super::plan::due;
use super::storage::{ObjectStorage, UploadError};
use super::target::UploadTarget;
use harvestman_metrics::{ArchiveMetrics, Metrics};

/// How often a crawl's directory is looked at.
const LOOK_EVERY: Duration = Duration::from_secs(5);
/// The longest pause after uploads that failed.
const PAUSE_MAX: Duration = Duration::from_secs(300);
/// How often what is left at the end is tried before it is given up.
const LAST_TRIES: u32 = 2;
/// Uploads that fail in a row, each tried several times, after which others are not tried for now.
const FAILED_IN_A_ROW: u32 = 2;

/// A file that is not there, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MissingUpload {
    /// Its name.
    pub name: String,
    /// Why.
    pub why: String,
}

/// What came of it.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct UploadReport {
    /// Files uploaded.
    pub files: u64,
    /// Their bytes.
    pub bytes: u64,
    /// Files that were there already.
    pub were_there: u64,
    /// Files that are not there.
    pub missing: Vec<MissingUpload>,
}

/// Uploads the closed files of a directory that are not there yet.
///
/// # Errors
/// Where the storage cannot be listed, or the directory cannot be read. What becomes of each file is in the answer.
pub fn upload(place: &UploadTarget, directory: &Path) -> Result<UploadReport, UploadError> {
    let mut work = Uploader::begin(ObjectStorage::by_environment(place)?, directory, Metrics::off().archive)?;
    let were_there = closed(directory)?.iter().filter(|file| work.held.get(&file.name) == Some(&file.bytes)).count();
    work.uploaded.were_there = were_there as u64;
    work.last();
    Ok(work.uploaded)
}

/// Uploads beside a crawl, on a thread of its own. Where it is dropped, nothing more is begun.
#[derive(Debug)]
pub struct BackgroundUpload {
    over: mpsc::Sender<()>,
    thread: JoinHandle<UploadReport>,
}

impl BackgroundUpload {
    /// Looks what the storage holds, and begins.
    ///
    /// # Errors
    /// Where the storage cannot be listed: better told before a crawl than after it.
    pub fn begin(place: &UploadTarget, directory: &Path, metrics: Arc<ArchiveMetrics>) -> Result<Self, UploadError> {
        let mut work = Uploader::begin(ObjectStorage::by_environment(place)?, directory, metrics)?;
        let (over, is_over) = mpsc::channel();
        let run = move || {
            let mut pause = LOOK_EVERY;
            loop {
                match is_over.recv_timeout(pause) {
                    Err(RecvTimeoutError::Timeout) => {
                        pause = if work.pass() { LOOK_EVERY } else { (2 * pause).min(PAUSE_MAX) };
                    }
                    // Dropped: there was no crawl, and what the directory holds is not for this place.
                    Err(RecvTimeoutError::Disconnected) => return work.uploaded,
                    Ok(()) => break,
                }
            }
            work.last();
            work.uploaded
        };
        let thread = std::thread::Builder::new().name("upload".to_owned()).spawn(run);
        let thread = thread.map_err(|error| UploadError::File("the upload thread".to_owned(), error))?;
        Ok(Self { over, thread })
    }

    /// The crawl is over: what is left is uploaded, and this waits for it.
    pub fn finish(self) -> UploadReport {
        // It may have ended by a panic, which its thread tells.
        let _ = self.over.send(());
        self.thread.join().unwrap_or_else(|_| UploadReport {
            missing: vec![MissingUpload { name: "some files".to_owned(), why: "a fault of Harvestman".to_owned() }],
            ..UploadReport::default()
        })
    }
}

struct Uploader {
    runtime: Runtime,
    storage: ObjectStorage,
    directory: PathBuf,
    metrics: Arc<ArchiveMetrics>,
    held: BTreeMap<String, u64>,
    /// Names that others have, which was told.
    told: BTreeSet<String>,
    uploaded: UploadReport,
}

impl Uploader {
    fn begin(storage: ObjectStorage, directory: &Path, metrics: Arc<ArchiveMetrics>) -> Result<Self, UploadError> {
        let runtime = Builder::new_current_thread().enable_all().build();
        let runtime = runtime.map_err(|error| UploadError::File("what uploads run on".to_owned(), error))?;
        let held = runtime.block_on(storage.held())?;
        let (told, uploaded) = Default::default();
        Ok(Self { runtime, storage, directory: directory.to_owned(), metrics, held, told, uploaded })
    }

    /// Uploads what is due. False where some of it failed.
    fn pass(&mut self) -> bool {
        self.uploaded.missing.clear();
        let files = match closed(&self.directory) {
            Ok(files) => files,
            Err(error) => {
                tracing::warn!("{error}: nothing is uploaded until it can be");
                return false;
            }
        };
        let due = due(files, &self.held);
        for (file, bytes) in due.taken {
            let place = self.storage.place();
            let why = format!("{place} holds another file of this name, of {bytes} bytes: take another prefix");
            if self.told.insert(file.name.clone()) {
                tracing::warn!("{} is not uploaded: {why}", file.name);
            }
            self.uploaded.missing.push(MissingUpload { name: file.name, why });
        }
        let (mut all, mut in_a_row, mut waiting) = (true, 0, due.upload.len() as u64);
        for file in due.upload {
            self.metrics.upload_waiting_files.set(waiting);
            waiting -= 1;
            if in_a_row == FAILED_IN_A_ROW {
                let why = format!("not tried after {in_a_row} others had failed");
                self.uploaded.missing.push(MissingUpload { name: file.name, why });
                continue;
            }
            in_a_row = if self.put(file) { 0 } else { in_a_row + 1 };
            all &= in_a_row == 0;
        }
        self.metrics.upload_waiting_files.set(self.uploaded.missing.len() as u64);
        all
    }

    fn put(&mut self, file: ClosedFile) -> bool {
        match self.runtime.block_on(self.storage.put(&file)) {
            Ok(()) => {
                tracing::info!(bytes = file.bytes, "{} is uploaded to {}", file.name, self.storage.place());
                self.metrics.uploads.by("done").inc();
                self.metrics.uploaded_bytes.add(file.bytes);
                self.uploaded.files += 1;
                self.uploaded.bytes += file.bytes;
                self.held.insert(file.name, file.bytes);
                true
            }
            Err(error) => {
                tracing::warn!("{error}");
                self.metrics.uploads.by("failed").inc();
                self.uploaded.missing.push(MissingUpload { name: file.name, why: error.to_string() });
                false
            }
        }
    }

    /// Uploads what is left, and gives up where it fails again and again.
    fn last(&mut self) {
        for attempt in 1..=LAST_TRIES {
            if self.pass() {
                return;
            }
            if attempt < LAST_TRIES {
                std::thread::sleep(LOOK_EVERY);
            }
        }
    }
}

fn closed(directory: &Path) -> Result<Vec<ClosedFile>, UploadError> {
    closed_files(directory).map_err(|error| UploadError::File(directory.display().to_string(), error))
}
