//! Builds a crawl from its configuration, sink to source: every stage is handed the handles of those behind it.

mod actors;
mod memory;
mod outlet;
mod parts;

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use parking_lot::Mutex;
use tokio::sync::oneshot;

use self::actors::{FrontierParts, FrontierToBe, HostParts, directory, request_sender};
use self::memory::EarlierRuns;
use self::outlet::ArchiveFiles;
use self::parts::{parts, plant, rules};
use super::active_orders::ActiveOrders;
use super::bounds::threads;
use super::control::{ControlSetup, CrawlControl};
use super::crawl::{Crawl, Handles, PreparedCrawl};
use super::environment::Environment;
use super::handles::{HostsHandle, PageQueue, StateHandle};
use super::live::{LiveBoard, LiveSources};
use super::output::{CONFIG_FILE, SEEN_DIRECTORY};
use super::policy_setup::LearnerSetup;
use super::recrawl::{RecrawlHandle, RecrawlScheduler, SchedulerSetup};
use super::resume::{Start, restore_urls, shelf};
use super::seen::SeenMonitor;
use super::state_writer::{StateWriter, StateWriterSetup};
use super::status::StatusReader;
use super::threads::Stages;
use super::visits::Visits;
use super::worker::WorkerContext;
use super::{Error, output};
use harvestman_core::clock::Clock;
use harvestman_core::config::Config;
use harvestman_core::seed::Seed;
use harvestman_report::{Hooks, Run};
use harvestman_stages::frontier::FrontierActor;
use harvestman_storage::dedup::SeenUrls;

pub(super) use self::parts::seeds;

/// The system that a crawl runs on: actors on the calling thread, requests on `crawl.io_threads` others.
pub fn runtime(config: &Config) -> actix::SystemRunner {
    let threads = threads(config.crawl.io_threads);
    actix::System::with_tokio_rt(move || {
        let mut builder = tokio::runtime::Builder::new_multi_thread();
        builder.worker_threads(threads).thread_name("io").enable_all();
        // The operating system refuses threads or file handles: nothing can be done without them.
        builder.build().expect("the operating system grants threads")
    })
}

/// What a crawl is built from.
pub(super) struct CrawlBuilder<'a> {
    pub(super) config: &'a Config,
    pub(super) hooks: &'a Hooks,
    pub(super) clock: Clock,
    pub(super) seed: Seed,
    /// Makes the crawl directory ready.
    pub(super) start: fn(&Path) -> Result<Start, Error>,
    pub(super) environment: &'a dyn Environment,
}

impl CrawlBuilder<'_> {
    /// Builds all stages and connects them. The actors run; the other stages are started by [`PreparedCrawl::start`].
    pub(super) fn build(&self) -> Result<PreparedCrawl, Error> {
        let Self { config, hooks, clock, seed, .. } = self;
        let (parts, mut policy) = parts(self)?;
        let crawl_directory = output::directory(config);
        // Only now: nothing is made where the settings are wrong.
        let Start { lock, left } = (self.start)(&crawl_directory)?;
        output::write_config(&crawl_directory, config)?;
        let files = ArchiveFiles::open(self, &crawl_directory)?;
        let active = ActiveOrders::read(&crawl_directory)?;
        policy.recall(config, &crawl_directory, active.steering.clone())?;
        let mut earlier = EarlierRuns::recall(self, &crawl_directory, left)?;
        let (order, store) = (config.filter.order.name(), config.dedup.store.name());
        hooks.metrics.crawl.info.set(&[config.crawl.policy.name(), order, store]);
        let started = clock.now() - earlier.past.account.elapsed;

        // The sinks: the archive is open; the set of seen URLs, the state.
        let seen = SeenUrls::new(&config.dedup, Some(crawl_directory.join(SEEN_DIRECTORY)), seed.child("dedup"));
        let seen = Arc::new(seen);
        let rules = Arc::new(rules(self, &parts, &policy, &seen, earlier.keeps_visits));
        let state = earlier.store.is_some().then(|| StateHandle::new(config));
        let (state, state_queue) = state.unzip();
        let visits = Arc::new(Visits::new(earlier.keeps_visits, earlier.reader.clone(), earlier.round_number()));

        // The circle of leases: frontier, hosts, requests, workers.
        let frontier_to_be = FrontierToBe::new(self, Arc::clone(&policy.orders), started);
        let frontier_handle = frontier_to_be.handle.clone();
        let (pages, jobs) = PageQueue::new(config);
        let (requests, tally) = request_sender(self, &parts, &visits, &frontier_handle);
        let abort = requests.abort().clone();
        let hosts = directory(
            self,
            &parts,
            HostParts {
                frontier: frontier_handle.clone(),
                state: state.clone(),
                requests,
                pages: pages.clone(),
                blocked: active.blocked.clone(),
                remembered: earlier.hosts.clone(),
            },
        );
        let hosts_handle = HostsHandle::new(Arc::clone(&hosts), frontier_handle.clone());
        let (finished_sender, finished) = oneshot::channel();
        let mut frontier = frontier_to_be.build(
            self,
            FrontierParts {
                hosts: Arc::clone(&hosts),
                order: policy.first_order(),
                ownership: Arc::clone(&parts.ownership),
                shelf: shelf(config, &crawl_directory, earlier.store.is_some())?,
                finished: finished_sender,
            },
        );
        let account = std::mem::take(&mut earlier.past.account.ledger);
        let is_new = account.discovered() == 0;
        frontier.go_on(account.clone());
        restore(&mut earlier, &seen, &mut frontier)?;
        // Its queue has room for the visits that wait, which are known by now.
        let recrawl = earlier.round.as_ref().map(|(round, loaded)| RecrawlHandle::new(config, round, loaded));
        let (recrawl, recrawl_queue) = recrawl.unzip();
        if let Some(state) = &state {
            frontier.keep_by(Arc::new(state.clone()));
        }
        let ledger = Arc::clone(&frontier_to_be.ledger);
        frontier_to_be.start(frontier);

        // The stages beside the actors.
        let state_writer = earlier.store.zip(state_queue).map(|(store, queue)| {
            let setup = StateWriterSetup {
                disk: files.disk(self, store),
                account,
                queue,
                frontier: frontier_handle.clone(),
                recrawl: recrawl.clone(),
                metrics: Arc::clone(&hooks.metrics.state),
                clock: clock.clone(),
                started,
            };
            StateWriter::new(config, setup)
        });
        for (nesting, urls) in earlier.past.sitemaps.into_iter().filter(|_| config.robots.sitemaps) {
            hosts.hand_out_sitemaps(urls, nesting);
        }
        let scheduler =
            earlier.round.zip(earlier.reader).zip(recrawl_queue).map(|(((round, loaded), reader), queue)| {
                let (frontier, clock, seed) = (frontier_handle.clone(), clock.clone(), seed.child("recrawl"));
                RecrawlScheduler::new(config, SchedulerSetup { round, loaded, reader, queue, frontier, clock, seed })
            });
        let seeds = parts.seeds.iter().chain(&policy.example_seed);
        let planted = (is_new && self.environment.plants()).then(|| plant(seeds, &rules, &*policy.first()));
        let live = Arc::new(LiveBoard::new(&hooks.live));
        let traps = Arc::clone(&policy.traps);
        let publisher = Arc::clone(&policy.publisher);
        let learner = LearnerSetup {
            frontier: frontier_handle.clone(),
            live: Arc::clone(&live),
            rules: Arc::clone(&rules),
            clock: clock.clone(),
            metrics: hooks.metrics.clone(),
        };
        let (observer, learner) = policy.learner(config, &crawl_directory, learner)?.unzip();
        let context = WorkerContext {
            frontier: frontier_handle.clone(),
            hosts: hosts_handle.clone(),
            archive: files.handle(self),
            recrawl: recrawl.clone(),
            visits: Arc::clone(&visits),
            live: Arc::clone(&live),
            clock: clock.clone(),
            metrics: hooks.metrics.clone(),
            write_failed: AtomicBool::new(false),
        };
        let workers = files.workers(self, context, &rules, observer.as_ref());

        // What the crawl shows of itself, and what controls it.
        let control = Arc::new(CrawlControl::new(
            config,
            ControlSetup {
                active,
                directory: crawl_directory.clone(),
                publisher,
                frontier: frontier_handle.clone(),
                hosts: Arc::clone(&hosts),
                metrics: Arc::clone(&hooks.metrics.crawl),
                started,
            },
        ));
        let run = Run {
            seeds: parts.seeds.iter().map(ToString::to_string).collect(),
            seed: seed.0,
            config: Some(CONFIG_FILE.to_owned()),
            ..Run::default()
        };
        let status = StatusReader {
            frontier: frontier_handle.clone(),
            hosts: Arc::clone(&hosts),
            control: Arc::clone(&control),
            ledger,
            tally,
            traps,
            recrawl: recrawl.clone(),
            fleet: Arc::default(),
            clock: clock.clone(),
            started,
            directory: crawl_directory,
            metrics: hooks.metrics.clone(),
        };
        let live = LiveSources {
            board: live,
            control: Arc::clone(&control),
            frontier: frontier_handle.clone(),
            hosts,
            archive: Arc::clone(&hooks.metrics.archive),
            clock: clock.clone(),
            seeds: run.seeds.clone(),
        };
        let crawl = Crawl {
            seen: SeenMonitor::new(seen, frontier_handle.clone()),
            handles: Handles {
                frontier: frontier_handle,
                hosts: hosts_handle,
                pages,
                state: state.clone(),
                recrawl,
                requests: abort,
            },
            control,
            status,
            live,
            visits,
            clock: clock.clone(),
            started,
            finished: Mutex::new(Some(finished)),
            seeds: planted.unwrap_or_default(),
            run,
            lock,
        };
        let state_writer = state_writer.zip(state);
        let stages = Stages { workers, jobs, learner, scheduler, state_writer, writer: files.writer };
        Ok(PreparedCrawl { crawl, stages })
    }
}

/// Puts what waited, and what was seen, back where it was.
fn restore(earlier: &mut EarlierRuns, seen: &SeenUrls, frontier: &mut FrontierActor) -> Result<(), Error> {
    let Some(store) = earlier.store.as_ref().filter(|_| earlier.goes_on) else { return Ok(()) };
    let round = &mut earlier.round;
    let waits = |url| round.iter_mut().for_each(|(_, loaded)| loaded.waits(url));
    restore_urls(store, seen, frontier, waits)?;
    earlier.past.admitted.iter().for_each(|(host, count)| frontier.restore_admitted(host, *count));
    Ok(())
}
