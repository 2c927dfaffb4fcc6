//! Builds the stages of a crawl from sink to source: each gets the handles of those behind it.

use std::collections::HashSet;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use crossbeam_channel::Receiver;
use parking_lot::Mutex;
use tokio::sync::oneshot;

use super::CrawlBuilder;
use super::actors::{FrontierParts, FrontierToBe, HostParts, directory, request_sender};
use super::earlier::EarlierRuns;
use super::earlier_addresses::public_hosts;
use super::files::ArchiveFiles;
use super::parts::{Parts, parts, plant, plant_queries, rules};
use crate::Error;
use crate::handles::{HostsHandle, PageQueue, StateHandle};
use crate::hosts::HostDirectory;
use crate::live::{LiveBoard, LiveSources};
use crate::login::{LoggedIn, LoggedInSetup, Session};
use crate::operate::active_orders::ActiveOrders;
use crate::operate::control::{ControlSetup, CrawlControl};
use crate::operate::status::StatusReader;
use crate::operate::tally::Tally;
use crate::page::job::Job;
use crate::page::rules::Rules;
use crate::page::seen::SeenMonitor;
use crate::page::suspects::Suspects;
use crate::page::visits::Visits;
use crate::page::worker::Worker;
use crate::page::worker_context::WorkerContext;
use crate::policy_thread::learning::Learner;
use crate::policy_thread::policy_board::PolicyBoard;
use crate::policy_thread::policy_setup::{LearnerSetup, PolicySetup};
use crate::policy_thread::snapshot_publisher::SnapshotPublisher;
use crate::recrawl::{RecrawlHandle, RecrawlScheduler, SchedulerSetup};
use crate::rendering::{Browsers, RenderQueue, RenderStage, RenderWriter, Renders};
use crate::run::bounds::SITEMAP_URLS_MAX;
use crate::run::crawl::{Crawl, Handles, PreparedCrawl};
use crate::run::output;
use crate::run::output::{CONFIG_FILE, SEEN_DIRECTORY};
use crate::run::resume::{Start, restore_urls, spill};
use crate::run::state_writer::{StateWriter, StateWriterSetup};
use crate::run::subrequests::{SubrequestCallers, Subrequests};
use crate::run::threads::Stages;
use harvestman_core::clock::Instant;
use harvestman_core::held_pages::PutBacks;
use harvestman_core::model::Ledger;
use harvestman_core::url::{CanonicalUrl, Fingerprint};
use harvestman_policy::Proposal;
use harvestman_report::Run;
use harvestman_stages::frontier::{CreditPool, DiscoveredLinks, EndReason, FrontierActor};
use harvestman_storage::archive::ArchiveWriter;
use harvestman_storage::dedup::SeenUrls;
use harvestman_storage::store::Store;

/// The sinks, and what an earlier run left of them.
struct Sinks {
    directory: PathBuf,
    files: ArchiveFiles,
    seen: Arc<SeenUrls>,
    rules: Arc<Rules>,
    visits: Arc<Visits>,
    put_backs: Arc<PutBacks>,
    earlier: EarlierRuns,
    /// The queries that the run starts with.
    queries: Vec<Proposal>,
    active: ActiveOrders,
    /// When the crawl would have started had it never been interrupted.
    started: Instant,
}

/// The cycle of leases: the frontier grants them to hosts, the hosts send requests, and the responses wait for the
/// workers.
struct Circle {
    handles: Handles,
    hosts: Arc<HostDirectory>,
    jobs: Receiver<Job>,
    tally: Arc<Tally>,
    ledger: Arc<Mutex<Ledger>>,
    finished: oneshot::Receiver<EndReason>,
    state_writer: Option<(StateWriter, StateHandle)>,
    scheduler: Option<RecrawlScheduler>,
    /// Whether nothing was discovered before.
    is_new: bool,
}

/// The parts that show the crawl to others.
struct Shown {
    board: Arc<PolicyBoard>,
    publisher: Arc<SnapshotPublisher>,
    live: Arc<LiveBoard>,
    seeds: Vec<String>,
}

/// What the workers work with besides the sinks and the circle of leases.
struct WorkersAround<'a> {
    renders: Option<RenderQueue>,
    session: Option<Arc<Session>>,
    live: &'a Arc<LiveBoard>,
}

impl CrawlBuilder<'_> {
    /// Builds all stages and connects them. The actors run; the other stages are started by [`PreparedCrawl::start`].
    pub(crate) fn build(&self) -> Result<PreparedCrawl, Error> {
        let (parts, mut policy) = parts(self)?;
        let is_rendering = self.config.render.is_on();
        let browsers = is_rendering.then(|| self.environment.browsers(self.config, &self.clock)).transpose()?;
        let crawl_directory = output::directory(self.config);
        // Only now, so that nothing is created if the settings are wrong.
        let Start { lock, left } = (self.start)(&crawl_directory)?;
        output::close_to_others(&crawl_directory, self.config, left.is_none())?;
        let (mut sinks, writer) = self.sinks(&parts, &mut policy, crawl_directory, left)?;
        let circle = self.circle(&parts, &policy, &mut sinks)?;
        let seeds = self.seeds(&parts, &policy, &sinks, circle.is_new);
        let shared_policy = policy.shared.clone();
        let shown = Shown {
            board: Arc::clone(&policy.board),
            publisher: Arc::clone(&policy.publisher),
            live: Arc::new(LiveBoard::new(&self.hooks.live)),
            seeds: parts.seeds.iter().map(ToString::to_string).collect(),
        };
        let (renders, render_stage) = self.renders(&circle.handles, sinks.rules.renders.as_ref().zip(browsers)).unzip();
        let logged_in = self.logged_in(&parts, &sinks, &circle.handles);
        let around = WorkersAround { renders, session: logged_in.session.clone(), live: &shown.live };
        let (workers, learner) = self.workers(policy, around, &circle.handles, &sinks)?;
        let control = self.control(&circle, &sinks, &shown);
        let status = self.status(&circle, &sinks, &shown, &control);
        let live = LiveSources { renders: sinks.rules.renders.clone(), ..self.live(&circle, &shown, &control) };
        let render_writer = sinks.rules.renders.clone();
        let render_writer =
            render_writer.map(|renders| RenderWriter::new(renders, &sinks.directory, self.clock.clone()));
        let Circle { handles, jobs, finished, state_writer, scheduler, .. } = circle;
        let crawl = Crawl {
            seen: SeenMonitor::new(sinks.seen, handles.frontier.clone()),
            handles,
            control,
            status,
            live,
            visits: sinks.visits,
            shared_policy,
            searches: parts.searches.clone(),
            logged_in,
            clock: self.clock.clone(),
            started: sinks.started,
            finished: Mutex::new(Some(finished)),
            seeds,
            run: Run { seeds: shown.seeds, seed: self.seed.0, config: Some(CONFIG_FILE.to_owned()), ..Run::default() },
            lock,
        };
        Ok(PreparedCrawl {
            crawl,
            stages: Stages { workers, jobs, learner, render_stage, render_writer, scheduler, state_writer, writer },
        })
    }

    /// Opens the sinks, and reads what an earlier run left.
    fn sinks(
        &self,
        parts: &Parts,
        policy: &mut PolicySetup,
        directory: PathBuf,
        left: Option<Store>,
    ) -> Result<(Sinks, ArchiveWriter), Error> {
        let Self { config, hooks, clock, seed, .. } = self;
        output::write_config(&directory, config)?;
        let (files, writer) = ArchiveFiles::open(self, &directory)?;
        let active = ActiveOrders::read(&directory)?;
        policy.recall(config, &directory, active.steering.clone())?;
        let queries = policy.open_queries();
        let earlier = EarlierRuns::recall(self, &directory, left)?;
        if earlier.goes_on {
            parts.network.keep_public(&public_hosts(&directory));
        }
        let (order, store) = (config.filter.order.name(), config.dedup.store.name());
        hooks.metrics.crawl.info.set(&[config.crawl.policy.name(), order, store]);
        let seen = SeenUrls::new(&config.dedup, Some(directory.join(SEEN_DIRECTORY)), seed.child("dedup"));
        let seen = Arc::new(seen);
        let mut rules = rules(self, parts, policy, &seen, earlier.keeps_visits);
        let others = self.environment.other_browsers();
        let put_backs: Arc<PutBacks> = Arc::default();
        let counted = Arc::clone(&put_backs);
        let metrics = Arc::clone(&hooks.metrics.render);
        let renders = || Arc::new(Renders::open(&config.render, &directory, metrics, (others, counted)));
        rules.renders = config.render.is_on().then(renders);
        let rules = Arc::new(rules);
        let visits = Visits::new(earlier.keeps_visits, earlier.reader.clone(), earlier.round_number());
        let started = clock.now() - earlier.past.account.elapsed;
        let visits = Arc::new(visits);
        Ok((Sinks { directory, files, seen, rules, visits, put_backs, earlier, queries, active, started }, writer))
    }

    /// Builds the frontier, the hosts, the request sender, the state writer and the recrawl scheduler.
    fn circle(&self, parts: &Parts, policy: &PolicySetup, sinks: &mut Sinks) -> Result<Circle, Error> {
        let config = self.config;
        let (state, state_queue) = sinks.earlier.store.is_some().then(|| StateHandle::new(config)).unzip();
        let frontier_to_be = FrontierToBe::new(self, Arc::clone(&policy.orders), sinks.started);
        let frontier_handle = frontier_to_be.handle.clone();
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
            avoided: sinks.rules.avoided.clone(),
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
        let mut frontier = frontier_to_be.build(self, frontier_parts);
        let account = std::mem::take(&mut sinks.earlier.past.account.ledger).reopened();
        let is_new = account.discovered() == 0;
        frontier.restore_ledger(account.clone());
        restore(&parts.seeds, sinks, &mut frontier)?;
        let earlier = &mut sinks.earlier;
        // Its queue has room for the visits that wait, which are known now.
        let recrawl = earlier.round.as_ref().map(|(round, loaded)| RecrawlHandle::new(config, round, loaded));
        let (recrawl, recrawl_queue) = recrawl.unzip();
        let state_writer = earlier.store.take().zip(state_queue).map(|(store, queue)| {
            let setup = StateWriterSetup {
                disk: sinks.files.disk(self, store),
                account,
                queue,
                frontier: frontier_handle.clone(),
                recrawl: recrawl.clone(),
                metrics: Arc::clone(&self.hooks.metrics.state),
                clock: self.clock.clone(),
                started: sinks.started,
            };
            StateWriter::new(config, setup)
        });
        if let Some(state) = &state {
            frontier.persist_through(Arc::new(state.clone()));
        }
        let ledger = Arc::clone(&frontier_to_be.ledger);
        frontier_to_be.start(frontier);
        let sitemaps = std::mem::take(&mut earlier.past.sitemaps);
        for (nesting, urls) in sitemaps.into_iter().filter(|_| config.robots.sitemaps) {
            hosts.hand_out_sitemaps(urls, nesting);
        }
        let scheduled = earlier.round.take().zip(earlier.reader.take()).zip(recrawl_queue);
        let scheduler = scheduled.map(|(((round, loaded), reader), queue)| {
            let (frontier, clock) = (frontier_handle.clone(), self.clock.clone());
            let seed = self.seed.child("recrawl");
            RecrawlScheduler::new(config, SchedulerSetup { round, loaded, reader, queue, frontier, clock, seed })
        });
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
        Ok(Circle { handles, hosts, jobs, tally, ledger, finished, state_writer, scheduler, is_new })
    }

    /// Returns the seeds as links (none if the crawl has begun before, or other nodes supply them), and the queries without an
    /// answer.
    fn seeds(&self, parts: &Parts, policy: &PolicySetup, sinks: &Sinks, is_new: bool) -> DiscoveredLinks {
        let seeds = parts.seeds.iter().chain(&policy.example_seeds).filter(|_| is_new && self.environment.has_seeds());
        let mut found = plant(seeds, &sinks.rules, &*policy.first());
        plant_queries(&sinks.queries, &sinks.rules, &mut found);
        found
    }

    /// Prepares the stage of the browsers, if pages may be rendered.
    fn renders(
        &self,
        handles: &Handles,
        browsers: Option<(&Arc<Renders>, Browsers)>,
    ) -> Option<(RenderQueue, RenderStage)> {
        let (rules, browsers) = browsers?;
        if browsers.is_empty() {
            rules.turn_off();
        }
        let to = (handles.subrequests.clone(), handles.pages.clone());
        Some(RenderStage::new(self.config, to, self.clock.clone(), (Arc::clone(rules), browsers)))
    }

    /// Builds the workers, and the policy's learner if the policy learns.
    fn workers(
        &self,
        policy: PolicySetup,
        WorkersAround { renders, session, live }: WorkersAround<'_>,
        handles: &Handles,
        sinks: &Sinks,
    ) -> Result<(Vec<Worker>, Option<Learner>), Error> {
        let learner = LearnerSetup {
            frontier: handles.frontier.clone(),
            live: Arc::clone(live),
            rules: Arc::clone(&sinks.rules),
            clock: self.clock.clone(),
            metrics: self.hooks.metrics.clone(),
        };
        let (observer, learner) = policy.learner(self.config, &sinks.directory, learner)?.unzip();
        let context = WorkerContext {
            frontier: handles.frontier.clone(),
            hosts: handles.hosts.clone(),
            archive: sinks.files.handle(self),
            recrawl: handles.recrawl.clone(),
            visits: Arc::clone(&sinks.visits),
            renders,
            render_rules: sinks.rules.renders.clone(),
            session,
            suspects: handles.suspects.clone(),
            put_backs: Arc::clone(&sinks.put_backs),
            trees: self.hooks.trees.clone(),
            sitemap_credit: CreditPool::new(SITEMAP_URLS_MAX),
            live: Arc::clone(live),
            clock: self.clock.clone(),
            metrics: self.hooks.metrics.clone(),
            receiver: self.extensions.receiver.clone(),
            extension_errors: self.extensions.errors.clone(),
            write_failed: AtomicBool::new(false),
        };
        Ok((sinks.files.workers(self, context, &sinks.rules, observer.as_ref()), learner))
    }

    /// Prepares the session of a crawl that logs in, and the file of cookies.
    fn logged_in(&self, parts: &Parts, sinks: &Sinks, handles: &Handles) -> LoggedIn {
        let setup = LoggedInSetup {
            config: self.config,
            log_in: parts.log_in.as_ref(),
            directory: &sinks.directory,
            network: &parts.network,
            scope: &parts.scope,
            avoided: sinks.rules.avoided.as_ref(),
            subrequests: &handles.subrequests,
            pages: &handles.pages,
            frontier: &handles.frontier,
            hosts: &handles.hosts,
            clock: &self.clock,
            metrics: &self.hooks.metrics.host,
        };
        LoggedIn::prepare(setup)
    }

    fn control(&self, circle: &Circle, sinks: &Sinks, shown: &Shown) -> Arc<CrawlControl> {
        let setup = ControlSetup {
            active: sinks.active.clone(),
            directory: sinks.directory.clone(),
            publisher: Arc::clone(&shown.publisher),
            frontier: circle.handles.frontier.clone(),
            hosts: Arc::clone(&circle.hosts),
            metrics: Arc::clone(&self.hooks.metrics.crawl),
            started: sinks.started,
        };
        Arc::new(CrawlControl::new(self.config, setup))
    }

    fn status(&self, circle: &Circle, sinks: &Sinks, shown: &Shown, control: &Arc<CrawlControl>) -> StatusReader {
        StatusReader {
            frontier: circle.handles.frontier.clone(),
            hosts: Arc::clone(&circle.hosts),
            control: Arc::clone(control),
            ledger: Arc::clone(&circle.ledger),
            tally: Arc::clone(&circle.tally),
            board: Arc::clone(&shown.board),
            recrawl: circle.handles.recrawl.clone(),
            fleet: Arc::default(),
            posts: self.hooks.posts.clone(),
            clock: self.clock.clone(),
            started: sinks.started,
            directory: sinks.directory.clone(),
            metrics: self.hooks.metrics.clone(),
        }
    }

    fn live(&self, circle: &Circle, shown: &Shown, control: &Arc<CrawlControl>) -> LiveSources {
        LiveSources {
            board: Arc::clone(&shown.live),
            control: Arc::clone(control),
            frontier: circle.handles.frontier.clone(),
            hosts: Arc::clone(&circle.hosts),
            archive: Arc::clone(&self.hooks.metrics.archive),
            renders: None,
            clock: self.clock.clone(),
            seeds: shown.seeds.clone(),
        }
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
    earlier.past.admitted.iter().for_each(|(host, _)| rules.scope.restore_moved(seeds, host.as_str()));
    Ok(())
}
