//! A crawl from its first run to its last, with all its troubles, generated from a seed.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use rand::Rng as _;
use rand::seq::IndexedRandom as _;

use super::checks;
use super::disk::{Disk, Event, Plan, scratch};
use super::network::Servers;
use super::run::{End, Ended, Run};
use super::web::Web;
use crate::error::Error;
use crate::run::resume::Start;
use harvestman_core::clock::Instant;
use harvestman_core::config::archive::LineCompression;
use harvestman_core::config::{
    ByteSize, Config, DedupStore, FilterOrder, Period, PolicyKind, PolicyOptions, RenderMode,
};
use harvestman_core::seed::{Rng, Seed};
use harvestman_papers::{OPIC, RANDOM, baseline};
use harvestman_policy::{AddedPolicies, MakeWith, add_policies};
use harvestman_report::RunLimits;
use harvestman_stages::frontier::EndReason;
use harvestman_stages::host::HostLimits;
use harvestman_storage::archive::{self, ArchiveLimits};

/// A story.
pub(super) struct Story {
    seed: Seed,
    pub(super) config: Config,
    limits: RunLimits,
    hosts: usize,
    pages: usize,
    fault_rate: f64,
    latency_max: Duration,
    /// Whether all reachable pages must be fetched; a policy that rejects links may leave some out.
    complete: bool,
    /// The troubles of the crawl's runs, except for the last.
    troubles: Vec<Trouble>,
    /// The troubles of the recrawl's runs.
    recrawl_troubles: Vec<Trouble>,
}

/// Prepares the crawl directory.
type StartOf = fn(&Path) -> Result<Start, Error>;

/// What stays the same over all runs.
struct Stage {
    config: Config,
    out: PathBuf,
    servers: Arc<Servers>,
}

/// How a crawl or a recrawl went.
struct Act {
    broken: usize,
    operations: u64,
}

/// What happens to a run.
#[derive(Debug, Clone, Copy)]
pub(super) enum Trouble {
    /// At an operation of the disk.
    Disk(Plan),
    /// After this time.
    After(Duration, Event),
}

/// The outcome of a story.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct StoryOutcome {
    /// The number of runs that ended badly.
    pub(super) broken: usize,
    /// The number of requests that the servers received.
    pub(super) requests: usize,
    /// The number of pages that were fetched again.
    pub(super) again: u64,
    /// The number of operations on the disk in the last run of the crawl.
    pub(super) operations: u64,
    /// The same of the recrawl.
    pub(super) operations_of_recrawl: u64,
    /// A hash of all requests.
    pub(super) digest: u64,
}

fn one<T: Copy>(of: &[T], rng: &mut Rng) -> T {
    *of.choose(rng).expect("there is something to choose from")
}

impl Story {
    /// Generates the story of a seed.
    pub(super) fn of(seed: u64) -> Self {
        let seed = Seed(seed).child("story");
        let mut rng = seed.child("setting").rng();
        let complete = rng.random_bool(0.8);
        let pages = rng.random_range(6..50);
        let troubles = (0..rng.random_range(1..5)).map(|_| trouble(pages, &mut rng)).collect();
        let recrawl_troubles = (0..rng.random_range(0..3)).map(|_| trouble(pages / 2 + 1, &mut rng)).collect();
        Self {
            seed,
            config: config(complete, &mut rng),
            limits: limits(&mut rng),
            hosts: rng.random_range(1..5),
            pages,
            fault_rate: one(&[0.0, 0.0, 0.05, 0.2], &mut rng),
            latency_max: Duration::from_millis(one(&[5, 60, 900], &mut rng)),
            complete,
            troubles,
            recrawl_troubles,
        }
    }

    /// Returns the story with these troubles in the crawl and in the recrawl.
    pub(super) fn with(self, troubles: Vec<Trouble>, recrawl_troubles: Vec<Trouble>) -> Self {
        Self { troubles, recrawl_troubles, ..self }
    }

    /// Plays the story, and checks the invariants after each run.
    pub(super) fn play(&self) -> Result<StoryOutcome, String> {
        let scratch = scratch();
        let out = scratch.path().join("crawl");
        let web = Web::new(self.seed, (self.hosts, self.pages), self.config.render.is_on());
        let mut config = self.config.clone();
        config.crawl.seeds.clone_from(&web.seeds);
        config.crawl.out = out.to_string_lossy().into_owned();
        let stage = Stage { config, out, servers: Arc::new(Servers::new(web, self.fault_rate)) };
        let mut at = Instant::from_micros(1_790_000_000_000_000);
        let crawl = self.act(&stage, (0, Start::new_crawl), &self.troubles, &mut at)?;
        let again = checks::again(&stage.servers.log());
        let found = checks::at_rest(&stage.out, false)?;
        if self.complete { found.check_complete(&stage.servers.web) } else { found.check_over() }?;
        self.check_again(again, crawl.broken)?;
        at = at + Duration::from_secs(86_400);
        let recrawl = self.act(&stage, (1_000, Start::recrawl), &self.recrawl_troubles, &mut at)?;
        checks::at_rest(&stage.out, true)?.check_over().map_err(|what| format!("after the recrawl: {what}"))?;
        let log = stage.servers.log();
        checks::polite(&log, self.config.host.delay.0).map_err(|what| format!("POL-2: {what}"))?;
        let mut digest = DefaultHasher::new();
        log.hash(&mut digest);
        Ok(StoryOutcome {
            broken: crawl.broken + recrawl.broken,
            requests: log.len(),
            again,
            operations: crawl.operations,
            operations_of_recrawl: recrawl.operations,
            digest: digest.finish(),
        })
    }

    /// Plays the runs of a crawl, or of a recrawl, until one ends as it should.
    fn act(
        &self,
        stage: &Stage,
        (first, start): (u64, StartOf),
        troubles: &[Trouble],
        at: &mut Instant,
    ) -> Result<Act, String> {
        for broken in 0.. {
            let trouble = troubles.get(broken).copied();
            let run_seed = self.seed.nth(first + broken as u64);
            let disk = Disk::new(&stage.out, if let Some(Trouble::Disk(plan)) = trouble { Some(plan) } else { None });
            let run = Run {
                config: &stage.config,
                limits: self.limits,
                seed: run_seed,
                servers: &stage.servers,
                disk: &disk,
                at: *at,
                killed_after: if let Some(Trouble::After(time, event)) = trouble { Some((time, event)) } else { None },
                latency_max: self.latency_max,
            };
            let ended = run.execute(if broken == 0 { start } else { Start::resume });
            disk.settle(&mut run_seed.child("torn").rng());
            let wrong = |what: String| format!("run {} ({trouble:?}): {what}", first + broken as u64);
            *at = ended.at + Duration::from_millis(run_seed.child("downtime").rng().random_range(0..60_000));
            if self.is_over(&ended, trouble.is_some()).map_err(wrong)? {
                return Ok(Act { broken, operations: disk.operations() });
            }
            repair(&stage.out).and_then(|()| checks::at_rest(&stage.out, first > 0)).map(drop).map_err(wrong)?;
        }
        unreachable!("there are finitely many troubles")
    }

    /// Checks that no more pages were fetched again than there were leases.
    fn check_again(&self, again: u64, broken: usize) -> Result<(), String> {
        let allowed = broken as u64 * u64::from(self.config.frontier.in_flight_max);
        if again <= allowed {
            return Ok(());
        }
        Err(format!("{again} pages were fetched again, {allowed} may be after {broken} broken runs"))
    }

    /// Whether a run was the last one.
    fn is_over(&self, ended: &Ended, troubled: bool) -> Result<bool, String> {
        match &ended.end {
            End::Over(EndReason::Empty) => Ok(true),
            // It was stopped because something could not be written.
            End::Failed | End::Killed | End::Over(EndReason::Stopped) if troubled => Ok(false),
            end => Err(format!("it ended with {end:?}")),
        }
    }
}

/// Does what `resume` does first; doing it twice does no harm.
fn repair(directory: &Path) -> Result<(), String> {
    archive::repair_all(directory).map(drop).map_err(|error| error.to_string())
}

fn trouble(pages: usize, rng: &mut Rng) -> Trouble {
    let event = one(&Event::ALL, rng);
    if rng.random_bool(0.7) {
        return Trouble::Disk(Plan { at: rng.random_range(0..2 * pages as u64), event });
    }
    let event = if event.is_end() { event } else { Event::KilledBefore };
    Trouble::After(Duration::from_secs(60).mul_f64(rng.random::<f64>().powi(4)), event)
}

fn limits(rng: &mut Rng) -> RunLimits {
    let millis = |of: &[u64], rng: &mut Rng| Duration::from_millis(one(of, rng));
    let usual = RunLimits::default();
    RunLimits {
        hosts: HostLimits { sleep_after: millis(&[200, 30_000], rng), ..usual.hosts },
        archive: ArchiveLimits {
            flush_bytes: one(&[1, 600, 256 << 10], rng),
            sync_every: millis(&[0, 500, 10_000], rng),
            reserve: 0,
            ..usual.archive
        },
        commit_pages: one(&[1, 3, 256], rng),
        ..usual
    }
}

fn config(complete: bool, rng: &mut Rng) -> Config {
    let millis = |of: &[u64], rng: &mut Rng| Period(Duration::from_millis(one(of, rng)));
    let mut config = Config::default();
    config.crawl.threads = 1;
    config.host.delay = millis(&[0, 100, 1_000], rng);
    config.host.connections_per_host = one(&[1, 2, 4], rng);
    config.frontier.in_flight_max = one(&[1, 2, 8, 32], rng);
    config.frontier.memory = ByteSize(one(&[0, 1 << 20], rng));
    config.state.commit_every = millis(&[0, 10, 100, 1_000], rng);
    config.archive.compress = rng.random_bool(0.7);
    config.archive.file_size_max = ByteSize(one(&[4 << 10, 1 << 30], rng));
    config.archive.pages_compress = one(&[LineCompression::None, LineCompression::Gzip], rng);
    config.archive.links = rng.random_bool(0.3);
    config.dedup.store = one(&[DedupStore::BloomExact, DedupStore::ExactOnly], rng);
    config.dedup.planned = 1_000;
    config.dedup.memory = ByteSize(one(&[4 << 10, 1 << 20], rng));
    config.filter.order = one(&[FilterOrder::GraphDup, FilterOrder::DupGraph, FilterOrder::DupOnly], rng);
    config.filter.trap_guard = !complete;
    add_policies(AddedPolicies { names: &["opic", "random"], maker: baseline_maker });
    let learning = [PolicyKind::Ucc, OPIC, PolicyKind::Bfs, RANDOM];
    let all = [PolicyKind::Bfs, PolicyKind::Bfs, RANDOM];
    // Not all pages are found without the browser.
    config.render.mode = one(&[RenderMode::Never, RenderMode::Auto, RenderMode::Auto, RenderMode::Always], rng);
    config.render.replay = rng.random_bool(0.7);
    config.crawl.policy = if complete { one(&all, rng) } else { one(&learning, rng) };
    config
}

/// Returns how a baseline is made: simulated crawls also have policies that a program adds.
fn baseline_maker(name: &'static str, _: &PolicyOptions) -> Result<MakeWith, String> {
    Ok(Arc::new(move |inputs, read| {
        let kind = PolicyKind::Added(name);
        baseline(kind, inputs, None).unwrap_or_else(|| harvestman_policy::make(kind, inputs, read))
    }))
}
