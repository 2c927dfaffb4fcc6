//! The frontier's actor: hands out leases, keeps the account, says when the crawl is over.
//!
//! All its messages are bounded: a host has at most one announcement out, a lease ends once,
//! and at most `in_flight_max` leases are out.

mod handlers;

use std::collections::{BTreeSet, HashSet};
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
use super::host_queue::NotReady;
use super::messages::{ChangePort, DiscoveredLinks, HostPort, Order, OrderSlot};
use super::queues::{Frontier, FrontierLimits};
use super::spill::SpillStorage;
use harvestman_core::clock::{Clock, Instant};
use harvestman_core::model::HostOwnership;
use harvestman_core::model::{
    Admission, Change, Decision, Ended, Fate, Lease, Ledger, PolicyRefusal, Priority, ProgressRecord, ScheduledUrl,
};
use harvestman_core::url::HostKey;
use harvestman_metrics::{CrawlMetrics, FrontierMetrics};

/// What the actor is made from.
pub struct FrontierSetup {
    /// FrontierLimits on what may wait.
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

/// How much of the mean score of the URLs handed out lately is that of the last one.
const SCORE_SHARE: f64 = 0.02;

/// A look ahead over very many classes is followed by so many times its duration without one.
const LOOK_PAUSE: u32 = 50;

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

    /// Takes in what no lease has brought, persists `change` with it, and hands out what it allows.
    fn take_in_event(&mut self, links: DiscoveredLinks, mut change: Change) {
        let now = self.setup.clock.now();
        self.take_in(links, &mut change);
        self.keep(change);
        self.grant(now);
        self.worked_since(now);
    }

    fn take_in(&mut self, found: DiscoveredLinks, change: &mut Change) {
        self.events += 1;
        let accepted = found.accepted.len() as u64;
        self.begun = true;
        self.setup.ledger.lock().discover(&found.settled, accepted);
        if !found.foreign.is_empty() {
            change.fleet_effects.get_or_insert_default().foreign.extend(found.foreign);
        }
        self.setup.crawl_metrics.discovered.add(found.settled.total() + accepted);
        for (fate, count) in found.settled.iter() {
            self.setup.crawl_metrics.count_fate(fate, count);
        }
        self.setup.metrics.stage.received.add(accepted);
        let mut hosts = BTreeSet::new();
        let outdated = found.generation < self.setup.order.generation;
        for mut item in found.accepted {
            if !self.setup.ownership.holds(item.url.origin()) {
                self.hand_over(item, change);
                continue;
            }
            if outdated {
                match self.readmit(&item).queued() {
                    Ok(queue) => item.move_to(queue),
                    Err(why) => {
                        let fate = Fate::Policy(why);
                        self.let_go(fate, 1);
                        change.ended.push(never_waited(&item, fate));
                        continue;
                    }
                }
            }
            match self.frontier.push(&item) {
                Ok(host) => {
                    hosts.insert(host.clone());
                    self.wake(host);
                    change.waiting.push((self.frontier.last_number(), item));
                }
                Err(budget) => {
                    self.setup.metrics.stage.dropped.by(budget.label()).inc();
                    let fate = Fate::OverBudget(budget);
                    self.settle(fate);
                    change.ended.push(never_waited(&item, fate));
                }
            }
        }
        let admitted = |host: HostKey| ProgressRecord::Admitted(host.clone(), self.frontier.admitted(&host));
        change.progress.extend(hosts.into_iter().map(admitted));
    }

    /// A URL that was found while its host was this node's goes to who holds it now.
    fn hand_over(&self, item: ScheduledUrl, change: &mut Change) {
        self.setup.ownership.allow_return(&item);
        self.let_go(Fate::HandedOver, 1);
        change.fleet_effects.get_or_insert_default().foreign.push(item);
    }

    /// Hands a change on to be kept.
    fn keep(&mut self, mut change: Change) {
        let Some(changes) = &self.changes else { return };
        change.ledger = self.setup.ledger.lock().clone();
        self.unkept += u64::from(change.leases);
        let waiting = &self.setup.metrics.waiting_seconds;
        let began = waiting.is_on().then(|| self.setup.clock.now());
        changes.keep(change);
        if let Some(began) = began {
            waiting.add(self.setup.clock.now().since(began));
        }
    }

    /// Decides about a URL again, in the order's generation.
    fn readmit(&self, item: &ScheduledUrl) -> Admission {
        (self.setup.order.readmit)(item.class, item.url.as_str(), item.via.as_deref())
    }

    /// Puts a URL that is to be tried again under its class in the order's generation. One that is rejected by now is tried again all
    /// the same, after all others where its form is a trap.
    fn renew(&self, item: &mut ScheduledUrl) {
        match self.readmit(item) {
            Admission::Queue(class, priority) => (item.class, item.priority) = (class, priority),
            Admission::Reject(PolicyRefusal::StructureTrap) => item.priority = Priority::Last,
            Admission::Reject(_) => item.priority = Priority::Normal,
        }
    }

    /// Orders by what the policy has learnt meanwhile.
    fn follow(&mut self, order: Order) -> u64 {
        self.frontier.set_order(Arc::clone(&order.scores));
        let mut gone = 0;
        if order.generation != self.setup.order.generation {
            let ended = self.frontier.reclassify(&|class, url, via| (order.readmit)(class, url, via));
            gone = ended.len() as u64;
            self.end_waiting(ended);
        }
        self.setup.order = order;
        gone
    }

    /// Accounts for URLs that waited and are not to be fetched any more, and has that kept.
    fn end_waiting(&mut self, ended: Vec<Ended>) {
        ended.iter().for_each(|gone| self.let_go(gone.fate, 1));
        self.keep(Change { ended, ..Change::default() });
    }

    /// Follows the order that waits, if one does.
    fn follow_waiting(&mut self) -> u64 {
        let Some(order) = self.setup.orders.take() else { return 0 };
        let gone = self.follow(order);
        // What waited may all be gone, and with it the last reason to go on.
        self.grant(self.setup.clock.now());
        gone
    }

    /// Accounts for URLs that waited and are not to be fetched any more.
    fn let_go(&self, fate: Fate, count: u64) {
        self.setup.ledger.lock().let_go(fate, count);
        self.setup.crawl_metrics.count_fate(fate, count);
        self.setup.metrics.stage.dropped.by(fate.reason().unwrap_or_default()).add(count);
    }

    /// Notes on a lease why it was that URL's turn.
    fn explain(&mut self, lease: &mut Lease) {
        let Some(snapshot) = self.setup.order.version else { return };
        let score = self.setup.order.scores.score(lease.item.class);
        // A pinned URL is worth what the policy says.
        let score = if lease.item.priority == Priority::Pinned { score } else { lease.item.priority.rank(score) };
        lease.decision = Some(Decision { score, snapshot });
        if score.is_finite() {
            // What is put last is worth nothing, however far below the others.
            let score = score.max(0.0);
            let worth = self.worth.map_or(score, |worth| worth + SCORE_SHARE * (score - worth));
            self.worth = Some(worth);
            self.setup.metrics.expected_worth.set(worth);
        }
    }

    /// Looks ahead where it is time to, and stops where too little is expected.
    fn look_ahead(&mut self, now: Instant) {
        let made = self.setup.ledger.lock().requests();
        if now < self.next_look || !self.early_stop.is_due(made) {
            return;
        }
        let forecast = self.frontier.forecast(self.early_stop.requests());
        if let Some(forecast) = forecast {
            self.setup.allowance.set_forecast(forecast);
            self.setup.metrics.expected_yield.set(forecast.expected_yield);
        }
        if self.early_stop.look(made, forecast) {
            self.setup.allowance.stop(EndReason::LowYield);
        }
        let done = self.setup.clock.now();
        self.next_look = done + LOOK_PAUSE * done.since(now);
    }

    fn pause(&mut self, paused: bool) {
        self.paused = paused;
        self.setup.allowance.pause(paused);
    }

    fn settle(&self, fate: Fate) {
        self.setup.ledger.lock().settle(fate);
        self.setup.crawl_metrics.count_fate(fate, 1);
    }

    fn wake(&mut self, host: HostKey) {
        if !self.awake.contains(&host) {
            self.setup.hosts.wake(&host);
            self.awake.insert(host);
        }
    }

    /// Hands out leases while budgets, credits and due hosts last.
    fn grant(&mut self, now: Instant) {
        self.setup.allowance.set_leases(self.frontier.leased());
        if self.frontier.lost() > 0 {
            self.setup.allowance.stop(EndReason::Lost);
        }
        while !self.paused
            && self.frontier.leased() as u64 + self.unkept < u64::from(self.setup.in_flight_max)
            && self.setup.allowance.begin_lease(now, !self.due.is_empty())
        {
            let is_some_due = self.grant_one(now);
            // What was begun is a lease by now, or nothing.
            self.setup.allowance.set_leases(self.frontier.leased());
            if !is_some_due {
                break;
            }
        }
        self.report();
        self.finish_if_over(now);
    }

    /// Gives the best host that is due a lease, or turns it away. False: none is due.
    fn grant_one(&mut self, now: Instant) -> bool {
        let frontier = &mut self.frontier;
        let Some(host) = self.due.take(|host| frontier.best(host, now).ok()) else { return false };
        if !self.setup.ownership.holds(host.as_str()) {
            self.turn_away(&host, NotReady::Empty);
            return true;
        }
        match self.frontier.pop(&host, now) {
            Ok(mut lease) => {
                self.explain(&mut lease);
                self.setup.metrics.stage.sent.inc();
                self.setup.hosts.grant(lease);
            }
            Err(reason) => self.turn_away(&host, reason),
        }
        true
    }

    fn turn_away(&mut self, host: &HostKey, reason: NotReady) {
        self.awake.remove(host);
        let until = match reason {
            NotReady::Empty => None,
            NotReady::Wait { until } => Some(until),
        };
        self.setup.hosts.no_work(host, until);
    }

    fn finish_if_over(&mut self, now: Instant) {
        let under_way = self.frontier.leased() as u64 + self.unkept + self.setup.allowance.errands();
        if under_way > 0 || !self.begun {
            return;
        }
        let over = match self.setup.allowance.ends(now) {
            Some(why) => Some(why),
            None if self.frontier.queued() == 0 && self.errands == 0 && self.holds == 0 => Some(EndReason::Empty),
            None => None,
        };
        if let Some(why) = over
            && let Some(finished) = self.finished.take()
        {
            debug_assert!(self.setup.ledger.lock().balances(self.frontier.queued()), "ACC-1");
            // The pipeline may be gone already, after a second signal; then nobody needs to be told.
            let _ = finished.send(why);
        }
    }

    fn worked_since(&self, began: Instant) {
        let busy = &self.setup.metrics.busy_seconds;
        if busy.is_on() {
            busy.add(self.setup.clock.now().since(began));
        }
    }

    fn report(&self) {
        let metrics = &self.setup.metrics;
        metrics.queued.set(self.frontier.queued());
        metrics.leased.set(self.frontier.leased() as u64);
        metrics.unkept.set(self.unkept);
        metrics.hosts.set(self.frontier.hosts() as u64);
        metrics.lost.set(self.frontier.lost());
        let under_way = self.frontier.leased() as u64 + self.unkept + self.errands + self.setup.allowance.errands();
        self.setup.activity.publish(self.frontier.queued(), under_way, self.events);
    }
}

/// A URL that is let go before it waited.
fn never_waited(item: &ScheduledUrl, fate: Fate) -> Ended {
    Ended { number: None, url: item.url.fingerprint(), host: item.url.host_key(), fate }
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
