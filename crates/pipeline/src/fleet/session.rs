//! One session of a node: a crawl that takes part in its fleet until the crawl or the session is over.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

use super::before::Before;
use super::budget::BudgetShare;
use super::commit_tracker::CommitTracker;
use super::engine::FleetEngine;
use super::environment::FleetEnvironment;
use super::fleet_size::FleetSize;
use super::journal::SessionJournal;
use super::node_setup::{adapted, options, seeds};
use super::orders::{OrderRelay, OuterCommands, RelaySetup};
use super::policy::FleetPolicy;
use super::{handback, lapse, start};
use crate::extensions::Extensions;
use crate::run::crawl::{ClosedCrawl, Crawl};
use crate::run::output;
use crate::run::threads::Threads;
use crate::wiring::CrawlBuilder;
use crate::{Error, stop_reason};
use harvestman_core::clock::Clock;
use harvestman_core::config::Config;
use harvestman_core::model::FleetProgress;
use harvestman_core::seed::Seed;
use harvestman_fleet::bus::Bus;
use harvestman_fleet::engine::Engine;
use harvestman_fleet::node::{End, Node, OnOrders};
use harvestman_fleet::{PartitionOwnership, Partitions, SessionId};
use harvestman_report::{Commands, Hooks, PauseSwitch, Report, Run, RunLimits, StopFlag, StopReason, Usage};
use harvestman_stages::frontier::Control;

/// How long a node that ends on its own may take to hand over what it holds.
const LEAVING_MAX: Duration = Duration::from_secs(60);

/// What outlives every session of a node.
pub(super) struct NodeContext<'a> {
    pub(super) bus: &'a Arc<dyn Bus>,
    pub(super) config: &'a Config,
    pub(super) hooks: &'a Hooks,
    /// The commands that are given to this node.
    pub(super) given: &'a OuterCommands,
    pub(super) clock: &'a Clock,
}

impl NodeContext<'_> {
    /// Runs one session to its end. `orders`, `is_over`: what was known of the fleet before.
    pub(super) async fn session(&self, Before { orders, is_over }: Before) -> Result<(End, Report), Error> {
        let usage = Usage::now();
        let config = &adapted(self.config);
        let seed = if config.crawl.seed == 0 { Seed::from_system() } else { Seed(config.crawl.seed) };
        let (node, environment, session) = self.node(config)?;
        // A commit costs messages: only the leases bound its size.
        let limits = RunLimits { commit_pages: u32::MAX, ..self.hooks.limits };
        // A node that stops leaves first, and commands to this node go to all.
        let inner = Hooks {
            stop: StopFlag::new(),
            pause: PauseSwitch::new(),
            commands: Commands::new(),
            limits,
            ..self.hooks.clone()
        };
        let clock = self.clock.clone();
        let builder = CrawlBuilder {
            config,
            hooks: &inner,
            extensions: &Extensions::default(),
            clock,
            seed,
            start: start::start,
            environment: &environment,
        };
        let prepared = builder.build()?;
        tracing::info!(session = session.0, "this node takes part in the fleet's crawl `{}`", config.fleet.name);
        let shared = environment.policy.shared();
        let one_policy = shared.is_some();
        let node = match &shared {
            Some(policy) => node.with_policy(policy.session()),
            None => node,
        };
        let mut running = prepared.start(Threads::spawn)?;
        // Without this the crawl would be over whenever this node has nothing to do.
        running.crawl.handles.frontier.send(Control::HoldOpen);
        // Before anything is fetched.
        let relay = RelaySetup {
            bus: Arc::clone(self.bus),
            clock: self.clock.clone(),
            given: Arc::clone(self.given),
            inner: inner.clone(),
            one_policy,
        };
        let (relay, on_orders) =
            OrderRelay::begin(relay, orders, &running.crawl.control, &running.crawl.handles.frontier).await;
        running.begin();
        let started = running.crawl.started;
        let size = FleetSize::default();
        let node = watched(node, config, Arc::clone(&running.crawl.status.fleet), &size);
        let hooks = SessionHooks { outer: self.hooks, inner: &inner };
        let participation = Participation::begin(node, &running.crawl, &environment, hooks, relay, on_orders);
        hand_back(output::directory(config), &environment);
        let reason = stop_reason(running.until_over(&inner).await);
        let end = participation.end().await;
        let ClosedCrawl { run, status, failed } = running.close().await?;
        let run = Run { fleet: Some(size.figures(config, is_over)), ..run };
        let reason = match (&end, failed.unwrap_or(reason)) {
            (End::Over, _) if failed.is_none() => StopReason::FrontierEmpty,
            // This node can no longer commit what others have taken over, and need not: they continue with it.
            (End::Lost, StopReason::StateError) => StopReason::Interrupted,
            (_, reason) => reason,
        };
        let report = Report::new(run, status, reason, started, self.clock.now(), Usage::now().since(usage));
        let path = output::directory(config).join("report.json");
        report.write(&path).map_err(|source| Error::Write { path, source })?;
        Ok((end, report))
    }

    /// Creates a node that has not begun, and the environment of its crawl.
    fn node(&self, config: &Config) -> Result<(Node, FleetEnvironment, SessionId), Error> {
        let options = options(config, seeds(config)?)?;
        let (partitions, session): (Partitions, SessionId) = (options.partitions.clone(), options.session.clone());
        let metrics = Arc::clone(&self.hooks.metrics.fleet);
        let (bus, clock) = (Arc::clone(self.bus), self.clock.clone());
        let node = Node::measured(bus, clock, options, Seed::from_system(), Arc::clone(&metrics));
        let territory = PartitionOwnership::new(partitions.clone(), node.fetch_deadline(), Arc::clone(&metrics));
        let environment = FleetEnvironment {
            territory: Arc::new(territory),
            commits: CommitTracker::new(&partitions),
            journal: Arc::new(SessionJournal { log: node.log(), partitions }),
            policy: Arc::new(FleetPolicy::new(config, self.clock, metrics)),
            runtime: tokio::runtime::Handle::current(),
        };
        Ok((node, environment, session))
    }
}

/// Has a node report its progress.
fn watched(node: Node, config: &Config, progress: Arc<Mutex<Option<FleetProgress>>>, size: &FleetSize) -> Node {
    let size = size.clone();
    node.watched(
        config.fleet.name.clone(),
        Arc::new(move |now| {
            size.hear(&now);
            *progress.lock() = Some(now);
        }),
    )
}

/// Offers what an earlier session knew, concurrently with everything else.
fn hand_back(directory: PathBuf, environment: &FleetEnvironment) {
    let (journal, commits, runtime) =
        (Arc::clone(&environment.journal), Arc::clone(&environment.commits), environment.runtime.clone());
    // It ends with the session at the latest.
    drop(tokio::task::spawn_blocking(move || handback::hand_back(&directory, &*journal, &commits, &runtime)));
}

/// The tasks of a session.
struct Participation {
    node: JoinHandle<End>,
    lapse: JoinHandle<()>,
    relay: JoinHandle<()>,
    leave: Option<oneshot::Sender<()>>,
}

/// The hooks of the node, and those of the session's crawl.
struct SessionHooks<'a> {
    outer: &'a Hooks,
    inner: &'a Hooks,
}

impl Participation {
    /// Takes part in the fleet with this crawl until the session ends, and ends the crawl then.
    fn begin(
        node: Node,
        crawl: &Crawl,
        environment: &FleetEnvironment,
        SessionHooks { outer, inner }: SessionHooks<'_>,
        relay: OrderRelay,
        on_orders: OnOrders,
    ) -> Self {
        let handles = &crawl.handles;
        let engine: Arc<dyn Engine> = Arc::new(FleetEngine {
            frontier: handles.frontier.clone(),
            hosts: handles.hosts.clone(),
            state: handles.state.clone(),
            remembered: handles.hosts.directory().remembered().cloned(),
            territory: Arc::clone(&environment.territory),
            seen: Arc::clone(crawl.seen.seen()),
            ledger: Arc::clone(&crawl.status.ledger),
            commits: Arc::clone(&environment.commits),
            metrics: Arc::clone(&outer.metrics.fleet),
            policy: environment.policy.shared(),
            searches: crawl.searches.clone(),
            gate: tokio::sync::Mutex::new(()),
        });
        let in_flight_max = crawl.control.config().frontier.in_flight_max;
        let node = node.spending(BudgetShare::new(handles.frontier.clone(), crawl.started, in_flight_max));
        let (leave, left) = oneshot::channel();
        let (stop, inner) = (outer.stop.clone(), inner.stop.clone());
        let leaves = async move {
            tokio::select! {
                () = stop.wait() => {}
                _ = left => {}
            }
        };
        let (commits, frontier) = (Arc::clone(&environment.commits), handles.frontier.clone());
        let (hosts, requests) = (handles.hosts.clone(), handles.requests.clone());
        let watch = lapse::watch(Arc::clone(&environment.territory), hosts, requests, crawl.clock.clone());
        let node = tokio::spawn(async move {
            let end = node.run(engine, on_orders, Box::pin(leaves)).await;
            if matches!(end, End::Over | End::Left) {
                commits.close();
            }
            match end {
                // Nothing holds the crawl open any more.
                End::Over => frontier.send(Control::Release),
                End::Left | End::Lost | End::Refused(_) => {
                    frontier.stop();
                    inner.request();
                }
            }
            end
        });
        let relay = tokio::spawn(relay.serve());
        Self { node, lapse: tokio::spawn(watch), relay, leave: Some(leave) }
    }

    /// Ends the session, and returns how it ended. If the crawl ended first, what is held is handed over now.
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
