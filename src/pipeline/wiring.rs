//! Builds a crawl from its configuration, sink to source.

use std::collections::HashMap;
use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, OnceLock};

use actix::Actor;
use arc_swap::ArcSwap;
use crossbeam_channel::{Receiver, bounded};
use dashmap::DashMap;
use parking_lot::Mutex;
use tokio::sync::{Semaphore, oneshot, watch};

use super::crawl::Crawl;
use super::fetching::Fetching;
use super::harvest::{Harvester, Rules};
use super::in_force::InForce;
use super::job::Job;
use super::keeper::{Disk, Keeper, KeeperPort};
use super::learning::Teacher;
use super::live::LiveBoard;
use super::metered::Metered;
use super::output::CONFIG_FILE;
use super::policy_setup::PolicySetup;
use super::recrawl::{self, Loaded};
use super::resume::{Past, STATE_DIRECTORY, Start, restore_urls, shelf};
use super::surroundings::{Network, Surroundings};
use super::switchboard::{ERRANDS_MAX, Lines, Switchboard};
use super::tally::Tally;
use super::threads::Stages;
use super::told::Told;
use super::visits::Visits;
use super::worker::{Desk, Worker};
use super::{Error, output};
use crate::archive::{self, ArchiveSink, CrawlInfo, Files, RecordEncoder, RevisitIndex, RunId, Writer};
use crate::clock::{Clock, Instant};
use crate::config::{BudgetOptions, Config};
use crate::dedup::SeenUrls;
use crate::fetch::{DecodeLimits, TrustedHosts};
use crate::frontier::{
    Allowance, Budgets, EarlyStopOptions, EndReason, FrontierActor, FrontierSetup, Limits, LinksFound, Shelf,
};
use crate::host::{BlockedHosts, GateTerms, Gates, HostPast, HostRules, HostSetup, sitemap};
use crate::page::Borders;
use crate::page::{Apath, Fate, Ledger, LinkClass, ScheduledUrl};
use crate::parse::Parser;
use crate::policy::PolicySnapshot;
use crate::report::{Hooks, Run};
use crate::seed::Seed;
use crate::store::Store;
use crate::url::{CanonicalUrl, Canonicaliser, HostGroups, HostKey, Scope};

/// Where the set of URLs seen goes when it outgrows its memory, in the crawl directory.
pub(super) const SEEN_DIRECTORY: &str = "seen";

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

/// What is made from the configuration before anything runs.
struct Parts {
    seeds: Vec<CanonicalUrl>,
    groups: HostGroups,
    canonicaliser: Canonicaliser,
    scope: Arc<Scope>,
    network: Arc<dyn Network>,
    policy: PolicySetup,
}

/// The seeds, canonical, each once. All that are none are reported together.
pub(super) fn seeds(written: &[String], canonicaliser: &Canonicaliser) -> Result<Vec<CanonicalUrl>, Error> {
    let (mut seeds, mut wrong) = (Vec::new(), Vec::new());
    for text in written {
        match canonicaliser.parse(text) {
            Ok(url) if seeds.contains(&url) => {}
            Ok(url) => seeds.push(url),
            Err(why) => wrong.push(format!("`{text}` is no http or https URL ({})", why.label())),
        }
    }
    if !wrong.is_empty() {
        return Err(Error::NoUsableSeed { reason: wrong.join("; ") });
    }
    if seeds.is_empty() {
        return Err(Error::NoUsableSeed { reason: "none was given".to_owned() });
    }
    Ok(seeds)
}

fn parts(beginning: &Beginning<'_>) -> Result<Parts, Error> {
    let Beginning { config, clock, seed, surroundings, .. } = beginning;
    let wrong = |error: &dyn std::fmt::Display| Error::Configuration(error.to_string());
    archive::check(&config.archive).map_err(|error| wrong(&error))?;
    let canonicaliser = Canonicaliser::new(&config.url).map_err(|error| wrong(&error))?;
    let seeds = seeds(&config.crawl.seeds, &canonicaliser)?;
    let scope = Arc::new(Scope::new(&config.scope, &seeds).map_err(|error| wrong(&error))?);
    let seed_hosts: Vec<HostKey> = seeds.iter().map(CanonicalUrl::host_key).collect();
    let groups = HostGroups::new(&config.host.groups).map_err(|error| wrong(&error))?;
    let mut fetch = config.fetch.clone();
    fetch.idle_per_host = fetch.idle_per_host.max(config.host.connections_per_host);
    fetch.resend_unanswered &= config.host.delay.0.is_zero() && config.host.delay_per_ip.0.is_zero();
    let trusted = TrustedHosts::of_seeds(&seed_hosts);
    let network = surroundings.network(&fetch, clock.clone(), trusted).map_err(|error| wrong(&error))?;
    let policy = PolicySetup::new(config, &canonicaliser, (&seeds, &scope), (*surroundings, *seed))?;
    Ok(Parts { seeds, groups, canonicaliser, scope, network, policy })
}

/// How a crawl begins.
pub(super) struct Beginning<'a> {
    pub(super) config: &'a Config,
    pub(super) hooks: &'a Hooks,
    pub(super) clock: Clock,
    pub(super) seed: Seed,
    /// Makes the crawl directory ready.
    pub(super) start: fn(&Path) -> Result<Start, Error>,
    pub(super) surroundings: &'a dyn Surroundings,
}

/// Where outcomes are written.
struct Outlet {
    sink: ArchiveSink,
    writer: Writer,
    index: Arc<RevisitIndex>,
    run_id: RunId,
}

impl Beginning<'_> {
    /// Makes all stages and connects them; the actors are started. The crawl begins with [`Crawl::begin`].
    pub(super) fn wire(&self) -> Result<(Crawl, Stages), Error> {
        let Self { config, hooks, clock, seed, .. } = self;
        let mut parts = parts(self)?;
        let directory = output::directory(config);
        // Only now: nothing is made where the settings are wrong.
        let Start { lock, left } = (self.start)(&directory)?;
        output::write_config(&directory, config)?;
        let outlet = self.outlet(&directory)?;

        let seen = SeenUrls::new(&config.dedup, Some(directory.join(SEEN_DIRECTORY)), seed.child("dedup"));
        let seen = Arc::new(seen);
        let mut past = left.as_ref().map(Past::read).transpose()?;
        let in_force = InForce::read(&directory)?;
        parts.policy.recall(config, &directory, in_force.steering.clone())?;
        let reader = left.as_ref().map(Store::visits);
        let round = past.as_mut().and_then(|past| past.round.take());
        let known = round.as_ref().zip(reader.as_ref());
        let mut loaded = known.map(|(round, reader)| Loaded::read(reader, round.number)).transpose()?;
        let (order, store) = (config.filter.order.name(), config.dedup.store.name());
        hooks.metrics.crawl.info.set(&[config.crawl.policy.name(), order, store]);
        let store = match left {
            None if config.state.enabled => Some(Store::create(&directory.join(STATE_DIRECTORY))?),
            left => left,
        };
        let goes_on = past.is_some();
        let remembered = past.as_mut().map(|past| std::mem::take(&mut past.hosts));
        let remembered = remembered.or_else(|| self.surroundings.remembers().then(HashMap::new)).map(Mutex::new);
        let Past { account: spent, admitted, sitemaps, .. } = past.unwrap_or_default();
        let started = clock.now() - spent.elapsed;
        let visits_kept = store.is_some() && config.state.visits;
        let borders = self.surroundings.borders();
        let rules = rules(config, parts.canonicaliser, (&parts.scope, &seen, &borders), &parts.policy, hooks)?;
        let rules = Arc::new(Rules { digests: visits_kept, ..rules });
        let visits = Visits::new(visits_kept, reader.clone(), round.as_ref().map_or(0, |round| round.number));
        let ledger = Arc::new(Mutex::new(Ledger::default()));
        let blocked = ArcSwap::from_pointee(in_force.blocked.clone());
        let (board, job_queue) =
            self.board((parts.network, visits), (&parts.scope, &ledger), started, (remembered, blocked));
        let lines = Lines(Arc::new(board));

        let (finished_sender, finished) = oneshot::channel();
        let shelf = shelf(config, &directory, store.is_some())?;
        let mut frontier = frontier(config, hooks, clock, (&lines, &parts.policy), (&ledger, shelf), finished_sender);
        let is_new = spent.ledger.discovered() == 0;
        let account = spent.ledger.clone();
        frontier.go_on(spent.ledger);
        if let Some(store) = store.as_ref().filter(|_| goes_on) {
            let waits = |url| loaded.iter_mut().for_each(|loaded| loaded.waits(url));
            restore_urls(store, &seen, &mut frontier, waits)?;
            admitted.iter().for_each(|(host, count)| frontier.restore_admitted(host, *count));
        }
        let keeper = store.map(|store| self.keeper((store, account), &outlet, &lines, started));
        if let Some((_, port)) = &keeper {
            // Set once, here.
            let _ = lines.0.keeper.set(port.clone());
            frontier.keep_by(Arc::new(port.clone()));
        }

        start_actors((config, parts.groups), hooks, clock, &lines, frontier);
        for (nesting, urls) in sitemaps.into_iter().filter(|_| config.robots.sitemaps) {
            lines.0.hand_out_sitemaps(urls, nesting);
        }
        let visited = round.zip(loaded).zip(reader);
        let feeder = visited.map(|((round, loaded), reader)| {
            recrawl::feeder(config, (&round, loaded, reader), &lines, (clock, seed.child("recrawl")))
        });
        let seeds = parts.seeds.iter().chain(&parts.policy.example_seed);
        let planted = (is_new && self.surroundings.plants()).then(|| plant(seeds, &rules, &*parts.policy.first()));
        let traps = Arc::clone(&parts.policy.traps);
        let orders = (Arc::clone(&parts.policy.helm), Arc::clone(&parts.policy.orders));
        let told = Told::new(config, in_force, &directory, orders);
        let learner = parts.policy.learner(config, &directory, (&lines, &rules), clock, &hooks.metrics)?;
        let (teacher, learner) = learner.unzip();
        let workers = workers(self, &lines, (&rules, teacher), &outlet);
        let crawl = Crawl {
            run: Run {
                seeds: parts.seeds.iter().map(ToString::to_string).collect(),
                seed: seed.0,
                config: Some(CONFIG_FILE.to_owned()),
                ..Run::default()
            },
            lines,
            ledger,
            clock: clock.clone(),
            started,
            told,
            seen,
            seen_warned: AtomicBool::new(false),
            seen_ends: AtomicBool::new(false),
            finished: Mutex::new(Some(finished)),
            standing: Arc::default(),
            planted: planted.unwrap_or_default(),
            directory,
            traps,
            lock,
        };
        Ok((crawl, Stages { workers, jobs: job_queue, learner, feeder, keeper, writer: outlet.writer }))
    }

    fn keeper(
        &self,
        (store, account): (Store, Ledger),
        outlet: &Outlet,
        lines: &Lines,
        started: Instant,
    ) -> (Keeper, KeeperPort) {
        let sink = outlet.sink.clone();
        let sync_archive = self.surroundings.archive_sync(Box::new(move || sink.sync()));
        let disk = Disk { state: self.surroundings.state(store), sync_archive };
        Keeper::new(self.config, (disk, account), lines.clone(), (self.clock.clone(), started))
    }

    fn outlet(&self, directory: &Path) -> Result<Outlet, Error> {
        let Self { config, clock, .. } = self;
        let run_id = RunId::new(self.seed, clock.now());
        let index = Arc::new(RevisitIndex::new(config.archive.revisit_entries_max));
        let files = Files::open(directory, &config.archive, &crawl_info(config), run_id, clock.now())?;
        let metrics = Arc::clone(&self.hooks.metrics.archive);
        let output = Metered::new(self.surroundings.output(files), &config.archive, clock.clone(), metrics);
        let (sink, writer) = ArchiveSink::new(Box::new(output), Arc::clone(&index), clock.clone(), &config.archive);
        Ok(Outlet { sink, writer, index, run_id })
    }

    fn board(
        &self,
        (network, visits): (Arc<dyn Network>, Visits),
        (scope, ledger): (&Arc<Scope>, &Arc<Mutex<Ledger>>),
        started: Instant,
        (remembered, blocked): (Option<Mutex<HashMap<HostKey, HostPast>>>, ArcSwap<BlockedHosts>),
    ) -> (Switchboard, Receiver<Job>) {
        let Self { config, hooks, clock, seed, .. } = self;
        let in_flight = config.frontier.in_flight_max.max(1);
        let allowance = Allowance::new(budgets(config, started), Arc::clone(ledger));
        let allowance = if self.surroundings.shares_budgets() { allowance.shared() } else { allowance };
        let (jobs, job_queue) = bounded(in_flight as usize + ERRANDS_MAX + threads(config.crawl.threads));
        let board = Switchboard {
            hosts: DashMap::new(),
            frontier: OnceLock::new(),
            setup: OnceLock::new(),
            allowance: Arc::new(allowance),
            clock: clock.clone(),
            fetching: Arc::new(Fetching {
                network,
                robots: Arc::new(config.robots.clone()),
                decode: DecodeLimits::from(&config.fetch),
                tally: Tally::default(),
                metrics: hooks.metrics.clone(),
            }),
            jobs,
            gates: Mutex::new(Gates::new(GateTerms::from(&HostRules::from(*config)))),
            gate_timer: Mutex::default(),
            errands: Arc::new(Semaphore::new(ERRANDS_MAX)),
            robots: Arc::new(config.robots.clone()),
            scope: Arc::clone(scope),
            metrics: hooks.metrics.clone(),
            seed: seed.child("hosts"),
            waits: Mutex::default(),
            keeper: OnceLock::new(),
            visits,
            recrawl: OnceLock::new(),
            remembered,
            blocked,
            live: Arc::new(LiveBoard::new(&hooks.live)),
            borders: self.surroundings.borders(),
            pulse: Arc::default(),
            lapses: watch::Sender::new(0),
        };
        (board, job_queue)
    }
}

/// The seeds as discovered links.
fn plant<'a>(
    seeds: impl Iterator<Item = &'a CanonicalUrl>,
    rules: &Rules,
    snapshot: &dyn PolicySnapshot,
) -> LinksFound {
    let mut found = LinksFound { generation: snapshot.generation(), ..LinksFound::default() };
    for url in seeds {
        if let Err(why) = rules.scope.check(url.as_str()) {
            tracing::warn!(url = url.as_str(), why = why.label(), "a seed is outside the scope");
            found.settled.add(Fate::OutOfScope(why), 1);
        } else if rules.seen.insert(url.fingerprint()) {
            let class = LinkClass::unclassified(Apath::SEED).with_pattern(snapshot.pattern(url.as_str()));
            let url = url.clone();
            found.accepted.push(ScheduledUrl { url, class, depth: 0, redirects: 0, attempts: 0, via: None });
        }
    }
    found
}

fn crawl_info(config: &Config) -> CrawlInfo {
    CrawlInfo {
        robots: if config.robots.obey { "obeyed" } else { "ignored" }.to_owned(),
        operator: Some(config.fetch.contact.clone()).filter(|contact| !contact.is_empty()),
        user_agent: Some(crate::fetch::user_agent(&config.fetch)),
        description: None,
        hostname: None,
    }
}

fn rules(
    config: &Config,
    canonicaliser: Canonicaliser,
    (scope, seen, borders): (&Arc<Scope>, &Arc<SeenUrls>, &Arc<dyn Borders>),
    policy: &PolicySetup,
    hooks: &Hooks,
) -> Result<Rules, Error> {
    Ok(Rules {
        canonicaliser,
        scope: Arc::clone(scope),
        seen: Arc::clone(seen),
        borders: Arc::clone(borders),
        policy: Arc::clone(&policy.current),
        needs: Arc::clone(&policy.needs),
        recorded: None,
        filter: config.filter.clone(),
        depth_max: config.budget.depth,
        agent: config.robots.agent.clone(),
        decode: DecodeLimits::from(&config.fetch),
        sitemaps: sitemap::Limits::from(&config.robots),
        export: config.archive.links,
        digests: false,
        metrics: hooks.metrics.clone(),
    })
}

fn workers(
    beginning: &Beginning<'_>,
    lines: &Lines,
    (rules, teacher): (&Arc<Rules>, Option<Teacher>),
    outlet: &Outlet,
) -> Vec<Worker> {
    let config = beginning.config;
    let desk = Arc::new(Desk {
        lines: lines.clone(),
        arbiter: actix::Arbiter::current(),
        sink: outlet.sink.clone(),
        clock: beginning.clock.clone(),
        write_failed: AtomicBool::new(false),
    });
    let worker = |number| {
        let options = config.parse.clone();
        let ids = outlet.run_id.ids(number as u16);
        let encoder = || RecordEncoder::new(&config.archive, ids, Arc::clone(&outlet.index));
        Worker {
            desk: Arc::clone(&desk),
            harvester: Harvester::new(Arc::clone(rules), move || Parser::new(&options)),
            encoder: config.archive.enabled.then(encoder),
            teacher: teacher.clone(),
        }
    };
    let count = threads(config.crawl.threads);
    beginning.hooks.metrics.worker.threads.set(count as u64);
    (0..count).map(worker).collect()
}

/// A limit, of which 0 is none.
fn limit(set: u64) -> Option<u64> {
    (set > 0).then_some(set)
}

/// The budgets; that of time has run since `started`.
pub(super) fn budgets(config: &Config, started: Instant) -> Budgets {
    let BudgetOptions { pages, bytes, requests, time, .. } = &config.budget;
    let until = (!time.0.is_zero()).then(|| started + time.0);
    Budgets { pages: limit(*pages), bytes: limit(bytes.0), requests: limit(*requests), until }
}

/// What may wait.
pub(super) fn limits(config: &Config) -> Limits {
    Limits {
        queued_max: config.frontier.queued_max,
        host_pages_max: limit(config.budget.pages_per_host),
        classes_max: config.frontier.classes_max,
    }
}

fn frontier(
    config: &Config,
    hooks: &Hooks,
    clock: &Clock,
    (lines, policy): (&Lines, &PolicySetup),
    (ledger, shelf): (&Arc<Mutex<Ledger>>, Arc<Shelf>),
    finished: oneshot::Sender<EndReason>,
) -> FrontierActor {
    FrontierActor::new(FrontierSetup {
        limits: limits(config),
        allowance: Arc::clone(&lines.0.allowance),
        in_flight_max: config.frontier.in_flight_max.max(1),
        early_stop: EarlyStopOptions { share: config.budget.early_stop, requests: config.budget.early_stop_requests },
        explore_every: config.frontier.explore_every,
        order: policy.first_order(),
        orders: Arc::clone(&policy.orders),
        borders: Arc::clone(&lines.0.borders),
        pulse: Arc::clone(&lines.0.pulse),
        hosts: Arc::new(lines.clone()),
        clock: clock.clone(),
        ledger: Arc::clone(ledger),
        metrics: Arc::clone(&hooks.metrics.frontier),
        crawl_metrics: Arc::clone(&hooks.metrics.crawl),
        shelf,
        finished,
    })
}

fn start_actors(
    (config, groups): (&Config, HostGroups),
    hooks: &Hooks,
    clock: &Clock,
    lines: &Lines,
    frontier: FrontierActor,
) {
    let setup = HostSetup {
        rules: ArcSwap::from_pointee(HostRules::from(config)),
        groups,
        sleep_after: config.host.sleep_after.0,
        clock: clock.clone(),
        metrics: hooks.metrics.host.clone(),
        outlets: Arc::new(lines.clone()),
    };
    // Both are set once, here; a second crawl has a switchboard of its own.
    let _ = lines.0.setup.set(Arc::new(setup));
    let _ = lines.0.frontier.set(frontier.start());
}

/// A number of threads, 0 being one a processor.
fn threads(set: u32) -> usize {
    match set {
        0 => std::thread::available_parallelism().map_or(2, usize::from),
        n => n as usize,
    }
}
