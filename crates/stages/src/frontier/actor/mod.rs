//! The actor of the frontier: grants leases, maintains the ledger, and detects the end of the crawl.
//!
//! All its messages are bounded: each host has at most one open request for a lease, each lease ends once, and at most
//! `in_flight_max` leases are out.

mod handlers;
mod leases;
mod links;

use std::collections::HashSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use actix::{Actor, AsyncContext, Context};
use parking_lot::Mutex;
use tokio::sync::oneshot;

use super::allowance::Allowance;
use super::budgets::{EarlyStop, EarlyStopOptions, EndReason};
use super::messages::{ChangePort, HostPort, Order, OrderSlot};
use super::queues::{Frontier, FrontierLimits};
use super::ranking::DueHosts;
use super::spill::SpillStorage;
use harvestman_core::clock::{Clock, Instant};
use harvestman_core::model::{Ended, Fate, HostOwnership, Ledger, ScheduledUrl};
use harvestman_core::url::HostKey;
use harvestman_metrics::{CrawlMetrics, FrontierMetrics};

/// The parts that the actor is built from.
pub struct FrontierSetup {
    /// Limits on the waiting URLs.
    pub limits: FrontierLimits,
    /// The budgets.
    pub allowance: Arc<Allowance>,
    /// Maximum number of leases that are out.
    pub in_flight_max: u32,
    /// When to stop because the expected yield is too low.
    pub early_stop: EarlyStopOptions,
    /// Of this many pops of a host the last one explores ([`Frontier::exploring`]); 0: none.
    pub explore_every: u32,
    /// The first order.
    pub order: Order,
    /// The slot for later orders.
    pub orders: Arc<OrderSlot>,
    /// The hosts that this node owns.
    pub ownership: Arc<dyn HostOwnership>,
    /// Figures for other threads.
    pub activity: Arc<FrontierActivity>,
    /// The connection to the hosts.
    pub hosts: Arc<dyn HostPort>,
    /// The clock.
    pub clock: Clock,
    /// The ledger, shared with its viewers.
    pub ledger: Arc<Mutex<Ledger>>,
    /// The metrics.
    pub metrics: Arc<FrontierMetrics>,
    /// The metrics of the whole crawl, which agree with the ledger.
    pub crawl_metrics: Arc<CrawlMetrics>,
    /// Storage for waiting URLs that exceed their memory budget.
    pub spill: Arc<SpillStorage>,
    /// Receives the reason for the end of the crawl.
    pub finished: oneshot::Sender<EndReason>,
}

/// The frontier's actor.
pub struct FrontierActor {
    frontier: Frontier,
    due: DueHosts,
    /// Hosts that were woken and have not since been answered that there is no work.
    awake: HashSet<HostKey>,
    errands: u64,
    /// The number of reasons to hold the crawl open although nothing waits.
    holds: u64,
    /// Number of links accepted, ended and dropped.
    events: u64,
    /// Leases whose page has ended, but whose result is not persisted yet. They count as leases until it is.
    uncommitted: u64,
    paused: bool,
    /// Whether the seeds have arrived: before that, an empty frontier does not end the crawl.
    begun: bool,
    /// The moving average of the scores of granted URLs.
    worth: Option<f64>,
    early_stop: EarlyStop,
    /// When the next forecast may be made.
    next_look: Instant,
    setup: FrontierSetup,
    finished: Option<oneshot::Sender<EndReason>>,
    /// Persists changes. Without it, a lease ends with its page.
    changes: Option<Arc<dyn ChangePort>>,
    /// URLs that waited in an earlier run and are rejected now.
    refused: Vec<Ended>,
}

impl FrontierActor {
    /// Creates an actor with an empty frontier.
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
            uncommitted: 0,
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

    /// Restores a URL that waited in an earlier run. To be called in the order of discovery and before the actor
    /// starts. A URL that was banned since is dropped.
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

    /// Restores how many URLs of a host were accepted in earlier runs, including those that still wait.
    pub fn restore_admitted(&mut self, host: &HostKey, count: u64) {
        self.frontier.restore_admitted(host, count);
    }

    /// Persists every change through `changes` from now on.
    pub fn persist_through(&mut self, changes: Arc<dyn ChangePort>) {
        self.changes = Some(changes);
    }

    /// Resumes with the ledger of an earlier run.
    pub fn restore_ledger(&mut self, ledger: Ledger) {
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
        // Hosts with URLs of an earlier run.
        for host in self.frontier.waiting_hosts() {
            self.wake(host);
        }
        // Ends a crawl at its deadline although every host waits; under load, each grant checks the deadline anyway.
        ctx.run_interval(Duration::from_millis(200), |actor, _| {
            let now = actor.setup.clock.now();
            actor.grant(now);
        });
    }
}

/// The number of URLs waiting, of items in progress, and of events. Only the frontier writes them, after every message
/// that it handles.
#[derive(Debug, Default)]
pub struct FrontierActivity {
    waiting: AtomicU64,
    under_way: AtomicU64,
    events: AtomicU64,
}

impl FrontierActivity {
    /// Publishes how many URLs wait, how many items are in progress (leases, results not yet persisted, errands), and
    /// how many events (accepted, ended and dropped links) there were.
    fn publish(&self, waiting: u64, under_way: u64, events: u64) {
        self.waiting.store(waiting, Ordering::Relaxed);
        self.under_way.store(under_way, Ordering::Relaxed);
        self.events.store(events, Ordering::Release);
    }

    /// Returns the number of URLs waiting, of items in progress, and of events.
    pub fn now(&self) -> (u64, u64, u64) {
        let events = self.events.load(Ordering::Acquire);
        (self.waiting.load(Ordering::Relaxed), self.under_way.load(Ordering::Relaxed), events)
    }
}
