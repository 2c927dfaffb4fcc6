//! Uploads the closed files of a directory once, or during a crawl until it ends.

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

/// The interval of checks of a crawl's directory.
const LOOK_EVERY: Duration = Duration::from_secs(5);
/// The maximum pause after failed uploads.
const PAUSE_MAX: Duration = Duration::from_secs(300);
/// Number of attempts to upload the remaining files at the end.
const LAST_TRIES: u32 = 2;
/// Number of consecutive failures, each after several retries, after which a pass skips the remaining files.
const FAILED_IN_A_ROW: u32 = 2;

/// A file that was not uploaded, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MissingUpload {
    /// Its name.
    pub name: String,
    /// The reason.
    pub why: String,
}

/// The result of an upload.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct UploadReport {
    /// Number of uploaded files.
    pub files: u64,
    /// Their bytes.
    pub bytes: u64,
    /// Number of files that already existed in the storage.
    pub were_there: u64,
    /// Files that are missing in the storage.
    pub missing: Vec<MissingUpload>,
}

/// Uploads the closed files of a directory that the storage does not have yet. Failures of single files are part of the
/// report.
///
/// # Errors
/// Fails if the storage cannot be listed, or the directory cannot be read.
pub fn upload(place: &UploadTarget, directory: &Path) -> Result<UploadReport, UploadError> {
    let mut work = Uploader::begin(ObjectStorage::by_environment(place)?, directory, Metrics::off().archive)?;
    let were_there = closed(directory)?.iter().filter(|file| work.held.get(&file.name) == Some(&file.bytes)).count();
    work.uploaded.were_there = were_there as u64;
    work.last();
    Ok(work.uploaded)
}

/// Uploads during a crawl, on a separate thread. After it is dropped, no more uploads are started.
#[derive(Debug)]
pub struct BackgroundUpload {
    over: mpsc::Sender<()>,
    thread: JoinHandle<UploadReport>,
}

impl BackgroundUpload {
    /// Lists the objects in the storage, and starts the thread.
    ///
    /// # Errors
    /// Fails if the storage cannot be listed, so that this is reported before a crawl and not after it.
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
                    // Dropped: there was no crawl, so the files in the directory must not be uploaded to this target.
                    Err(RecvTimeoutError::Disconnected) => return work.uploaded,
                    Ok(()) => break,
                }
            }
            work.last();
            work.uploaded
        };
        let thread = std::thread::Builder::new().name("upload".to_owned()).spawn(run);
        let thread = thread.map_err(|error| UploadError::Start("the upload thread", error))?;
        Ok(Self { over, thread })
    }

    /// Uploads the remaining files at the end of the crawl, and waits until this is done.
    pub fn finish(self) -> UploadReport {
        // The thread may have panicked, which `join` reports.
        let _ = self.over.send(());
        self.thread.join().unwrap_or_else(|_| UploadReport {
            missing: vec![MissingUpload {
                name: "some files".to_owned(),
                why: "an internal error of Harvestman".to_owned(),
            }],
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
    /// Names taken by foreign objects that were already logged.
    logged: BTreeSet<String>,
    uploaded: UploadReport,
}

impl Uploader {
    fn begin(storage: ObjectStorage, directory: &Path, metrics: Arc<ArchiveMetrics>) -> Result<Self, UploadError> {
        let runtime = Builder::new_current_thread().enable_all().build();
        let runtime = runtime.map_err(|error| UploadError::Start("the runtime of uploads", error))?;
        let held = runtime.block_on(storage.held())?;
        let (logged, uploaded) = Default::default();
        Ok(Self { runtime, storage, directory: directory.to_owned(), metrics, held, logged, uploaded })
    }

    /// Uploads all files that are due. Returns `false` if some of them failed.
    fn pass(&mut self) -> bool {
        self.uploaded.missing.clear();
        let files = match closed(&self.directory) {
            Ok(files) => files,
            Err(error) => {
                tracing::warn!("{error}; nothing is uploaded until the directory can be read");
                return false;
            }
        };
        let due = due(files, &self.held);
        for (file, bytes) in due.taken {
            let place = self.storage.place();
            let why = format!("{place} has another file of this name with {bytes} bytes: use another prefix");
            if self.logged.insert(file.name.clone()) {
                tracing::warn!("{} is not uploaded: {why}", file.name);
            }
            self.uploaded.missing.push(MissingUpload { name: file.name, why });
        }
        let (mut all, mut in_a_row, mut waiting) = (true, 0, due.upload.len() as u64);
        for file in due.upload {
            self.metrics.upload_waiting_files.set(waiting);
            waiting -= 1;
            if in_a_row == FAILED_IN_A_ROW {
                let why = format!("skipped after {in_a_row} consecutive failures");
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
                tracing::info!(bytes = file.bytes, "uploaded {} to {}", file.name, self.storage.place());
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

    /// Uploads the remaining files, and gives up after repeated failures.
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
