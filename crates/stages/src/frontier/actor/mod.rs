//! The frontier's actor: hands out leases, keeps the account, says when the crawl is over.
//!
//! All its messages are bounded: a host has at most one announcement out, a lease ends once,
//! and at most `in_flight_max` leases are out.

mod handlers;
mod leases;
mod links;

use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;

use actix::{Actor, AsyncContext, Context};
use parking_lot::Mutex;
use tokio::sync::oneshot;

use super::activity::FrontierActivity;
use super::allowance::Allowance;
use super::budgets::EndReason;
use super::due_hosts::DueHosts;
use super::early_stop::{EarlyStop, EarlyStopOptions};
use super::messages::{ChangePort, HostPort, Order, OrderSlot};
use super::queues::{Frontier, FrontierLimits};
use super::spill::SpillStorage;
use harvestman_core::clock::{Clock, Instant};
use harvestman_core::model::HostOwnership;
use harvestman_core::model::{Ended, Fate, Ledger, ScheduledUrl};
use harvestman_core::url::HostKey;
use harvestman_metrics::{CrawlMetrics, FrontierMetrics};

/// What the actor is made from.
pub struct FrontierSetup {
    /// Limits on what may wait.
    pub limits: FrontierLimits,
    /// What may still be spent.
    pub allowance: Arc<Allowance>,
    /// Leases out at once.
    pub in_flight_max: u32,
    /// When to stop because too little is expected.
    pub early_stop: EarlyStopOptions,
    /// Of so many pops of a host the last explores ([`Frontier::exploring`]); 0: none does.
    pub explore_every: u32,
    /// The first order.
    pub order: Order,
    /// Where later ones wait.
    pub orders: Arc<OrderSlot>,
    /// Which hosts are this node's.
    pub ownership: Arc<dyn HostOwnership>,
    /// What others see of it while it runs.
    pub activity: Arc<FrontierActivity>,
    /// The way to the hosts.
    pub hosts: Arc<dyn HostPort>,
    /// The time.
    pub clock: Clock,
    /// The account, for those who show it.
    pub ledger: Arc<Mutex<Ledger>>,
    /// The metrics.
    pub metrics: Arc<FrontierMetrics>,
    /// The metrics of the crawl as a whole, which are the account's.
    pub crawl_metrics: Arc<CrawlMetrics>,
    /// Where waiting URLs go that have outgrown their memory.
    pub spill: Arc<SpillStorage>,
    /// Told why the crawl has ended, when it has.
    pub finished: oneshot::Sender<EndReason>,
}

/// The actor.
pub struct FrontierActor {
    frontier: Frontier,
    due: DueHosts,
    /// Hosts that were woken and have not been told since that there is no work.
    awake: HashSet<HostKey>,
    errands: u64,
    /// Reasons to keep the crawl open though nothing waits.
    holds: u64,
    /// What was taken in, ended and let go.
    events: u64,
    /// Leases whose page has ended, and what came of it is not kept yet. They count as leases until it is.
    unkept: u64,
    paused: bool,
    /// Whether the seeds have come: before, an empty frontier is no end.
    begun: bool,
    /// The mean score of the URLs handed out lately.
    worth: Option<f64>,
    early_stop: EarlyStop,
    /// When the next look ahead may be made.
    next_look: Instant,
    setup: FrontierSetup,
    finished: Option<oneshot::Sender<EndReason>>,
    /// Where changes are kept; none: nowhere, and a lease ends when its page does.
    changes: Option<Arc<dyn ChangePort>>,
    /// What waited in an earlier run and is refused by now.
    refused: Vec<Ended>,
}

impl FrontierActor {
    /// An actor over an empty frontier.
    pub fn new(mut setup: FrontierSetup) -> Self {
        let (unused, _) = oneshot::channel();
        let finished = Some(std::mem::replace(&mut setup.finished, unused));
        Self {
            frontier: Frontier::new(setup.limits, Arc::clone(&setup.order.scores))
                .exploring(setup.explore_every)
                .spilling_to(Arc::clone(&setup.spill)),
            due: DueHosts::default(),
            awake: HashSet::new(),
            errands: 0,
            holds: 0,
            events: 0,
            unkept: 0,
            paused: false,
            begun: false,
            worth: None,
            early_stop: EarlyStop::new(setup.early_stop),
            next_look: Instant::EPOCH,
            setup,
            finished,
            changes: None,
            refused: Vec::new(),
        }
    }

    /// Takes a URL back that waited in an earlier run, in the order of discovery and before the actor starts. What somebody has banned
    /// since is let go instead.
    pub fn restore(&mut self, number: u64, mut item: ScheduledUrl) {
        self.begun = true;
        match self.readmit(&item).queued() {
            Ok(queue) => {
                item.move_to(item.queue().moved_to(queue));
                self.frontier.restore(number, &item);
            }
            Err(why) => {
                let (url, host) = (item.url.fingerprint(), item.url.host_key());
                self.refused.push(Ended { number: Some(number), url, host, fate: Fate::Policy(why) });
            }
        }
    }

    /// So many URLs of a host were accepted in earlier runs; those that wait are among them.
    pub fn restore_admitted(&mut self, host: &HostKey, count: u64) {
        self.frontier.restore_admitted(host, count);
    }

    /// From now on every change is kept there.
    pub fn keep_by(&mut self, changes: Arc<dyn ChangePort>) {
        self.changes = Some(changes);
    }

    /// Goes on with the account of an earlier run.
    pub fn go_on(&mut self, ledger: Ledger) {
        self.begun |= ledger.discovered() > 0;
        *self.setup.ledger.lock() = ledger;
    }

    fn pause(&mut self, paused: bool) {
        self.paused = paused;
        self.setup.allowance.pause(paused);
    }

    fn worked_since(&self, began: Instant) {
        let busy = &self.setup.metrics.busy_seconds;
        if busy.is_on() {
            busy.add(self.setup.clock.now().since(began));
        }
    }
}

impl Actor for FrontierActor {
    type Context = Context<Self>;

    fn started(&mut self, ctx: &mut Self::Context) {
        let refused = std::mem::take(&mut self.refused);
        if !refused.is_empty() {
            self.end_waiting(refused);
        }
        // What an earlier run left.
        for host in self.frontier.waiting_hosts() {
            self.wake(host);
        }
        // Ends a crawl whose time is up while every host waits; under load the deadline is seen at each grant anyway.
        ctx.run_interval(Duration::from_millis(200), |actor, _| {
            let now = actor.setup.clock.now();
            actor.grant(now);
        });
    }
}
