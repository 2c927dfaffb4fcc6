//! The lifecycle of a crawl: it is built, started, run until it is over, and closed. A live crawl, a node of a fleet
//! and the simulation share it.

use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use tokio::sync::{mpsc, oneshot};

use crate::error::Error;
use crate::handles::{FrontierHandle, HostsHandle, PageQueue, StateHandle};
use crate::live::{LiveSources, LiveViewer};
use crate::login::{LoggedIn, SessionTasks};
use crate::operate::control::CrawlControl;
use crate::operate::status::StatusReader;
use crate::page::seen::SeenMonitor;
use crate::page::suspects::Suspects;
use crate::page::visits::Visits;
use crate::recrawl::RecrawlHandle;
use crate::run::output::{self, DirectoryLock};
use crate::run::patience::{self, Patience};
use crate::run::requests::RequestAbort;
use crate::run::subrequests::Subrequests;
use crate::run::threads::{RunningStages, Stages, StagesEnded};
use crate::search::searches::Searches;
use harvestman_core::clock::{Clock, Instant};
use harvestman_core::url::HostKey;
use harvestman_report::{CommandRequest, CrawlStatus, Hooks, RENDER_CLASSES_REPORTED, Run, StopReason};
use harvestman_stages::frontier::{Control, DiscoveredLinks, EndReason, LinksFound};

/// The interval at which a crawl that makes no progress logs the reason.
const STALL_LOGGED_EVERY: Duration = Duration::from_secs(30);

/// The interval of status reports.
const STATUS_EVERY: Duration = Duration::from_millis(500);

/// The handles to the stages of a crawl.
pub(crate) struct Handles {
    pub(crate) frontier: FrontierHandle,
    pub(crate) hosts: HostsHandle,
    pub(crate) pages: PageQueue,
    /// Answers that may be substitutes.
    pub(crate) suspects: Suspects,
    /// `None` if the state is not persisted.
    pub(crate) state: Option<StateHandle>,
    /// In a recrawl: its scheduler.
    pub(crate) recrawl: Option<RecrawlHandle>,
    pub(crate) requests: RequestAbort,
    /// For the pages that are rendered.
    pub(crate) subrequests: Subrequests,
}

/// A crawl without its stages.
pub(crate) struct Crawl {
    pub(crate) handles: Handles,
    pub(crate) control: Arc<CrawlControl>,
    pub(crate) status: StatusReader,
    pub(crate) live: LiveSources,
    pub(crate) seen: SeenMonitor,
    pub(crate) visits: Arc<Visits>,
    /// The searches that it starts from.
    pub(crate) searches: Option<Arc<Searches>>,
    /// The session of a crawl that logs in, and the file of cookies.
    pub(crate) logged_in: LoggedIn,
    pub(crate) clock: Clock,
    /// When the crawl would have started had it never been interrupted.
    pub(crate) started: Instant,
    /// Signals the end of the crawl; `None` once it is awaited.
    pub(crate) finished: Mutex<Option<oneshot::Receiver<EndReason>>>,
    /// The links that the crawl begins with.
    pub(crate) seeds: DiscoveredLinks,
    pub(crate) run: Run,
    /// Keeps other processes out of the crawl directory for as long as it is held.
    pub(crate) lock: DirectoryLock,
}

/// A crawl that is built and not started.
pub(crate) struct PreparedCrawl {
    pub(crate) crawl: Crawl,
    pub(crate) stages: Stages,
}

impl PreparedCrawl {
    /// Starts the stages. Nothing is fetched before [`RunningCrawl::begin`], unless an earlier run left URLs waiting.
    pub(crate) fn start<R>(self, start: impl FnOnce(Stages) -> Result<R, Error>) -> Result<RunningCrawl<R>, Error> {
        Ok(RunningCrawl { stages: start(self.stages)?, crawl: self.crawl })
    }
}

/// A crawl with its running stages.
pub(crate) struct RunningCrawl<R> {
    pub(crate) crawl: Crawl,
    stages: R,
}

/// What a closed crawl leaves for its report.
pub(crate) struct ClosedCrawl {
    pub(crate) run: Run,
    pub(crate) status: CrawlStatus,
    /// What could not be written, if anything.
    pub(crate) failed: Option<StopReason>,
}

impl<R: RunningStages> RunningCrawl<R> {
    /// Logs in, if the crawl is to, and begins; nothing else is fetched before. Returns the tasks that keep the session
    /// and the cookies. If the crawl is stopped meanwhile, it begins without the session, and ends.
    ///
    /// # Errors
    ///
    /// The log-in failed.
    pub(crate) async fn begin_logged_in(&mut self, hooks: &Hooks) -> Result<SessionTasks, Error> {
        let logged_in = std::mem::take(&mut self.crawl.logged_in);
        let hold = self.crawl.handles.frontier.hold();
        let begun = tokio::select! {
            begun = Box::pin(logged_in.begin(&self.crawl.clock)) => begun,
            () = hooks.stop.wait() => Ok(SessionTasks::default()),
        };
        if begun.is_ok() {
            // Only then may the crawl end by itself.
            self.begin();
        }
        drop(hold);
        begun
    }

    /// Sends the seeds to the frontier. Without seeds the message is empty; it lets a crawl end that has no URLs left.
    pub(crate) fn begin(&mut self) {
        self.crawl.handles.frontier.send(LinksFound(std::mem::take(&mut self.crawl.seeds)));
    }

    /// Waits until the crawl is over; meanwhile reports its status, carries out commands, and passes on requests to
    /// stop or pause. Returns `None` if the frontier ended without a reason.
    pub(crate) async fn until_over(&self, hooks: &Hooks) -> Option<EndReason> {
        self.crawl.until_over(hooks).await
    }

    /// Ends the stages and closes the files.
    pub(crate) async fn close(self) -> Result<ClosedCrawl, Error> {
        let Self { crawl, stages } = self;
        if let Some(url) = crawl.live.board.readings.endless(crawl.clock.now()) {
            // Its thread cannot be ended, and would hold up all that is to be closed.
            return Err(Error::EndlessPage(url.into()));
        }
        let mut status = crawl.status.read(false);
        crawl.status.export(&CrawlStatus { draining: true, ..status.clone() }, &crawl.seen);
        if let Some(recrawl) = &crawl.handles.recrawl {
            recrawl.close();
        }
        let board = Arc::clone(&crawl.status.board);
        let directory = crawl.status.directory.clone();
        let Crawl { handles, seen, visits, mut run, status: reader, live, lock: _lock, .. } = crawl;
        run.troubles = reader.tally.troubles();
        (run.crawl_delays_capped_hosts, run.crawl_delays_capped) = reader.hosts.capped_delays();
        let StagesEnded { panicked, uncommitted, written } = stages.join(&handles.pages).await?;
        visits.close();
        run.dedup = Some(seen.close());
        run.rendering = live.renders.map(|renders| renders.summary(RENDER_CLASSES_REPORTED));
        if panicked > 0 {
            return Err(Error::Internal(format!("{panicked} threads panicked")));
        }
        status.traps = board.traps();
        (status.wanted, status.searches) = (board.wanted(), board.searches());
        if let Some(account) = &uncommitted {
            // What ended after the state could not be written is fetched again.
            status.count_by(account);
        }
        let failed = match written {
            Ok(_) => {
                run.warc_files = output::warc_files(&directory);
                uncommitted.map(|_| StopReason::StateError)
            }
            Err(error) => {
                tracing::error!(%error, "the output could not be written; what was written before is intact");
                Some(StopReason::ArchiveError)
            }
        };
        Ok(ClosedCrawl { run, status, failed })
    }
}

/// For the simulation, which kills crawls.
#[cfg(test)]
impl<R> RunningCrawl<R> {
    /// Ends the crawl as a kill does: nothing is finished, but the state is closed.
    pub(crate) fn kill(self, kill: impl FnOnce(&R)) {
        kill(&self.stages);
        self.crawl.visits.close();
    }
}

impl Crawl {
    /// Returns why the crawl ends although a worker is in the middle of a page: it takes longer than any page should,
    /// and nothing else is to be done.
    fn gives_up(&self, hooks: &Hooks) -> Option<EndReason> {
        let now = self.clock.now();
        self.live.board.readings.endless(now)?;
        let by_stop = hooks.stop.requested().then_some(EndReason::Stopped);
        by_stop.or_else(|| self.handles.frontier.allowance().exhausted(now))
    }

    async fn until_over(&self, hooks: &Hooks) -> Option<EndReason> {
        let mut finished = self.finished.lock().take()?;
        let mut tick = tokio::time::interval(STATUS_EVERY);
        let (mut stopping, mut paused) = (false, false);
        let mut commands = hooks.commands.listen();
        let patience = Patience::new(self.clock.now());
        let mut watch = Watch { crawl: self, viewer: LiveViewer::new(&self.live), moved: self.clock.now(), patience };
        loop {
            if let Some(reason) = self.gives_up(hooks) {
                return Some(reason);
            }
            tokio::select! {
                reason = &mut finished => return reason.ok(),
                () = hooks.stop.wait(), if !stopping => {
                    stopping = true;
                    self.handles.frontier.stop();
                    self.handles.suspects.close();
                    tick.reset_immediately();
                }
                () = hooks.pause.changed_from(paused) => {
                    paused = !paused;
                    self.handles.frontier.send(if paused { Control::Pause } else { Control::Resume });
                }
                Some(given) = next(&mut commands) => {
                    self.control.serve(given).await;
                    tick.reset_immediately();
                }
                _ = tick.tick() => watch.tick(hooks, paused).await,
            }
        }
    }
}

/// Reports the status of a running crawl.
struct Watch<'a> {
    crawl: &'a Crawl,
    viewer: LiveViewer<'a>,
    /// When the crawl last made progress, or logged that it makes none.
    moved: Instant,
    patience: Patience,
}

impl Watch<'_> {
    async fn tick(&mut self, hooks: &Hooks, paused: bool) {
        let ends = self.crawl.seen.check();
        let status = self.crawl.status.read(ends || hooks.stop.requested());
        let (status, now) = (CrawlStatus { paused, ..status }.with_stall(), self.crawl.clock.now());
        for url in self.crawl.live.board.readings.newly_long(now) {
            tracing::warn!(url, "reading the page takes long; the other threads go on");
        }
        self.crawl.handles.suspects.tick(now, status.queued, status.leased);
        self.crawl.status.export(&status, &self.crawl.seen);
        self.end_wait(&status, now).await;
        match &status.stall {
            Some(why) if now.since(self.moved) >= STALL_LOGGED_EVERY => {
                tracing::warn!("{why}");
                self.moved = now;
            }
            Some(_) => {}
            None => self.moved = now,
        }
        (hooks.on_status)(&status);
        self.viewer.show(&status).await;
    }

    /// Ends the wait for hosts if the crawl has waited for nothing else for long enough.
    async fn end_wait(&mut self, status: &CrawlStatus, now: Instant) {
        let crawl = self.crawl;
        let rests = status.leased == 0 && status.waits.hosts > 0;
        let achieved = (!status.paused && status.outage.is_none()).then(|| crawl.status.ledger.lock().achieved());
        let longest = crawl.control.config().budget.wait.0;
        if !self.patience.is_over(now, achieved, longest) || !rests {
            return;
        }
        let waits = crawl.status.hosts.waits().now(now);
        let ended = patience::given_up(&crawl.handles.frontier.waiting_hosts().await, &waits);
        if ended.is_empty() {
            return;
        }
        tracing::warn!(
            hosts = ended.len(),
            first = ended.first().map(HostKey::as_str),
            "nothing was achieved for {} s, and only hosts are left that must not be contacted now: their URLs fail with \
             wait_over. `harvestman resume` goes on with them; `budget.wait` says how long to wait",
            longest.as_secs()
        );
        crawl.handles.hosts.end_wait(ended);
    }
}

/// Receives the next command; never completes if there is no channel for commands.
async fn next(commands: &mut Option<mpsc::Receiver<CommandRequest>>) -> Option<CommandRequest> {
    match commands {
        Some(commands) => commands.recv().await,
        None => std::future::pending().await,
    }
}
