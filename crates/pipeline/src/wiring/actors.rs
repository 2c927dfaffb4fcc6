//! The actors and their handles.

use std::sync::Arc;

use actix::{AsyncContext as _, Context};
use arc_swap::ArcSwap;
use parking_lot::Mutex;
use tokio::sync::oneshot;

use super::CrawlBuilder;
use super::parts::Parts;
use crate::bounds::{EXPLORE_EVERY, budgets, errands_max, leases_max, limits};
use crate::handles::{FrontierHandle, PageQueue, StateHandle};
use crate::hosts::{DirectorySetup, HostDirectory, RememberedHosts};
use crate::login::AvoidedLinks;
use crate::operate::tally::Tally;
use crate::page::visits::Visits;
use crate::run::local_failures::LocalRetry;
use crate::run::requests::{Fetching, RequestSender};
use crate::run::subrequests::SubrequestCallers;
use harvestman_core::clock::Instant;
use harvestman_core::model::{HostOwnership, Ledger};
use harvestman_stages::fetch::DecodeLimits;
use harvestman_stages::frontier::{
    Allowance, EarlyStopOptions, EndReason, FrontierActor, FrontierSetup, Order, OrderSlot, SpillStorage,
};
use harvestman_stages::host::{BlockedHosts, HostRules, HostSetup};

/// A frontier that has an address and is not built yet: the hosts that get its leases need the address first.
pub(super) struct FrontierBuilder {
    context: Context<FrontierActor>,
    pub(super) handle: FrontierHandle,
    pub(super) ledger: Arc<Mutex<Ledger>>,
    orders: Arc<OrderSlot>,
}

/// What the frontier is built from besides the configuration.
pub(super) struct FrontierParts {
    pub(super) hosts: Arc<HostDirectory>,
    pub(super) order: Order,
    pub(super) ownership: Arc<dyn HostOwnership>,
    pub(super) spill: Arc<SpillStorage>,
    pub(super) finished: oneshot::Sender<EndReason>,
}

impl FrontierBuilder {
    /// Creates the address of a frontier whose orders wait in `orders`.
    pub(super) fn new(builder: &CrawlBuilder<'_>, orders: Arc<OrderSlot>, started: Instant) -> Self {
        let ledger: Arc<Mutex<Ledger>> = Arc::default();
        let allowance = Allowance::new(budgets(builder.config, started), Arc::clone(&ledger));
        let allowance = if builder.environment.shares_budgets() { allowance.shared() } else { allowance };
        let context = Context::new();
        let handle = FrontierHandle::new(context.address(), Arc::new(allowance), Arc::clone(&orders));
        Self { context, handle, ledger, orders }
    }

    /// Builds the frontier, empty.
    pub(super) fn build(&self, builder: &CrawlBuilder<'_>, parts: FrontierParts) -> FrontierActor {
        let CrawlBuilder { config, hooks, clock, .. } = builder;
        FrontierActor::new(FrontierSetup {
            limits: limits(config),
            allowance: Arc::clone(self.handle.allowance()),
            in_flight_max: leases_max(config) as u32,
            early_stop: EarlyStopOptions {
                share: config.budget.early_stop,
                requests: hooks.limits.early_stop_requests,
            },
            explore_every: EXPLORE_EVERY,
            order: parts.order,
            orders: Arc::clone(&self.orders),
            ownership: parts.ownership,
            activity: Arc::clone(self.handle.activity()),
            hosts: parts.hosts.as_port(),
            clock: clock.clone(),
            ledger: Arc::clone(&self.ledger),
            metrics: Arc::clone(&hooks.metrics.frontier),
            crawl_metrics: Arc::clone(&hooks.metrics.crawl),
            spill: parts.spill,
            finished: parts.finished,
        })
    }

    /// Starts the frontier at its address.
    pub(super) fn start(self, frontier: FrontierActor) {
        self.context.run(frontier);
    }
}

/// What the directory of hosts is built from besides the configuration.
pub(super) struct HostParts {
    pub(super) frontier: FrontierHandle,
    pub(super) state: Option<StateHandle>,
    pub(super) requests: Arc<RequestSender>,
    pub(super) pages: PageQueue,
    pub(super) subrequests: Arc<SubrequestCallers>,
    pub(super) blocked: BlockedHosts,
    pub(super) avoided: Option<Arc<AvoidedLinks>>,
    pub(super) remembered: Option<RememberedHosts>,
}

/// Builds the request sender and its counters.
pub(super) fn request_sender(
    builder: &CrawlBuilder<'_>,
    parts: &Parts,
    visits: &Arc<Visits>,
    frontier: &FrontierHandle,
) -> (Arc<RequestSender>, Arc<Tally>) {
    let CrawlBuilder { config, hooks, clock, .. } = builder;
    let tally: Arc<Tally> = Arc::default();
    let fetching = Fetching {
        network: Arc::clone(&parts.network),
        robots: Arc::new(config.robots.clone()),
        searches: parts.searches.clone(),
        decode: DecodeLimits::from(&config.fetch),
        tally: Arc::clone(&tally),
        metrics: hooks.metrics.clone(),
        local: LocalRetry {
            outages: Arc::clone(&tally.outages),
            allowance: Arc::clone(frontier.allowance()),
            ownership: Arc::clone(&parts.ownership),
            clock: clock.clone(),
            metrics: hooks.metrics.clone(),
        },
    };
    (Arc::new(RequestSender::new(fetching, Arc::clone(visits), errands_max(config))), tally)
}

/// Builds the directory of hosts, empty.
pub(super) fn directory(builder: &CrawlBuilder<'_>, parts: &Parts, hosts: HostParts) -> Arc<HostDirectory> {
    let CrawlBuilder { config, hooks, clock, seed, .. } = builder;
    let setup = HostSetup {
        rules: ArcSwap::from_pointee(HostRules::within(config, hooks.limits.hosts)),
        groups: parts.groups.clone(),
        sleep_after: hooks.limits.hosts.sleep_after,
        clock: clock.clone(),
        capped_delays: Arc::default(),
        metrics: hooks.metrics.host.clone(),
    };
    HostDirectory::new(DirectorySetup {
        setup,
        frontier: hosts.frontier,
        state: hosts.state,
        requests: hosts.requests,
        deliveries: Arc::new(hosts.pages),
        subrequests: hosts.subrequests,
        ownership: Arc::clone(&parts.ownership),
        scope: Arc::clone(&parts.scope),
        robots: Arc::new(config.robots.clone()),
        blocked: hosts.blocked,
        avoided: hosts.avoided,
        remembered: hosts.remembered,
        seed: seed.child("hosts"),
    })
}
