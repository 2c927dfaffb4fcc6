//! A running crawl.

use std::sync::{Arc, mpsc};
use std::thread::{self, JoinHandle};

use tokio::sync::oneshot;

use super::error::ExtensionFailure;
use super::guarded::message;
use super::ready::ReadyCrawl;
use super::{Error, Pages, Report};
use harvestman_pipeline as pipeline;
use harvestman_report::{CrawlStatus, Hooks, StopFlag};

/// A running crawl, on threads of its own. It needs no asynchronous runtime of its user.
///
/// Dropping it stops the crawl, which then closes its files in the background.
#[derive(Debug)]
pub struct Crawl {
    stop: StopFlag,
    pages: Option<Pages>,
    over: Option<oneshot::Receiver<()>>,
    thread: Option<JoinHandle<Result<Report, Error>>>,
}

/// Stops a crawl, from any thread.
#[derive(Debug, Clone)]
pub struct Stopper {
    stop: StopFlag,
}

impl Stopper {
    /// Stops the crawl: it starts no new request, finishes those in progress, and closes its files. It can be resumed.
    pub fn stop(&self) {
        self.stop.request();
    }
}

impl Crawl {
    /// Starts a crawl, and waits until it runs or cannot.
    pub(crate) fn start(ready: ReadyCrawl, hooks: Hooks, pages: Pages) -> Result<Self, Error> {
        let stop = hooks.stop.clone();
        let (begun, has_begun) = mpsc::sync_channel(1);
        let (ending, over) = oneshot::channel();
        let thread = thread::Builder::new().name("crawl".to_owned()).spawn(move || {
            let on_status = Arc::new(move |_: &CrawlStatus| {
                // Only the first one is waited for.
                let _ = begun.try_send(());
            });
            let system = pipeline::runtime(ready.config());
            let result = system.block_on(ready.run_here(Hooks { on_status, ..hooks }));
            drop(ending);
            finished(result.map_err(Error::of_pipeline)?)
        });
        let thread = thread.map_err(|error| Error::Internal(format!("cannot start a thread: {error}")))?;
        let crawl = Self { stop, pages: Some(pages), over: Some(over), thread: Some(thread) };
        match has_begun.recv() {
            Ok(()) => Ok(crawl),
            // It has ended already.
            Err(_) => crawl.ended_at_once(),
        }
    }

    /// Returns the error of a crawl that could not begin. A short crawl may be over before it shows its status.
    fn ended_at_once(mut self) -> Result<Self, Error> {
        match self.take_result() {
            Err(error @ (Error::Usage(_) | Error::Output(_) | Error::Internal(_))) => Err(error),
            result => {
                self.thread = thread::Builder::new().spawn(move || result).ok();
                Ok(self)
            }
        }
    }

    /// Takes the stream of its pages. All of them are in it, if it is taken once; later calls return a stream that has
    /// ended.
    ///
    /// A crawl without sinks waits until it is read or joined: see [`Pages`]. The stream of a crawl with sinks has
    /// ended from the start, unless [`CrawlBuilder::stream`](crate::CrawlBuilder::stream) asked for one.
    pub fn pages(&mut self) -> Pages {
        self.pages.take().unwrap_or_else(Pages::ended)
    }

    /// Stops the crawl: it starts no new request, finishes those in progress, and closes its files. It can be resumed.
    pub fn stop(&self) {
        self.stop.request();
    }

    /// Returns what stops the crawl from elsewhere.
    pub fn stopper(&self) -> Stopper {
        Stopper { stop: self.stop.clone() }
    }

    /// Waits until the crawl has ended, and returns its report. If the stream of its pages was not taken, nothing waits
    /// for it.
    ///
    /// # Errors
    /// The output could not be written, or code of this program failed ([`Error::Extension`]).
    pub async fn join(mut self) -> Result<Report, Error> {
        self.pages = None;
        if let Some(over) = self.over.take() {
            // An error says that the other end is dropped: the crawl has ended.
            let _ = over.await;
        }
        self.take_result()
    }

    /// The same as [`Crawl::join`] for code that is not asynchronous: blocks the thread.
    ///
    /// # Errors
    /// Those of [`Crawl::join`].
    pub fn wait(mut self) -> Result<Report, Error> {
        self.pages = None;
        self.take_result()
    }

    fn take_result(&mut self) -> Result<Report, Error> {
        let gone = || Error::Internal("the thread of the crawl is gone".to_owned());
        match self.thread.take().ok_or_else(gone)?.join() {
            Ok(result) => result,
            Err(panic) => Err(Error::Internal(format!("the crawl panicked: {}", message(&*panic)))),
        }
    }
}

impl Drop for Crawl {
    fn drop(&mut self) {
        self.stop.request();
    }
}

/// Returns the report, or the error of a crawl that code of the embedding program ended.
fn finished(report: harvestman_report::Report) -> Result<Report, Error> {
    let is_broken = report.stop_reason == harvestman_report::StopReason::ExtensionError;
    let report = Report::new(report);
    if is_broken { Err(Error::Extension(Box::new(ExtensionFailure { report }))) } else { Ok(report) }
}
