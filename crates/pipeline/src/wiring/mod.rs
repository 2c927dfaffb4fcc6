//! Builds a crawl from its configuration, sink to source.

mod actors;
mod bounds;
mod memory;
mod outlet;
mod parts;

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use arc_swap::ArcSwap;
use parking_lot::Mutex;
use tokio::sync::oneshot;

use self::actors::{frontier, start_actors};
use self::bounds::threads;
use self::memory::Memory;
use self::outlet::Outlet;
use self::parts::{parts, plant, rules};
use super::control::Told;
use super::crawl::Crawl;
use super::environment::Environment;
use super::in_force::InForce;
use super::output::CONFIG_FILE;
use super::recrawl;
use super::resume::{Start, restore_urls, shelf};
use super::switchboard::Lines;
use super::threads::Stages;
use super::visits::Visits;
use super::{Error, output};
use harvestman_core::clock::Clock;
use harvestman_core::config::Config;
use harvestman_core::model::Ledger;
use harvestman_core::seed::Seed;
use harvestman_report::{Hooks, Run};
use harvestman_stages::frontier::FrontierActor;
use harvestman_storage::dedup::SeenUrls;

pub(super) use self::bounds::{budgets, limits};
pub(super) use self::parts::seeds;

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

/// How a crawl begins.
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
    /// Makes all stages and connects them; the actors are started. The crawl begins with [`Crawl::begin`].
    pub(super) fn wire(&self) -> Result<(Crawl, Stages), Error> {
        let Self { config, hooks, clock, seed, .. } = self;
        let mut parts = parts(self)?;
        let directory = output::directory(config);
        // Only now: nothing is made where the settings are wrong.
        let Start { lock, left } = (self.start)(&directory)?;
        output::write_config(&directory, config)?;
        let outlet = Outlet::open(self, &directory)?;
        let in_force = InForce::read(&directory)?;
        parts.policy.recall(config, &directory, in_force.steering.clone())?;
        let mut memory = Memory::recall(self, &directory, left)?;
        let (order, store) = (config.filter.order.name(), config.dedup.store.name());
        hooks.metrics.crawl.info.set(&[config.crawl.policy.name(), order, store]);

        let seen = SeenUrls::new(&config.dedup, Some(directory.join(SEEN_DIRECTORY)), seed.child("dedup"));
        let seen = Arc::new(seen);
        let ownership = self.environment.ownership();
        let places = (&parts.scope, &seen, &ownership);
        let rules = Arc::new(rules(config, parts.canonicaliser, places, &parts.policy, (hooks, memory.keeps_visits))?);
        let visits = Visits::new(memory.keeps_visits, memory.reader.clone(), memory.round_number());
        let ledger = Arc::new(Mutex::new(Ledger::default()));
        let started = clock.now() - memory.past.account.elapsed;
        let blocked = ArcSwap::from_pointee(in_force.blocked.clone());
        let hosts = (memory.hosts.take(), blocked);
        let (board, jobs) = self.board((parts.network, visits), (&parts.scope, &ledger), started, hosts);
        let lines = Lines(Arc::new(board));

        let (finished_sender, finished) = oneshot::channel();
        let shelf = shelf(config, &directory, memory.store.is_some())?;
        let mut frontier = frontier(config, hooks, clock, (&lines, &parts.policy), (&ledger, shelf), finished_sender);
        let account = std::mem::take(&mut memory.past.account.ledger);
        let is_new = account.discovered() == 0;
        frontier.go_on(account.clone());
        restore(&mut memory, &seen, &mut frontier)?;
        let keeper = memory.store.map(|store| outlet.keeper(self, (store, account), &lines, started));
        if let Some((_, port)) = &keeper {
            // Set once, here.
            let _ = lines.0.keeper.set(port.clone());
            frontier.keep_by(Arc::new(port.clone()));
        }

        start_actors((config, parts.groups), hooks, clock, &lines, frontier);
        for (nesting, urls) in memory.past.sitemaps.into_iter().filter(|_| config.robots.sitemaps) {
            lines.0.hand_out_sitemaps(urls, nesting);
        }
        let feeder = memory.round.zip(memory.reader).map(|((round, loaded), reader)| {
            recrawl::feeder(config, (&round, loaded, reader), &lines, (clock, seed.child("recrawl")))
        });
        let seeds = parts.seeds.iter().chain(&parts.policy.example_seed);
        let planted = (is_new && self.environment.plants()).then(|| plant(seeds, &rules, &*parts.policy.first()));
        let traps = Arc::clone(&parts.policy.traps);
        let orders = (Arc::clone(&parts.policy.publisher), Arc::clone(&parts.policy.orders));
        let told = Told::new(config, in_force, &directory, orders);
        let learner = parts.policy.learner(config, &directory, (&lines, &rules), clock, &hooks.metrics)?;
        let (observer, learner) = learner.unzip();
        let workers = outlet.workers(self, &lines, (&rules, observer));
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
        Ok((crawl, Stages { workers, jobs, learner, feeder, keeper, writer: outlet.writer }))
    }
}

/// Puts what waited, and what was seen, back where it was.
fn restore(memory: &mut Memory, seen: &SeenUrls, frontier: &mut FrontierActor) -> Result<(), Error> {
    let Some(store) = memory.store.as_ref().filter(|_| memory.goes_on) else { return Ok(()) };
    let round = &mut memory.round;
    let waits = |url| round.iter_mut().for_each(|(_, loaded)| loaded.waits(url));
    restore_urls(store, seen, frontier, waits)?;
    memory.past.admitted.iter().for_each(|(host, count)| frontier.restore_admitted(host, *count));
    Ok(())
}
