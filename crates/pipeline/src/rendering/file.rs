//! The file of what a crawl learned of rendering, in its directory: it is written while the crawl runs, and read by the
//! next run.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::Duration;

use crossbeam_channel::{RecvTimeoutError, Sender, bounded};

use super::Renders;
use super::learned::{KeptRendering, Learned};
use crate::run::output;
use harvestman_core::clock::{Clock, Instant};
use harvestman_core::crawl_file;
use harvestman_core::model::RenderingSummary;

/// The file, in the crawl directory.
pub const RENDER_FILE: &str = "render.json";
/// Maximum size of the file. A larger one is not read, and written without its smallest classes.
const BYTES_MAX: usize = 64 << 20;
/// The least time between two writes, also in relation to the time that a write takes.
const PAUSE: Duration = Duration::from_secs(2);
const PAUSE_SHARE: u32 = 50;
/// Time after which counts are written that led to no decision.
const COUNTS_AFTER: Duration = Duration::from_secs(30);
/// How often the writer looks for something to write.
const LOOK_EVERY: Duration = Duration::from_millis(250);

/// Reads what the crawl in this directory learned of rendering, with at most `max` of its classes; `None` if there is
/// no such file.
///
/// # Errors
///
/// The file cannot be read; the text names it.
pub fn read_rendering(directory: &Path, max: usize) -> Result<Option<RenderingSummary>, String> {
    let path = directory.join(RENDER_FILE);
    let kept = read(&path).map_err(|why| format!("cannot read {}: {why}", path.display()))?;
    Ok(kept.map(|kept| kept.restored().summary(max)))
}

/// Returns what the crawl in this directory learned. If that cannot be read, the crawl learns again.
pub(super) fn recall(directory: &Path) -> Learned {
    let path = directory.join(RENDER_FILE);
    match read(&path) {
        Ok(kept) => kept.map_or_else(Learned::default, KeptRendering::restored),
        Err(why) => {
            let file = path.display();
            tracing::warn!(%file, why, "what was learned of rendering cannot be read: the crawl learns it again");
            Learned::default()
        }
    }
}

fn read(path: &Path) -> Result<Option<KeptRendering>, String> {
    let bytes = match std::fs::metadata(path) {
        Ok(file) if file.len() > BYTES_MAX as u64 => return Err(format!("it is larger than {BYTES_MAX} bytes")),
        Ok(_) => crawl_file::read(path),
        Err(error) => Err(error),
    };
    match bytes {
        Ok(bytes) => KeptRendering::from_bytes(&bytes).map(Some),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error.to_string()),
    }
}

/// Replaces the file atomically. If it would be too large, the smallest classes are left out.
fn write(path: &Path, mut kept: KeptRendering) -> io::Result<()> {
    let mut bytes = kept.to_bytes()?;
    while bytes.len() > BYTES_MAX && !kept.classes.is_empty() {
        kept.classes.truncate(kept.classes.len() / 2);
        bytes = kept.to_bytes()?;
    }
    output::replace(path, &bytes)
}

/// Writes the file: soon after a decision, seldom if only counts have changed, and at the end of the crawl.
pub(crate) struct RenderWriter {
    renders: Arc<Renders>,
    path: PathBuf,
    clock: Clock,
    /// When the file was written last, and the least time until it is written again.
    written: (Instant, Duration),
    /// Whether an error was logged.
    has_failed: bool,
}

impl RenderWriter {
    /// Creates the writer of the file in this directory.
    pub(crate) fn new(renders: Arc<Renders>, directory: &Path, clock: Clock) -> Self {
        let written = (clock.now(), PAUSE);
        Self { renders, path: directory.join(RENDER_FILE), clock, written, has_failed: false }
    }

    /// Writes the file if it is due. Returns whether it was.
    pub(crate) fn step(&mut self) -> bool {
        let (now, (written, pause)) = (self.clock.now(), self.written);
        let rest = now.since(written);
        let is_due = rest >= pause && self.renders.has_news(rest >= pause.max(COUNTS_AFTER));
        if is_due {
            self.write(now);
        }
        is_due
    }

    /// Writes the file for the last time.
    pub(crate) fn finish(mut self) {
        if self.renders.has_news(true) {
            self.write(self.clock.now());
        }
    }

    /// Writes the file. Errors are only logged: the crawl is useful without it.
    fn write(&mut self, began: Instant) {
        let written = write(&self.path, self.renders.learned.kept());
        if let Err(error) = written
            && !std::mem::replace(&mut self.has_failed, true)
        {
            let file = self.path.display();
            tracing::error!(%file, %error, "what was learned of rendering cannot be written: a resumed crawl learns it again");
        }
        let now = self.clock.now();
        self.written = (now, PAUSE.max(PAUSE_SHARE * now.since(began)));
    }

    /// Starts the writer's thread.
    pub(crate) fn spawn(mut self) -> io::Result<RenderWriterThread> {
        let (end, ended) = bounded::<()>(0);
        let thread = std::thread::Builder::new().name("render-writer".to_owned()).spawn(move || {
            while ended.recv_timeout(LOOK_EVERY) == Err(RecvTimeoutError::Timeout) {
                self.step();
            }
            self.finish();
        })?;
        Ok(RenderWriterThread { end, thread })
    }
}

/// The running writer.
pub(crate) struct RenderWriterThread {
    end: Sender<()>,
    thread: JoinHandle<()>,
}

impl RenderWriterThread {
    /// Has the file written for the last time. Returns an error if the thread panicked.
    pub(crate) fn join(self) -> std::thread::Result<()> {
        drop(self.end);
        self.thread.join()
    }
}

#[cfg(test)]
#[path = "file_tests.rs"]
mod tests;
