//! A running crawl, and its end.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use parking_lot::Mutex;
use tokio::sync::oneshot;

use super::control::Told;
use super::output::{self, DirectoryLock};
use super::switchboard::Lines;
use super::threads::{Ended, Threads};
use super::trap_board::TrapBoard;
use super::{Error, seen};
use harvestman_core::clock::{Clock, Instant};
use harvestman_core::model::Ledger;
use harvestman_fleet::status::FleetProgress;
use harvestman_report::{CrawlStatus, Run, StopReason};
use harvestman_stages::frontier::{EndReason, LinksFound};
use harvestman_storage::dedup::SeenUrls;

/// A running crawl.
pub(super) struct Crawl {
    pub(super) lines: Lines,
    pub(super) ledger: Arc<Mutex<Ledger>>,
    pub(super) clock: Clock,
    pub(super) started: Instant,
    /// What holds, and can be changed while the crawl runs.
    pub(super) told: Told,
    pub(super) seen: Arc<SeenUrls>,
    /// Whether it was said that its disk fails, and that the crawl ends because of that.
    pub(super) seen_warned: AtomicBool,
    pub(super) seen_ends: AtomicBool,
    pub(super) finished: Mutex<Option<oneshot::Receiver<EndReason>>>,
    /// Where it stands in its fleet, as its node says about once a second; none outside one.
    pub(super) standing: Arc<Mutex<Option<FleetProgress>>>,
    /// What the crawl begins with.
    pub(super) planted: LinksFound,
    pub(super) run: Run,
    pub(super) directory: PathBuf,
    pub(super) traps: Arc<TrapBoard>,
    /// Keeps others out of the crawl directory for as long as it is held.
    pub(super) lock: DirectoryLock,
}

impl Crawl {
    /// Sends the seeds in. Also where there is nothing to plant: an empty message lets a crawl end of which nothing was left.
    pub(super) fn begin(&mut self) {
        self.lines.0.to_frontier(std::mem::take(&mut self.planted));
    }

    /// Ends the threads, closes the files. Returns what the report needs, and what could not be written, if anything.
    pub(super) async fn close(
        self,
        threads: Threads,
        started: Instant,
    ) -> Result<(Run, CrawlStatus, Option<StopReason>), Error> {
        let mut status = self.status(false);
        status.elapsed = self.clock.now().since(started);
        self.show(&CrawlStatus { draining: true, ..status.clone() });
        let Self { lines, mut run, directory, seen, traps, lock: _lock, .. } = self;
        if let Some(port) = lines.0.recrawl.get() {
            port.close();
        }
        run.troubles = lines.0.fetching.tally.troubles();
        if let Some(hosts) = lines.0.setup.get() {
            (run.crawl_delays_capped_hosts, run.crawl_delays_capped) = hosts.capped_delays.get();
        }
        let jobs = lines.0.jobs.clone();
        let joined = tokio::task::spawn_blocking(move || threads.join(&jobs));
        lines.0.visits.close();
        let Ended { panicked, unkept, written } = joined.await.map_err(|error| Error::Internal(error.to_string()))?;
        run.dedup = Some(seen.figures());
        seen::ended(seen);
        if panicked > 0 {
            return Err(Error::Internal(format!("{panicked} threads panicked")));
        }
        status.traps = traps.traps();
        if let Some(account) = &unkept {
            // What ended after the state could not be written is fetched again.
            status.count_by(account);
        }
        match written {
            Ok(_) => {
                run.warc_files = output::warc_files(&directory);
                Ok((run, status, unkept.map(|_| StopReason::StateError)))
            }
            Err(error) => {
                tracing::error!(%error, "the output could not be written; what was written before is whole");
                Ok((run, status, Some(StopReason::ArchiveError)))
            }
        }
    }
}
