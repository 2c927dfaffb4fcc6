//! The host actor: one for each authority that has work. It carries out what [`HostCore`] decides.
//!
//! No other part sends a request to its host. Messages to it are bounded: one lease for each time it asked, one end for each
//! request it started, one wake-up from the frontier.

use std::net::IpAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use actix::{Actor, ActorContext, AsyncContext, Context, Handler, SpawnHandle};
use arc_swap::ArcSwap;

use super::core::{Errand, HostCore, HostRules, RobotsResult, Step, Verdicts};
use super::messages::{
    ErrandEnded, Grant, HostOutlets, NoWork, PageEnded, Resolved, RulesChanged, SitemapsFound, SlotGiven, Wake,
};
use super::politeness::WaitReason;
use super::sitemap;
use crate::clock::{Clock, Instant};
use crate::metrics::HostMetrics;
use crate::page::Fate;
use crate::url::HostKey;

/// How soon a host whose errand the budgets did not allow asks again.
const BUDGET_RECHECK: Duration = Duration::from_millis(50);

/// What all host actors share.
pub struct HostSetup {
    /// The rules that hold now.
    pub rules: ArcSwap<HostRules>,
    /// How long without work before an actor ends.
    pub sleep_after: Duration,
    /// The time.
    pub clock: Clock,
    /// The metrics.
    pub metrics: Arc<HostMetrics>,
    /// The way out.
    pub outlets: Arc<dyn HostOutlets>,
}

/// The connection slot of the host's address that its next request needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Slot {
    None,
    Waiting,
    Held,
}

/// The actor.
pub struct HostActor {
    key: HostKey,
    /// None only between going to sleep and the actor's end.
    core: Option<HostCore>,
    setup: Arc<HostSetup>,
    /// Whether the frontier was asked and has not answered.
    asked: bool,
    /// Whether there may be work: set by `Wake`, cleared by `NoWork`.
    wanted: bool,
    slot: Slot,
    timer: Option<(Instant, SpawnHandle)>,
    last_active: Instant,
    /// Messages on their way to this actor.
    pending: Arc<AtomicU32>,
}

impl HostActor {
    /// The actor of the host that `core` knows. Whoever sends it a message counts `pending` up; the actor counts it down.
    pub fn new(core: HostCore, setup: Arc<HostSetup>, pending: Arc<AtomicU32>) -> Self {
        Self {
            key: core.key.clone(),
            core: Some(core),
            last_active: setup.clock.now(),
            setup,
            asked: false,
            wanted: false,
            slot: Slot::None,
            timer: None,
            pending,
        }
    }

    /// A message was taken from the mailbox.
    fn taken(&self) {
        self.pending.fetch_sub(1, Ordering::Relaxed);
    }

    /// Does whatever may be done now.
    fn advance(&mut self, ctx: &mut Context<Self>) {
        self.last_active = self.setup.clock.now();
        while self.step(ctx) {}
    }

    /// Takes one step; false when there is nothing more to do for now.
    fn step(&mut self, ctx: &mut Context<Self>) -> bool {
        let now = self.setup.clock.now();
        let Some(core) = self.core.as_mut() else { return false };
        if !self.wanted && core.is_idle() {
            self.release_slot();
            return false;
        }
        if self.setup.outlets.is_blocked(&self.key) {
            return self.rest_blocked();
        }
        match core.next(now, u32::from(self.asked), &self.setup.rules.load()) {
            Step::Resolve => {
                core.begin_resolve();
                self.setup.outlets.resolve(&self.key);
                false
            }
            // robots.txt may lie elsewhere.
            Step::Errand(errand) if self.setup.outlets.is_blocked(&errand.url().host_key()) => self.rest_blocked(),
            Step::Errand(errand) => self.have_slot() && self.start_errand(errand, now, ctx),
            Step::Ask => {
                if self.wanted && self.have_slot() {
                    self.ask();
                }
                false
            }
            Step::AskToRefuse => {
                // Nothing is sent to this host for long, perhaps for ever, and the crawl must not wait for that.
                for _ in 0..core.let_sitemaps_go() {
                    self.setup.outlets.errand_done();
                }
                self.release_slot();
                if self.wanted && !self.asked {
                    self.ask();
                }
                false
            }
            Step::Wait { until, why } => {
                self.release_slot();
                self.setup.metrics.politeness_wait.observe(until.since(now));
                if why != WaitReason::Delay {
                    self.setup.metrics.backoffs.by(why.label()).inc();
                    self.setup.outlets.waits(&self.key, until, why);
                }
                self.look_again(until, ctx);
                false
            }
            Step::Busy => false,
        }
    }

    /// Nothing is sent while the host is blocked; [`RulesChanged`] says when it no longer is.
    fn rest_blocked(&mut self) -> bool {
        self.release_slot();
        self.setup.outlets.waits(&self.key, Instant::END, WaitReason::Blocked);
        false
    }

    fn ask(&mut self) {
        self.asked = true;
        self.setup.outlets.ask(&self.key);
    }

    fn start_errand(&mut self, errand: Errand, now: Instant, ctx: &mut Context<Self>) -> bool {
        if !self.setup.outlets.begin_errand() {
            // A budget is spent: the crawl is about to end, unless some of what is under way needs no request after all.
            self.release_slot();
            self.look_again(now + BUDGET_RECHECK, ctx);
            return false;
        }
        let Some(core) = self.core.as_mut() else { return false };
        core.begin_errand(&errand);
        self.slot = Slot::None;
        self.setup.metrics.stage.sent.inc();
        self.setup.outlets.run_errand(&self.key, errand);
        true
    }

    fn address(&self) -> Option<IpAddr> {
        self.core.as_ref().and_then(HostCore::address)
    }

    /// Whether a slot of the address is held; if not, one is taken or waited for.
    fn have_slot(&mut self) -> bool {
        if self.slot == Slot::None {
            let free = self.address().is_none_or(|ip| self.setup.outlets.take_slot(ip, &self.key));
            self.slot = if free { Slot::Held } else { Slot::Waiting };
        }
        self.slot == Slot::Held
    }

    /// Gives back a slot that is held for nothing.
    fn release_slot(&mut self) {
        if self.slot == Slot::Held && !self.asked {
            self.slot = Slot::None;
            self.request_over();
        }
    }

    /// A request no longer needs its slot.
    fn request_over(&self) {
        if let Some(ip) = self.address() {
            self.setup.outlets.give_slot_back(ip);
        }
    }

    fn look_again(&mut self, at: Instant, ctx: &mut Context<Self>) {
        if let Some((earlier, handle)) = self.timer.take() {
            if earlier <= at && earlier > self.setup.clock.now() {
                self.timer = Some((earlier, handle));
                return;
            }
            ctx.cancel_future(handle);
        }
        // A millisecond more, as timers are as coarse as that and must not fire early.
        let wait = at.since(self.setup.clock.now()) + Duration::from_millis(1);
        let handle = ctx.run_later(wait, |actor, ctx| {
            actor.timer = None;
            actor.advance(ctx);
        });
        self.timer = Some((at, handle));
    }

    fn sleep_if_idle(&mut self, ctx: &mut Context<Self>) {
        let idle_for = self.setup.clock.now().since(self.last_active);
        let busy = self.asked || self.wanted || self.slot != Slot::None || idle_for < self.setup.sleep_after;
        if busy || !self.core.as_ref().is_some_and(HostCore::is_idle) {
            return;
        }
        if self.setup.outlets.go_to_sleep(&self.key, &mut self.core) {
            ctx.stop();
        }
    }
}

impl Actor for HostActor {
    type Context = Context<Self>;

    fn started(&mut self, ctx: &mut Self::Context) {
        self.setup.metrics.awake.inc();
        ctx.run_interval(self.setup.sleep_after.max(Duration::from_millis(100)), |actor, ctx| actor.sleep_if_idle(ctx));
    }

    fn stopped(&mut self, _: &mut Self::Context) {
        self.setup.metrics.awake.dec();
    }
}

impl Handler<Wake> for HostActor {
    type Result = ();

    fn handle(&mut self, _: Wake, ctx: &mut Self::Context) {
        self.taken();
        self.wanted = true;
        self.advance(ctx);
    }
}

impl Handler<Grant> for HostActor {
    type Result = ();

    fn handle(&mut self, Grant(lease): Grant, ctx: &mut Self::Context) {
        self.taken();
        self.asked = false;
        self.setup.metrics.stage.received.inc();
        let now = self.setup.clock.now();
        let Some(core) = self.core.as_mut() else { return };
        let blocked = self.setup.outlets.is_blocked(&self.key);
        let ready = core.may_send(now, &self.setup.rules.load()) && self.slot == Slot::Held;
        if blocked {
            self.setup.outlets.put_back(lease, now);
        } else if let Some(fate) = core.refusal(&lease, now, &self.setup.rules.load()) {
            if let Some(reason) = fate.reason() {
                self.setup.metrics.stage.dropped.by(reason).inc();
            }
            if let Fate::Robots(why) = fate {
                self.setup.metrics.robots_decisions.by(why.label()).inc();
            }
            self.setup.outlets.refuse(lease, fate);
        } else if !ready {
            // Between the question and the answer another request of this host has failed, and it must be left alone.
            self.setup.outlets.put_back(lease, now);
        } else {
            core.started();
            self.slot = Slot::None;
            self.setup.metrics.robots_decisions.by("allowed").inc();
            self.setup.metrics.stage.sent.inc();
            self.setup.outlets.fetch_page(&self.key, lease);
        }
        self.advance(ctx);
    }
}

impl Handler<RulesChanged> for HostActor {
    type Result = ();

    fn handle(&mut self, RulesChanged { before }: RulesChanged, ctx: &mut Self::Context) {
        self.taken();
        if let (Some(core), Some(before)) = (self.core.as_mut(), before) {
            core.change_pace(&before, &self.setup.rules.load());
        }
        self.advance(ctx);
    }
}

impl Handler<NoWork> for HostActor {
    type Result = ();

    fn handle(&mut self, NoWork(until): NoWork, ctx: &mut Self::Context) {
        self.taken();
        self.asked = false;
        self.wanted = until.is_some();
        match until {
            Some(until) => {
                self.release_slot();
                self.look_again(until, ctx);
            }
            None => self.advance(ctx),
        }
    }
}

impl Handler<SlotGiven> for HostActor {
    type Result = ();

    fn handle(&mut self, _: SlotGiven, ctx: &mut Self::Context) {
        self.taken();
        self.slot = Slot::Held;
        self.advance(ctx);
    }
}

impl Handler<Resolved> for HostActor {
    type Result = ();

    fn handle(&mut self, Resolved(ip): Resolved, ctx: &mut Self::Context) {
        self.taken();
        if let Some(core) = self.core.as_mut() {
            core.resolved(ip);
        }
        self.advance(ctx);
    }
}

impl Handler<PageEnded> for HostActor {
    type Result = ();

    fn handle(&mut self, PageEnded { mut lease, exchange }: PageEnded, ctx: &mut Self::Context) {
        self.taken();
        self.request_over();
        let now = self.setup.clock.now();
        let Some(core) = self.core.as_mut() else { return };
        lease.item.attempts = lease.item.attempts.saturating_add(1);
        let verdicts = core.page_ended(&exchange, lease.item.attempts, now, &self.setup.rules.load());
        self.setup.outlets.remember(&self.key, core.memory());
        match verdicts {
            Verdicts::Final => self.setup.outlets.deliver_page(lease, exchange),
            Verdicts::Retry(not_before) => {
                self.setup.metrics.retries.inc();
                let received = exchange.result.as_ref().map_or(0, |answer| answer.body.len() as u64);
                self.setup.outlets.retry(lease, not_before, received);
            }
        }
        self.advance(ctx);
    }
}

impl Handler<ErrandEnded> for HostActor {
    type Result = ();

    fn handle(&mut self, ErrandEnded { errand, exchange, body, permit }: ErrandEnded, ctx: &mut Self::Context) {
        self.taken();
        self.request_over();
        let now = self.setup.clock.now();
        let Some(core) = self.core.as_mut() else { return };
        let mut is_final = true;
        match &errand {
            Errand::Robots(_) => {
                let result = core.robots_ended(&exchange, &body, now, &self.setup.rules.load());
                self.setup.metrics.robots_fetches.by(result.label()).inc();
                let robots = core.known_robots(&result, &body);
                // The sitemaps first: none is forgotten by a run that remembers who named them.
                if let RobotsResult::Rules(sitemaps) = result {
                    self.setup.outlets.sitemaps_named(sitemaps, 0);
                }
                if let Some(robots) = robots {
                    self.setup.outlets.remember_robots(&self.key, &robots);
                }
            }
            Errand::Sitemap { url, nesting, attempts } => {
                let entry = sitemap::Entry { url: url.as_str().to_owned(), depth: *nesting, attempts: *attempts };
                let verdicts = core.sitemap_ended(entry, &exchange, now, &self.setup.rules.load());
                is_final = verdicts == Verdicts::Final;
            }
        }
        self.setup.outlets.remember(&self.key, core.memory());
        let sitemap = match errand {
            Errand::Sitemap { url, nesting, .. } if is_final => Some((url, nesting)),
            _ => None,
        };
        self.setup.outlets.deliver_errand(sitemap, exchange, body, permit);
        self.advance(ctx);
    }
}

impl Handler<SitemapsFound> for HostActor {
    type Result = ();

    fn handle(&mut self, SitemapsFound { urls, nesting }: SitemapsFound, ctx: &mut Self::Context) {
        self.taken();
        if let Some(core) = self.core.as_mut() {
            let taken = core.take_on_sitemaps(urls, nesting);
            // The handing-over of the sitemaps was an errand itself, so that the crawl could not end before this.
            self.setup.outlets.errands_added(taken);
            self.setup.outlets.errand_done();
        }
        self.advance(ctx);
    }
}
