//! The loop of leases: the frontier, the hosts, the senders of requests, and what commits the leases that end.

use std::collections::HashSet;
use std::sync::Arc;

use crossbeam_channel::Receiver;
use parking_lot::Mutex;
use tokio::sync::oneshot;

use super::CrawlBuilder;
use super::actors::{FrontierBuilder, FrontierParts, HostParts, directory, request_sender};
use super::parts::Parts;
use super::sinks::Sinks;
use crate::error::Error;
use crate::handles::job::Job;
use crate::handles::{FrontierHandle, HostsHandle, PageQueue, StateHandle, StateQueue};
use crate::hosts::HostDirectory;
use crate::operate::tally::Tally;
use crate::page::suspects::Suspects;
use crate::policy_thread::policy_setup::PolicySetup;
use crate::recrawl::{RecrawlHandle, RecrawlQueue, RecrawlScheduler, SchedulerSetup};
use crate::run::crawl::Handles;
use crate::run::resume::{restore_urls, spill};
use crate::run::state_writer::{StateWriter, StateWriterSetup};
use crate::run::subrequests::{SubrequestCallers, Subrequests};
use harvestman_core::model::Ledger;
use harvestman_core::url::{CanonicalUrl, Fingerprint};
use harvestman_stages::frontier::{EndReason, FrontierActor};

/// The cycle of leases: the frontier grants them to hosts, the hosts send requests, and the responses wait for the
/// workers.
pub(super) struct LeaseLoop {
    pub(super) handles: Handles,
    pub(super) hosts: Arc<HostDirectory>,
    pub(super) jobs: Receiver<Job>,
    pub(super) tally: Arc<Tally>,
    pub(super) ledger: Arc<Mutex<Ledger>>,
    pub(super) finished: oneshot::Receiver<EndReason>,
    pub(super) state_writer: Option<(StateWriter, StateHandle)>,
    pub(super) scheduler: Option<RecrawlScheduler>,
    /// Whether nothing was discovered before.
    pub(super) is_new: bool,
}

impl CrawlBuilder<'_> {
    /// Builds the frontier, the hosts, the request sender, the state writer and the recrawl scheduler.
    pub(super) fn lease_loop(
        &self,
        parts: &Parts,
        policy: &PolicySetup,
        sinks: &mut Sinks,
    ) -> Result<LeaseLoop, Error> {
        let config = self.config;
        let (state, state_queue) = sinks.earlier.store.is_some().then(|| StateHandle::new(config)).unzip();
        let frontier_builder = FrontierBuilder::new(self, Arc::clone(&policy.orders), sinks.started);
        let frontier_handle = frontier_builder.handle.clone();
        let (pages, jobs) = PageQueue::new(config);
        let (requests, tally) = request_sender(self, parts, &sinks.visits, &frontier_handle);
        let abort = requests.abort().clone();
        let callers = Arc::new(SubrequestCallers::new(Arc::clone(&self.hooks.metrics.host)));
        let host_parts = HostParts {
            frontier: frontier_handle.clone(),
            state: state.clone(),
            requests,
            pages: pages.clone(),
            subrequests: Arc::clone(&callers),
            blocked: sinks.active.blocked.clone(),
            avoided: sinks.rules.links.avoided.clone(),
            remembered: sinks.earlier.hosts.clone(),
        };
        let hosts = directory(self, parts, host_parts);
        let (finished_sender, finished) = oneshot::channel();
        let frontier_parts = FrontierParts {
            hosts: Arc::clone(&hosts),
            order: policy.first_order(),
            ownership: Arc::clone(&parts.ownership),
            spill: spill(config, &sinks.directory, sinks.earlier.store.is_some())?,
            finished: finished_sender,
        };
        let mut frontier = frontier_builder.build(self, frontier_parts);
        let account = std::mem::take(&mut sinks.earlier.past.account.ledger).reopened();
        let is_new = account.discovered() == 0;
        frontier.restore_ledger(account.clone());
        restore(&parts.seeds, sinks, &mut frontier)?;
        let earlier = &mut sinks.earlier;
        // Its queue has room for the visits that wait, which are known now.
        let recrawl = earlier.round.as_ref().map(|(round, loaded)| RecrawlHandle::new(config, round, loaded));
        let (recrawl, recrawl_queue) = recrawl.unzip();
        let state_writer = state_queue
            .and_then(|queue| self.state_writer(sinks, queue, account, frontier_handle.clone(), recrawl.clone()));
        if let Some(state) = &state {
            frontier.persist_through(Arc::new(state.clone()));
        }
        let ledger = Arc::clone(&frontier_builder.ledger);
        frontier_builder.start(frontier);
        let sitemaps = std::mem::take(&mut sinks.earlier.past.sitemaps);
        for (nesting, urls) in sitemaps.into_iter().filter(|_| config.robots.sitemaps) {
            hosts.hand_out_sitemaps(urls, nesting);
        }
        let scheduler = recrawl_queue.and_then(|queue| self.scheduler(sinks, queue, frontier_handle.clone()));
        let hosts_handle = HostsHandle::new(Arc::clone(&hosts), frontier_handle.clone());
        let handles = Handles {
            subrequests: Subrequests::new(hosts_handle.clone(), callers),
            hosts: hosts_handle,
            frontier: frontier_handle,
            suspects: Suspects::new(self.config, &pages),
            pages,
            state: state.clone(),
            recrawl,
            requests: abort,
        };
        let state_writer = state_writer.zip(state);
        Ok(LeaseLoop { handles, hosts, jobs, tally, ledger, finished, state_writer, scheduler, is_new })
    }

    /// Builds the writer of the state, which begins with this account.
    fn state_writer(
        &self,
        sinks: &mut Sinks,
        queue: StateQueue,
        account: Ledger,
        frontier: FrontierHandle,
        recrawl: Option<RecrawlHandle>,
    ) -> Option<StateWriter> {
        let store = sinks.earlier.store.take()?;
        let setup = StateWriterSetup {
            disk: sinks.files.disk(self, store),
            account,
            queue,
            frontier,
            recrawl,
            metrics: Arc::clone(&self.hooks.metrics.state),
            clock: self.clock.clone(),
            started: sinks.started,
            pages_max: self.hooks.limits.commit_pages,
        };
        Some(StateWriter::new(self.config, setup))
    }

    /// Builds the scheduler of a recrawl.
    fn scheduler(&self, sinks: &mut Sinks, queue: RecrawlQueue, frontier: FrontierHandle) -> Option<RecrawlScheduler> {
        let ((round, loaded), reader) = sinks.earlier.round.take().zip(sinks.earlier.reader.take())?;
        let (clock, seed) = (self.clock.clone(), self.seed.child("recrawl"));
        Some(RecrawlScheduler::new(self.config, SchedulerSetup { round, loaded, reader, queue, frontier, clock, seed }))
    }
}

/// Restores the URLs that waited, and those that were seen. Queries among the former need not be sent again.
fn restore(seeds: &[CanonicalUrl], sinks: &mut Sinks, frontier: &mut FrontierActor) -> Result<(), Error> {
    let Sinks { earlier, seen, queries, rules, .. } = sinks;
    let Some(store) = earlier.store.as_ref().filter(|_| earlier.goes_on) else { return Ok(()) };
    let round = &mut earlier.round;
    let open: Vec<_> = queries.iter().map(|query| Fingerprint::of(&query.url)).collect();
    let mut waiting = HashSet::new();
    let waits = |url| {
        round.iter_mut().for_each(|(_, loaded)| loaded.waits(url));
        waiting.extend(open.contains(&url).then_some(url));
    };
    restore_urls(store, seen, frontier, waits)?;
    queries.retain(|query| !waiting.contains(&Fingerprint::of(&query.url)));
    earlier.past.admitted.iter().for_each(|(host, count)| frontier.restore_admitted(host, *count));
    earlier.past.admitted.iter().for_each(|(host, _)| rules.urls.scope.restore_moved(seeds, host.as_str()));
    Ok(())
}
