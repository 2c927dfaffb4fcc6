//! The actors, and what connects them.

use std::collections::HashMap;
use std::sync::{Arc, OnceLock};

use actix::Actor;
use arc_swap::ArcSwap;
use crossbeam_channel::{Receiver, bounded};
use dashmap::DashMap;
use parking_lot::Mutex;
use tokio::sync::{Semaphore, oneshot, watch};

use super::Beginning;
use super::bounds::{budgets, limits, threads};
use crate::clock::{Clock, Instant};
use crate::config::Config;
use crate::fetch::DecodeLimits;
use crate::frontier::{Allowance, EarlyStopOptions, EndReason, FrontierActor, FrontierSetup, Shelf};
use crate::host::{BlockedHosts, GateTerms, Gates, HostPast, HostRules, HostSetup};
use crate::page::Ledger;
use crate::pipeline::fetching::Fetching;
use crate::pipeline::job::Job;
use crate::pipeline::live::LiveBoard;
use crate::pipeline::policy_setup::PolicySetup;
use crate::pipeline::surroundings::Network;
use crate::pipeline::switchboard::{ERRANDS_MAX, Lines, Switchboard};
use crate::pipeline::tally::Tally;
use crate::pipeline::visits::Visits;
use crate::report::Hooks;
use crate::url::{HostGroups, HostKey, Scope};

impl Beginning<'_> {
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
        metrics: hooks.metrics.host.clone(),
        outlets: Arc::new(lines.clone()),
    };
    // Both are set once, here; a second crawl has a switchboard of its own.
    let _ = lines.0.setup.set(Arc::new(setup));
    let _ = lines.0.frontier.set(frontier.start());
}
