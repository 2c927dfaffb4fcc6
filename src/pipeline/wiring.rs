//! Builds a crawl from its configuration, sink to source.

use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, OnceLock};
use std::thread::JoinHandle;

use actix::Actor;
use crossbeam_channel::{Receiver, bounded};
use dashmap::DashMap;
use parking_lot::Mutex;
use tokio::sync::{Semaphore, oneshot};

use super::fetching::Fetching;
use super::harvest::{Harvester, Rules};
use super::job::Job;
use super::keeper::{self, KeeperThread};
use super::learning::Teacher;
use super::output::{CONFIG_FILE, DirectoryLock};
use super::policy_setup::PolicySetup;
use super::recrawl::{self, Loaded};
use super::resume::{Past, STATE_DIRECTORY, Start, restore_urls, shelf};
use super::switchboard::{ERRANDS_MAX, Lines, Switchboard};
use super::tally::Tally;
use super::trap_board::TrapBoard;
use super::visits::Visits;
use super::worker::{Desk, Worker};
use super::{Error, output, seen};
use crate::archive::{self, ArchiveSink, ArchiveThread, CrawlInfo, Files, RecordEncoder, RevisitIndex, RunId};
use crate::clock::{Clock, Instant};
use crate::config::{BudgetOptions, Config};
use crate::dedup::SeenUrls;
use crate::fetch::{Client, DecodeLimits, TrustedHosts};
use crate::frontier::{
    Allowance, Budgets, EarlyStopOptions, EndReason, FrontierActor, FrontierSetup, Limits, LinksFound, Shelf,
};
use crate::host::{HostRules, HostSetup, IpSlots, sitemap};
use crate::page::{Apath, Fate, Ledger, LinkClass, ScheduledUrl};
use crate::parse::Parser;
use crate::policy::PolicySnapshot;
use crate::report::{CrawlStatus, Hooks, Run, StopReason};
use crate::seed::Seed;
use crate::store::Store;
use crate::url::{CanonicalUrl, Canonicaliser, HostKey, Scope};

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

/// A running crawl.
pub(super) struct Crawl {
    pub(super) lines: Lines,
    pub(super) ledger: Arc<Mutex<Ledger>>,
    pub(super) clock: Clock,
    pub(super) started: Instant,
    pub(super) budget: BudgetOptions,
    pub(super) seen: Arc<SeenUrls>,
    /// Whether it was said that its disk fails, and that the crawl ends because of that.
    pub(super) seen_warned: AtomicBool,
    pub(super) seen_ends: AtomicBool,
    pub(super) finished: Mutex<Option<oneshot::Receiver<EndReason>>>,
    workers: Vec<JoinHandle<()>>,
    /// The thread that learns, where the policy does; it ends after the workers, which feed it.
    learning: Option<JoinHandle<()>>,
    /// The thread that plans visits, in a recrawl.
    recrawl: Option<JoinHandle<()>>,
    /// None where the state is not kept.
    keeper: Option<KeeperThread>,
    writer: ArchiveThread,
    run: Run,
    directory: PathBuf,
    pub(super) traps: Arc<TrapBoard>,
    /// Keeps others out of the crawl directory for as long as it is held.
    _lock: DirectoryLock,
}

impl Crawl {
    /// Ends the workers, closes the files. Returns what the report needs, and what could not be written, if anything.
    pub(super) async fn close(self, started: Instant) -> Result<(Run, CrawlStatus, Option<StopReason>), Error> {
        let mut status = self.status(false);
        status.elapsed = self.clock.now().since(started);
        let Self { lines, workers, learning, recrawl, keeper, writer, mut run, directory, seen, traps, _lock, .. } =
            self;
        if let Some(port) = lines.0.recrawl.get() {
            port.close();
        }
        run.troubles = lines.0.fetching.tally.troubles();
        let jobs = lines.0.jobs.clone();
        let joined = tokio::task::spawn_blocking(move || {
            for _ in &workers {
                // Fails only where all workers are gone already.
                let _ = jobs.send(Job::End);
            }
            let threads = workers.into_iter().chain(learning).chain(recrawl);
            let panicked = threads.filter_map(|thread| thread.join().err()).count();
            // Before the archive, which ends when nobody can write to it any more.
            let kept = keeper.map_or(Ok(false), KeeperThread::join);
            (panicked + usize::from(kept.is_err()), kept.unwrap_or(true), writer.join())
        });
        lines.0.visits.close();
        let (panicked, unkept, written) = joined.await.map_err(|error| Error::Internal(error.to_string()))?;
        run.dedup = Some(seen.figures());
        seen::ended(seen);
        if panicked > 0 {
            return Err(Error::Internal(format!("{panicked} threads panicked")));
        }
        status.traps = traps.traps();
        match written {
            Ok(_) => {
                run.warc_files = output::warc_files(&directory);
                Ok((run, status, unkept.then_some(StopReason::StateError)))
            }
            Err(error) => {
                tracing::error!(%error, "the output could not be written; what was written before is whole");
                Ok((run, status, Some(StopReason::ArchiveError)))
            }
        }
    }
}

/// What is made from the configuration before anything runs.
struct Parts {
    seeds: Vec<CanonicalUrl>,
    canonicaliser: Canonicaliser,
    scope: Arc<Scope>,
    client: Client,
    policy: PolicySetup,
}

/// The seeds, canonical, each once. All that are none are reported together.
fn seeds(written: &[String], canonicaliser: &Canonicaliser) -> Result<Vec<CanonicalUrl>, Error> {
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

fn parts(config: &Config, clock: &Clock, seed: Seed) -> Result<Parts, Error> {
    let wrong = |error: &dyn std::fmt::Display| Error::Configuration(error.to_string());
    archive::check(&config.archive).map_err(|error| wrong(&error))?;
    let canonicaliser = Canonicaliser::new(&config.url).map_err(|error| wrong(&error))?;
    let seeds = seeds(&config.crawl.seeds, &canonicaliser)?;
    let scope = Arc::new(Scope::new(&config.scope, &seeds).map_err(|error| wrong(&error))?);
    let seed_hosts: Vec<HostKey> = seeds.iter().map(CanonicalUrl::host_key).collect();
    let mut fetch = config.fetch.clone();
    fetch.idle_per_host = fetch.idle_per_host.max(config.host.connections_per_host);
    fetch.resend_unanswered &= config.host.delay.0.is_zero();
    let trusted = TrustedHosts::of_seeds(&seed_hosts);
    let client = Client::new(&fetch, clock.clone(), trusted).map_err(|error| wrong(&error))?;
    let policy = PolicySetup::new(config, &canonicaliser, (&seeds, &scope), seed)?;
    Ok(Parts { seeds, canonicaliser, scope, client, policy })
}

/// Builds everything, and sends the seeds in or goes on where an earlier run ended.
pub(super) fn wire(
    config: &Config,
    hooks: &Hooks,
    clock: &Clock,
    seed: Seed,
    start: fn(&Path) -> Result<Start, Error>,
) -> Result<Crawl, Error> {
    let parts = parts(config, clock, seed)?;
    let directory = output::directory(config);
    // Only now: nothing is made where the settings are wrong.
    let Start { lock, left } = start(&directory)?;
    output::write_config(&directory, config)?;

    let run_id = RunId::new(seed, clock.now());
    let index = Arc::new(RevisitIndex::new(config.archive.revisit_entries_max));
    let info = crawl_info(config);
    let files = Files::open(&directory, &config.archive, &info, run_id, clock.now())?;
    let (sink, writer) = ArchiveSink::spawn(files, Arc::clone(&index), clock.clone(), &config.archive)?;
    hooks.metrics.archive.files.inc();

    let in_flight = config.frontier.in_flight_max.max(1);
    let threads = threads(config.crawl.threads);
    let (jobs, job_queue) = bounded(in_flight as usize + ERRANDS_MAX + threads);
    let seen = SeenUrls::new(&config.dedup, Some(directory.join(SEEN_DIRECTORY)), seed.child("dedup"));
    let seen = Arc::new(seen);
    let past = left.as_ref().map_or_else(|| Ok(Past::default()), Past::read)?;
    let goes_on = left.is_some();
    let reader = left.as_ref().map(Store::visits);
    let mut loaded = match (&past.round, &reader) {
        (Some(round), Some(reader)) => Some(Loaded::read(reader, round.number)?),
        _ => None,
    };
    let store = match left {
        None if config.state.enabled => Some(Store::create(&directory.join(STATE_DIRECTORY))?),
        left => left,
    };
    let started = clock.now() - past.account.elapsed;
    let visits_kept = store.is_some() && config.state.visits;
    let rules = rules(config, parts.canonicaliser, (&parts.scope, &seen), &parts.policy, hooks)?;
    let rules = Arc::new(Rules { digests: visits_kept, ..rules });
    let ledger = Arc::new(Mutex::new(Ledger::default()));
    let lines = Lines(Arc::new(Switchboard {
        hosts: DashMap::new(),
        frontier: OnceLock::new(),
        setup: OnceLock::new(),
        allowance: Arc::new(Allowance::new(budgets(config, started), Arc::clone(&ledger))),
        clock: clock.clone(),
        fetching: Arc::new(Fetching {
            client: parts.client,
            robots: Arc::new(config.robots.clone()),
            decode: DecodeLimits::from(&config.fetch),
            tally: Tally::default(),
            metrics: hooks.metrics.clone(),
        }),
        jobs,
        slots: Mutex::new(IpSlots::new(config.host.connections_per_ip)),
        errands: Arc::new(Semaphore::new(ERRANDS_MAX)),
        robots: Arc::new(config.robots.clone()),
        scope: Arc::clone(&parts.scope),
        metrics: hooks.metrics.clone(),
        seed: seed.child("hosts"),
        waits: Mutex::default(),
        keeper: OnceLock::new(),
        visits: Visits::new(visits_kept, reader.clone(), past.round.as_ref().map_or(0, |round| round.number)),
        recrawl: OnceLock::new(),
        remembered: goes_on.then(|| Mutex::new(past.hosts)),
    }));
    let (finished_sender, finished) = oneshot::channel();
    let shelf = shelf(config, &directory, store.is_some())?;
    let mut frontier = frontier(config, hooks, clock, (&lines, &parts.policy), (&ledger, shelf), finished_sender);
    let is_new = past.account.ledger.discovered() == 0;
    frontier.go_on(past.account.ledger);
    if let Some(store) = store.as_ref().filter(|_| goes_on) {
        let waits = |url| loaded.iter_mut().for_each(|loaded| loaded.waits(url));
        restore_urls(store, &seen, &mut frontier, waits)?;
    }
    let keep = |store| keeper::start(config, store, (sink.clone(), lines.clone()), (clock.clone(), started));
    let keeper = store.map(keep).transpose().map_err(|error| Error::Internal(error.to_string()))?;
    if let Some(keeper) = &keeper {
        // Set once, here.
        let _ = lines.0.keeper.set(keeper.port().clone());
        frontier.keep_by(Arc::new(keeper.port().clone()));
    }

    let desk = Arc::new(Desk {
        lines: lines.clone(),
        arbiter: actix::Arbiter::current(),
        sink,
        clock: clock.clone(),
        write_failed: AtomicBool::new(false),
    });
    start_actors(config, hooks, clock, &lines, frontier);
    let recrawl = match (past.round, loaded, reader) {
        (Some(round), Some(loaded), Some(reader)) => {
            Some(recrawl::start(config, (&round, loaded, reader), &lines, (clock, seed.child("recrawl")))?)
        }
        _ => None,
    };
    let seeds = parts.seeds.iter().chain(&parts.policy.example_seed);
    let planted = is_new.then(|| plant(seeds, &rules, &**parts.policy.first()));
    let traps = Arc::clone(&parts.policy.traps);
    let (teacher, learning) = parts.policy.start(config, &directory, (&lines, &rules), clock, &hooks.metrics)?.unzip();
    let workers = start_workers(config, threads, (&rules, teacher), &desk, (run_id, &index), &job_queue)?;
    drop(desk);
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
        budget: config.budget.clone(),
        seen,
        seen_warned: AtomicBool::new(false),
        seen_ends: AtomicBool::new(false),
        finished: Mutex::new(Some(finished)),
        workers,
        learning,
        recrawl,
        keeper,
        writer,
        directory,
        traps,
        _lock: lock,
    };
    // Also where there is nothing to plant: an empty message lets a crawl end of which nothing was left.
    crawl.lines.0.to_frontier(planted.unwrap_or_default());
    Ok(crawl)
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
    (scope, seen): (&Arc<Scope>, &Arc<SeenUrls>),
    policy: &PolicySetup,
    hooks: &Hooks,
) -> Result<Rules, Error> {
    Ok(Rules {
        canonicaliser,
        scope: Arc::clone(scope),
        seen: Arc::clone(seen),
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

fn start_workers(
    config: &Config,
    threads: usize,
    (rules, teacher): (&Arc<Rules>, Option<Teacher>),
    desk: &Arc<Desk>,
    (run_id, index): (RunId, &Arc<RevisitIndex>),
    jobs: &Receiver<Job>,
) -> Result<Vec<JoinHandle<()>>, Error> {
    (0..threads)
        .map(|number| {
            let options = config.parse.clone();
            let ids = run_id.ids(number as u16);
            let encoder = || RecordEncoder::new(&config.archive, ids, Arc::clone(index));
            let worker = Worker {
                desk: Arc::clone(desk),
                harvester: Harvester::new(Arc::clone(rules), move || Parser::new(&options)),
                encoder: config.archive.enabled.then(encoder),
                teacher: teacher.clone(),
            };
            worker.spawn(number, jobs.clone()).map_err(|error| Error::Internal(error.to_string()))
        })
        .collect()
}

/// A limit, of which 0 is none.
fn limit(set: u64) -> Option<u64> {
    (set > 0).then_some(set)
}

/// The budgets; that of time has run since `started`.
fn budgets(config: &Config, started: Instant) -> Budgets {
    let BudgetOptions { pages, bytes, requests, time, .. } = &config.budget;
    let until = (!time.0.is_zero()).then(|| started + time.0);
    Budgets { pages: limit(*pages), bytes: limit(bytes.0), requests: limit(*requests), until }
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
        limits: Limits {
            queued_max: config.frontier.queued_max,
            host_pages_max: limit(config.budget.pages_per_host),
            classes_max: config.frontier.classes_max,
        },
        allowance: Arc::clone(&lines.0.allowance),
        in_flight_max: config.frontier.in_flight_max.max(1),
        early_stop: EarlyStopOptions { share: config.budget.early_stop, requests: config.budget.early_stop_requests },
        explore_every: config.frontier.explore_every,
        order: policy.first_order(),
        orders: Arc::clone(&policy.orders),
        hosts: Arc::new(lines.clone()),
        clock: clock.clone(),
        ledger: Arc::clone(ledger),
        metrics: Arc::clone(&hooks.metrics.frontier),
        crawl_metrics: Arc::clone(&hooks.metrics.crawl),
        shelf,
        finished,
    })
}

fn start_actors(config: &Config, hooks: &Hooks, clock: &Clock, lines: &Lines, frontier: FrontierActor) {
    let setup = HostSetup {
        rules: HostRules::from(config),
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
