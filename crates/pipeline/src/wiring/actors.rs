//! The actors, and what connects them.

use std::collections::HashMap;
use std::sync::{Arc, OnceLock};

use actix::Actor;
use arc_swap::ArcSwap;
use crossbeam_channel::{Receiver, bounded};
use dashmap::DashMap;
use parking_lot::Mutex;
use tokio::sync::{Semaphore, oneshot, watch};

use super::CrawlBuilder;
use super::bounds::{budgets, limits, threads};
use crate::environment::Network;
use crate::fetching::Fetching;
use crate::job::Job;
use crate::live::LiveBoard;
use crate::policy_setup::PolicySetup;
use crate::switchboard::{ERRANDS_MAX, Lines, Switchboard};
use crate::tally::Tally;
use crate::visits::Visits;
use harvestman_core::clock::{Clock, Instant};
use harvestman_core::config::Config;
use harvestman_core::model::Ledger;
use harvestman_core::url::{HostGroups, HostKey, Scope};
use harvestman_report::Hooks;
use harvestman_stages::fetch::DecodeLimits;
use harvestman_stages::frontier::{Allowance, EarlyStopOptions, EndReason, FrontierActor, FrontierSetup, Shelf};
use harvestman_stages::host::{BlockedHosts, GateTerms, Gates, HostPast, HostRules, HostSetup};

impl CrawlBuilder<'_> {
    /// What connects the actors, and the queue of those who work beside them.
    pub(super) fn board(
        &self,
        (network, visits): (Arc<dyn Network>, Visits),
        (scope, ledger): (&Arc<Scope>, &Arc<Mutex<Ledger>>),
        started: Instant,
        (remembered, blocked): (Option<Mutex<HashMap<HostKey, HostPast>>>, ArcSwap<BlockedHosts>),
    ) -> (Switchboard, Receiver<Job>) {
        let Self { config, hooks, clock, seed, .. } = self;
        let in_flight = config.frontier.in_flight_max.max(1);
        let allowance = Allowance::new(budgets(config, started), Arc::clone(ledger));
        let allowance = if self.environment.shares_budgets() { allowance.shared() } else { allowance };
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
            ownership: self.environment.ownership(),
            pulse: Arc::default(),
            lapses: watch::Sender::new(0),
        };
        (board, job_queue)
    }
}

pub(super) fn frontier(
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
        ownership: Arc::clone(&lines.0.ownership),
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

pub(super) fn start_actors(
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
        capped_delays: Arc::default(),
        metrics: hooks.metrics.host.clone(),
        outlets: Arc::new(lines.clone()),
    };
    // Both are set once, here; a second crawl has a switchboard of its own.
    let _ = lines.0.setup.set(Arc::new(setup));
    let _ = lines.0.frontier.set(frontier.start());
}
