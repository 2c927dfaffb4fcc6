//! Runs a node of a fleet: session after session, until the crawl is over or the node is to leave.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::oneshot;
use tokio::task::JoinHandle;

use super::agreed::{self, Disagreement};
use super::before::{self, Before};
use super::budget::{self, BudgetShare};
use super::commit_tracker::Desk;
use super::engine::FleetEngine;
use super::fleet_size::FleetSize;
use super::journal::SessionJournal;
use super::log::FleetLog;
use super::orders::{self, OrderRelay, OuterCommands};
use super::policy::FleetPolicy;
use super::{handback, lapse, start};
use crate::crawl::Crawl;
use crate::environment::{Environment, Live, Network};
use crate::policy_setup::MakePolicy;
use crate::state_writer::StateLog;
use crate::wiring::{self, CrawlBuilder};
use crate::{Error, output, stop_reason};
use harvestman_core::clock::Clock;
use harvestman_core::config::{Config, FetchOptions};
use harvestman_core::model::{Apath, LinkClass, ScheduledUrl};
use harvestman_core::seed::Seed;
use harvestman_core::url::{Canonicaliser, HostGroups, Scope};
use harvestman_fleet::bus::Bus;
use harvestman_fleet::engine::Engine;
use harvestman_fleet::node::records::Origin;
use harvestman_fleet::node::{CallOptions, End, Node, NodeOptions, OnOrders};
use harvestman_fleet::{
    ConnectError, HostOwnership, LeaseTerms, MeteredBus, PartitionOwnership, Partitions, SessionId, connect,
};
use harvestman_policy::Policy;
use harvestman_report::{Commands, Hooks, PauseSwitch, Report, Run, StopFlag, StopReason, Usage};
use harvestman_stages::fetch::TrustedHosts;
use harvestman_stages::frontier::{Control, ErrandsAdded, LinksFound};
use harvestman_storage::store::Store;

/// How long a node that ends for a reason of its own may take to hand over what it holds.
const LEAVING_MAX: Duration = Duration::from_secs(60);

impl From<ConnectError> for Error {
    fn from(error: ConnectError) -> Self {
        Self::Configuration(error.to_string())
    }
}

impl From<Disagreement> for Error {
    fn from(error: Disagreement) -> Self {
        Self::Configuration(error.to_string())
    }
}

/// Crawls as a node of the fleet that `config` names: its crawl is begun where it is not there yet.
pub(crate) async fn run(config: &Config, hooks: Hooks) -> Result<Report, Error> {
    let bus = connect::create(&config.fleet).await?;
    let clock = Clock::system();
    let bus: Arc<dyn Bus> = Arc::new(MeteredBus::new(bus, clock.clone(), Arc::clone(&hooks.metrics.fleet)));
    let config = agreed::agree(&*bus, &clock, config).await?;
    if !config.host.delay_per_ip.0.is_zero() {
        tracing::warn!(
            "each node keeps host.delay_per_ip for itself: together they may ask an address more often. Of hosts that are one server, make \
             a group (host.groups): one node crawls all of it"
        );
    }
    run_on(bus, &config, hooks).await
}

/// The configuration of a crawl of the fleet, with what `own` says of this node.
pub(crate) async fn configuration(own: &Config) -> Result<Config, Error> {
    let bus = connect::open(&own.fleet).await?;
    Ok(agreed::join(&*bus, &Clock::system(), own).await?)
}

/// Lets the crawl go on, if it was stopped.
pub(crate) async fn go_on(own: &Config) -> Result<(), Error> {
    let bus = connect::open(&own.fleet).await?;
    let clock = Clock::system();
    budget::reopen(&*bus, &clock).await?;
    orders::reopen(&*bus, &clock, own).await
}

async fn run_on(bus: Arc<dyn Bus>, config: &Config, hooks: Hooks) -> Result<Report, Error> {
    let clock = Clock::system();
    // Once: it outlives every session.
    let given = Arc::new(tokio::sync::Mutex::new(hooks.commands.listen()));
    let mut last: Option<Report> = None;
    loop {
        let before = match (before::ask(&*bus, config, &clock, &hooks.stop).await, last.take()) {
            (Ok(Ok(before)), _) => before,
            // The crawl was stopped while this node began anew.
            (Ok(Err(_)), Some(report)) => return Ok(report),
            // The node was, and nobody answers.
            (Err(_), Some(report)) if hooks.stop.requested() => return Ok(report),
            (Ok(Err(why)) | Err(why), _) => return Err(why),
        };
        let (end, report) = session(&bus, config, (&hooks, &given), &clock, before).await?;
        match end {
            End::Lost if !hooks.stop.requested() => {
                last = Some(report);
                tracing::warn!("others have taken over what this node held; it begins anew with nothing");
            }
            End::Refused(why) => return Err(Error::Configuration(why)),
            End::Over | End::Left | End::Lost => return Ok(report),
        }
    }
}

/// What a session meets of the world: the network and the disk as they are, and its fleet.
struct InFleet {
    territory: Arc<PartitionOwnership>,
    desk: Arc<Desk>,
    journal: Arc<SessionJournal>,
    policy: Arc<FleetPolicy>,
    runtime: tokio::runtime::Handle,
}

impl Environment for InFleet {
    fn network(
        &self,
        options: &FetchOptions,
        clock: Clock,
        trusted: TrustedHosts,
    ) -> Result<Arc<dyn Network>, harvestman_stages::fetch::Error> {
        Live.network(options, clock, trusted)
    }

    fn ownership(&self) -> Arc<dyn HostOwnership> {
        Arc::clone(&self.territory) as _
    }

    fn plants(&self) -> bool {
        false
    }

    fn remembers(&self) -> bool {
        true
    }

    fn shares_budgets(&self) -> bool {
        true
    }

    fn policy(&self, make: &MakePolicy, seed: Seed) -> Box<dyn Policy> {
        self.policy.make(make, seed)
    }

    fn state(&self, store: Store) -> Box<dyn StateLog> {
        Box::new(FleetLog {
            journal: Arc::clone(&self.journal) as _,
            store,
            partitions: self.territory.partitions().clone(),
            desk: Arc::clone(&self.desk),
            runtime: self.runtime.clone(),
        })
    }
}

/// The node's name: as it is set, or that of the machine.
pub(crate) fn node_name(config: &Config) -> String {
    if !config.fleet.node.is_empty() {
        return config.fleet.node.clone();
    }
    let name = rustix::system::uname().nodename().to_string_lossy().into_owned();
    let usable = |byte: char| byte.is_ascii_alphanumeric() || matches!(byte, '-' | '_');
    let name: String = name.chars().map(|byte| if usable(byte) { byte } else { '-' }).take(48).collect();
    if name.is_empty() { "node".to_owned() } else { name }
}

/// How hosts are divided.
pub(super) fn partitions(config: &Config) -> Result<Partitions, Error> {
    let count = |number: u32| u16::try_from(number).unwrap_or(u16::MAX);
    let groups = HostGroups::new(&config.host.groups).map_err(|error| Error::Configuration(error.to_string()))?;
    Ok(Partitions::new(count(config.fleet.partitions), count(config.fleet.shards)).with_groups(groups))
}

fn options(config: &Config, seeds: Vec<ScheduledUrl>) -> Result<NodeOptions, Error> {
    let fleet = &config.fleet;
    let partitions = partitions(config)?;
    let nonce = Seed::from_system().0;
    Ok(NodeOptions {
        session: SessionId(format!("{}.{:08x}", node_name(config), nonce as u32)),
        weight: fleet.weight,
        log_shards: partitions.shards(),
        partitions,
        terms: LeaseTerms { lease: fleet.lease.0, renew: fleet.renew.0 },
        calls: CallOptions { timeout: Duration::from_secs(5), pause_max: Duration::from_secs(2) },
        checkpoint: fleet.checkpoint.0,
        parts_max: 8,
        batch: 64,
        look: Duration::from_millis(500),
        balance: fleet.balance.0,
        clear_after: fleet.lease.0 * 6,
        origin: Origin::own(),
        seeds,
    })
}

/// The seeds, as links.
fn seeds(config: &Config) -> Result<Vec<ScheduledUrl>, Error> {
    let wrong = |error: &dyn std::fmt::Display| Error::Configuration(error.to_string());
    let canonicaliser = Canonicaliser::new(&config.url).map_err(|error| wrong(&error))?;
    let seeds = wiring::seeds(&config.crawl.seeds, &canonicaliser)?;
    let scope = Scope::new(&config.scope, &seeds).map_err(|error| wrong(&error))?;
    let class = LinkClass::unclassified(Apath::SEED);
    let within = seeds.into_iter().filter(|url| scope.check(url.as_str()).is_ok());
    Ok(within.map(|url| ScheduledUrl { url, class, depth: 0, redirects: 0, attempts: 0, via: None }).collect())
}

/// The crawl's settings of a node of a fleet.
fn adapted(config: &Config) -> Config {
    let mut config = config.clone();
    config.state.commit_every = config.fleet.commit_every;
    config.state.commit_pages = config.state.commit_pages.max(config.frontier.in_flight_max / 2);
    config.archive.prefix = archive_prefix(&config.archive.prefix, &node_name(&config));
    config
}

/// Names of WARC files tell nodes apart, so that one index can hold those of all: nodes begin at the same second more often than not.
fn archive_prefix(prefix: &str, node: &str) -> String {
    /// What the archive takes.
    const LENGTH_MAX: usize = 100;
    let own = format!("{prefix}-{node}");
    let has_it = prefix == node || prefix.ends_with(&format!("-{node}"));
    if has_it || prefix.is_empty() || own.len() > LENGTH_MAX { prefix.to_owned() } else { own }
}

async fn session(
    bus: &Arc<dyn Bus>,
    config: &Config,
    (hooks, given): (&Hooks, &OuterCommands),
    clock: &Clock,
    Before { orders, is_over }: Before,
) -> Result<(End, Report), Error> {
    let usage = Usage::now();
    let seed = if config.crawl.seed == 0 { Seed::from_system() } else { Seed(config.crawl.seed) };
    let config = &adapted(config);
    let options = options(config, seeds(config)?)?;
    let (partitions, session) = (options.partitions.clone(), options.session.clone());
    let metrics = Arc::clone(&hooks.metrics.fleet);
    let node = Node::measured(Arc::clone(bus), clock.clone(), options, Seed::from_system(), Arc::clone(&metrics));
    let territory = Arc::new(PartitionOwnership::new(partitions.clone(), node.fetch_deadline(), Arc::clone(&metrics)));
    let world = InFleet {
        territory: Arc::clone(&territory),
        desk: Desk::new(&partitions),
        journal: Arc::new(SessionJournal { log: node.log(), partitions }),
        policy: Arc::new(FleetPolicy::new(config, clock, metrics)),
        runtime: tokio::runtime::Handle::current(),
    };
    // To stop is to leave first, and what somebody tells this node is told to all.
    let inner = Hooks { stop: StopFlag::new(), pause: PauseSwitch::new(), commands: Commands::new(), ..hooks.clone() };
    let start = start::start;
    let beginning = CrawlBuilder { config, hooks: &inner, clock: clock.clone(), seed, start, environment: &world };
    let (mut crawl, stages) = beginning.wire()?;
    tracing::info!(session = session.0, "this node takes part in the fleet's crawl `{}`", config.fleet.name);
    let post = world.policy.post();
    let one_policy = post.is_some();
    let node = match post {
        Some(post) => node.with_policy(post),
        None => node,
    };
    let threads = stages.spawn()?;
    // One errand stands for the fleet: without it the crawl would be over whenever this node has nothing to do.
    crawl.lines.0.to_frontier(ErrandsAdded(1));
    // Before anything is fetched.
    let relay = OrderRelay::begin((bus, clock), orders, (given, &inner), (&crawl, one_policy)).await;
    crawl.begin();
    let started = crawl.started;
    let (standing, company) = (Arc::clone(&crawl.standing), FleetSize::default());
    let heard = company.clone();
    let node = node.watched(
        config.fleet.name.clone(),
        Arc::new(move |now| {
            heard.hear(&now);
            *standing.lock() = Some(now);
        }),
    );
    let takes_part = TakesPart::begin(node, &crawl, &world, (hooks, &inner), relay);
    hand_back(output::directory(config), &world);
    let reason = stop_reason(crawl.until_over(&inner).await);
    let end = takes_part.end().await;
    let (run, status, failed) = crawl.close(threads, started).await?;
    let run = Run { fleet: Some(company.figures(config, is_over)), ..run };
    let reason = match (&end, failed.unwrap_or(reason)) {
        (End::Over, _) if failed.is_none() => StopReason::FrontierEmpty,
        // What others have taken over can be kept by this node no more, and need not: they go on with it.
        (End::Lost, StopReason::StateError) => StopReason::Interrupted,
        (_, reason) => reason,
    };
    let report = Report::new(run, status, reason, (started, clock.now()), Usage::now().since(usage));
    let path = output::directory(config).join("report.json");
    report.write(&path).map_err(|source| Error::Write { path, source })?;
    Ok((end, report))
}

/// Offers what an earlier session knew, beside all else.
fn hand_back(directory: PathBuf, world: &InFleet) {
    let (journal, desk, runtime) = (Arc::clone(&world.journal), Arc::clone(&world.desk), world.runtime.clone());
    // It ends with the session at the latest.
    drop(tokio::task::spawn_blocking(move || handback::hand_back(&directory, &*journal, &desk, &runtime)));
}

/// A session at work.
struct TakesPart {
    node: JoinHandle<End>,
    lapse: JoinHandle<()>,
    relay: JoinHandle<()>,
    leave: Option<oneshot::Sender<()>>,
}

impl TakesPart {
    /// Takes part with this crawl until the session ends, and ends the crawl then.
    fn begin(
        node: Node,
        crawl: &Crawl,
        world: &InFleet,
        (outer, inner): (&Hooks, &Hooks),
        (relay, on_orders): (OrderRelay, OnOrders),
    ) -> Self {
        let (lines, arbiter) = (crawl.lines.clone(), actix::Arbiter::current());
        let engine: Arc<dyn Engine> = Arc::new(FleetEngine {
            lines: lines.clone(),
            arbiter: arbiter.clone(),
            territory: Arc::clone(&world.territory),
            seen: Arc::clone(&crawl.seen),
            ledger: Arc::clone(&crawl.ledger),
            desk: Arc::clone(&world.desk),
            metrics: Arc::clone(&outer.metrics.fleet),
            policy: Arc::clone(&world.policy),
            gate: tokio::sync::Mutex::new(()),
        });
        let in_flight_max = crawl.told.config().frontier.in_flight_max;
        let node = node.spending(BudgetShare::new(lines.clone(), crawl.started, in_flight_max));
        let (leave, told) = oneshot::channel();
        let (stop, inner) = (outer.stop.clone(), inner.stop.clone());
        let leaves = async move {
            tokio::select! {
                () = stop.wait() => {}
                _ = told => {}
            }
        };
        let desk = Arc::clone(&world.desk);
        let watch = lapse::watch(Arc::clone(&world.territory), lines.clone(), arbiter, crawl.clock.clone());
        let node = tokio::spawn(async move {
            let end = node.run(engine, on_orders, Box::pin(leaves)).await;
            if matches!(end, End::Over | End::Left) {
                desk.close();
            }
            match end {
                // Nothing holds the crawl open any more.
                End::Over => lines.0.to_frontier(LinksFound { errands_done: 1, ..LinksFound::default() }),
                End::Left | End::Lost | End::Refused(_) => {
                    lines.0.to_frontier(Control::Stop);
                    inner.request();
                }
            }
            end
        });
        let relay = tokio::spawn(relay.serve());
        Self { node, lapse: tokio::spawn(watch), relay, leave: Some(leave) }
    }

    /// How the session ended. Where the crawl ended before it, what is held is handed over now.
    async fn end(mut self) -> End {
        if let Some(leave) = self.leave.take() {
            // It may have ended already.
            let _ = leave.send(());
        }
        let end = tokio::time::timeout(LEAVING_MAX, &mut self.node).await;
        self.node.abort();
        self.lapse.abort();
        self.relay.abort();
        end.ok().and_then(Result::ok).unwrap_or(End::Lost)
    }
}

#[cfg(test)]
mod tests {
    use super::archive_prefix;

    #[test]
    fn names_of_archive_files_have_the_node_once() {
        for (prefix, node, expected) in
            [("harvestman", "a", "harvestman-a"), ("harvestman-a", "a", "harvestman-a"), ("a", "a", "a"), ("", "a", "")]
        {
            assert_eq!(archive_prefix(prefix, node), expected);
        }
        let long = "x".repeat(99);
        assert_eq!(archive_prefix(&long, "a"), long, "the archive would refuse a longer one");
    }
}
