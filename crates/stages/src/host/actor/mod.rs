//! The host actor: one per authority with work. It executes what [`HostCore`] decides.
//!
//! No other component sends requests to its host. Messages to it are bounded: one lease per question to the frontier,
//! one reply per request sent, one wake-up from the frontier.

mod ended_requests;
mod handlers;

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use actix::{Actor, ActorContext, AsyncContext, Context, SpawnHandle};
use arc_swap::ArcSwap;

use super::core::HostCore;
use super::gates::{GateId, Return};
use super::host_rules::HostRules;
use super::politeness::WaitReason;
use super::ports::{HostPorts, HostRequest, ReplyTo};
use super::restricted::CappedDelays;
use super::step::{Errand, Step};
use super::subrequest::SubrequestRefusal;
use harvestman_core::clock::{Clock, Instant};
use harvestman_core::url::{HostGroup, HostGroups, HostKey};
use harvestman_metrics::HostMetrics;

pub use handlers::HostAddress;

/// The delay before a host tries again to send an auxiliary request that was not allowed (by the budgets, or because
/// the crawl is paused).
const BUDGET_RECHECK: Duration = Duration::from_millis(200);

/// The state shared by all host actors.
pub struct HostSetup {
    /// The current rules.
    pub rules: ArcSwap<HostRules>,
    /// The groups of hosts that are treated as one.
    pub groups: HostGroups,
    /// Time without work after which an actor ends.
    pub sleep_after: Duration,
    /// The clock.
    pub clock: Clock,
    /// The list to which hosts with a capped crawl delay are reported.
    pub capped_delays: Arc<CappedDelays>,
    /// The metrics.
    pub metrics: Arc<HostMetrics>,
}

/// Progress of the host's next request through the gates.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Turn {
    None,
    /// The host is queued at the gate with this index and has passed those before it.
    Waiting(usize),
    /// The host has passed all gates.
    Held,
}

/// The actor of one host.
pub struct HostActor {
    key: HostKey,
    group: Option<HostGroup>,
    /// `None` only between going to sleep and the actor's end.
    core: Option<HostCore>,
    setup: Arc<HostSetup>,
    ports: Arc<HostPorts>,
    /// Whether the frontier was asked for a URL and has not replied.
    asked: bool,
    /// Whether there may be work: set by `Wake`, cleared by `NoWork`.
    wanted: bool,
    turn: Turn,
    timer: Option<(Instant, SpawnHandle)>,
    /// While sub-requests wait: checks whether the crawl is over.
    watch: Option<SpawnHandle>,
    last_active: Instant,
    /// Messages on their way to this actor.
    pending: Arc<AtomicU32>,
}

impl HostActor {
    /// Creates the actor of the host with this state. Senders of messages increment `pending`; the actor decrements it.
    pub fn new(core: HostCore, setup: Arc<HostSetup>, ports: Arc<HostPorts>, pending: Arc<AtomicU32>) -> Self {
        Self {
            key: core.key.clone(),
            group: setup.groups.of(&core.key),
            core: Some(core),
            last_active: setup.clock.now(),
            setup,
            ports,
            asked: false,
            wanted: false,
            turn: Turn::None,
            timer: None,
            watch: None,
            pending,
        }
    }

    /// Creates a request of this host, with the address for the reply.
    fn request(&self, ctx: &Context<Self>) -> HostRequest {
        let reply_to = ReplyTo::new(ctx.address().recipient(), Arc::clone(&self.pending));
        HostRequest { host: self.key.clone(), reply_to }
    }

    /// Records that a message was taken from the mailbox.
    fn taken(&self) {
        self.pending.fetch_sub(1, Ordering::Relaxed);
    }

    /// Executes all steps that are possible now.
    fn advance(&mut self, ctx: &mut Context<Self>) {
        self.last_active = self.setup.clock.now();
        while self.step(ctx) {}
    }

    /// Executes one step. Returns false if there is nothing more to do for now.
    fn step(&mut self, ctx: &mut Context<Self>) -> bool {
        let now = self.setup.clock.now();
        self.refuse_forbidden(now);
        let Some(core) = self.core.as_mut() else { return false };
        if core.drop_forbidden_guess(now, &self.setup.rules.load()) {
            self.ports.leases.errand_done();
        }
        if !self.wanted && core.is_idle() {
            self.release_turn();
            return false;
        }
        if self.ports.registry.is_blocked(&self.key) {
            return self.wait_blocked();
        }
        match core.next(now, u32::from(self.asked), &self.setup.rules.load()) {
            Step::Resolve => {
                core.begin_resolve();
                self.ports.requests.resolve(self.request(ctx));
                false
            }
            // robots.txt may redirect to another host.
            Step::Errand(errand) if self.ports.registry.is_blocked(&errand.url().host_key()) => self.wait_blocked(),
            Step::Errand(errand) => self.has_turn() && self.start_errand(errand, now, ctx),
            Step::Ask => {
                if self.wanted && self.has_turn() {
                    self.ask();
                }
                false
            }
            Step::AskToRefuse => {
                // Nothing is sent to this host for a long time, perhaps never again, and the crawl must not wait for
                // that.
                for _ in 0..core.drop_sitemaps() {
                    self.ports.leases.errand_done();
                }
                self.release_turn();
                if self.wanted && !self.asked {
                    self.ask();
                }
                false
            }
            Step::Wait { until, why } => {
                self.release_turn();
                self.setup.metrics.politeness_wait.observe(until.since(now));
                if why != WaitReason::Delay {
                    self.setup.metrics.backoffs.by(why.label()).inc();
                    self.ports.registry.waits(&self.key, until, why);
                }
                self.look_again(until, ctx);
                false
            }
            Step::Busy => false,
        }
    }

    /// Waits while the host is blocked; `RulesChanged` announces that it no longer is. Sub-requests do not wait.
    fn wait_blocked(&mut self) -> bool {
        self.refuse_all(SubrequestRefusal::HostBlocked);
        self.release_turn();
        self.ports.registry.waits(&self.key, Instant::END, WaitReason::Blocked);
        false
    }

    fn ask(&mut self) {
        self.asked = true;
        self.ports.leases.ask(&self.key);
    }

    fn start_errand(&mut self, errand: Errand, now: Instant, ctx: &mut Context<Self>) -> bool {
        let for_page = self.core.as_ref().is_some_and(HostCore::has_subrequests);
        if !self.ports.requests.begin_errand(for_page) {
            if self.ports.requests.is_over() {
                self.refuse_all(SubrequestRefusal::Budget);
            }
            // Either a budget is spent, and the crawl ends unless some of the work in progress turns out to need no
            // request, or the crawl is paused.
            self.release_turn();
            self.look_again(now + BUDGET_RECHECK, ctx);
            return false;
        }
        let Some(core) = self.core.as_mut() else { return false };
        core.begin_errand(&errand);
        self.turn = Turn::None;
        self.setup.metrics.errands.by(errand.label()).inc();
        self.ports.requests.run_errand(self.request(ctx), errand);
        true
    }

    /// Returns the gates before each request, in the order in which all hosts pass them: a host that waits at the
    /// second one blocks only its own group, and no two hosts wait for each other.
    fn gates(&self) -> [Option<GateId>; 2] {
        let address = self.core.as_ref().and_then(HostCore::address);
        [self.group.map(GateId::Group), address.map(GateId::Address)]
    }

    /// Returns the delay of the host itself.
    fn delay(&self) -> Duration {
        self.core.as_ref().map(|core| core.memory().delay(&self.setup.rules.load().politeness)).unwrap_or_default()
    }

    /// Returns whether all gates are passed. If not, tries to pass them, or is queued at one.
    fn has_turn(&mut self) -> bool {
        if self.turn == Turn::None {
            self.pass_gates(0);
        }
        self.turn == Turn::Held
    }

    /// Passes the gates from this index on until one is closed, and is queued there.
    fn pass_gates(&mut self, first: usize) {
        let (gates, delay) = (self.gates(), self.delay());
        let shut = |gate: &Option<GateId>| gate.is_some_and(|gate| !self.ports.gates.enter(gate, &self.key, delay));
        self.turn = gates.iter().skip(first).position(shut).map_or(Turn::Held, |at| Turn::Waiting(first + at));
    }

    /// Releases a turn that is not used.
    fn release_turn(&mut self) {
        if self.turn == Turn::Held && !self.asked {
            self.turn = Turn::None;
            self.come_back(None);
        }
    }

    /// Leaves all gates, with the time of the response if a request was sent.
    fn come_back(&self, answered: Option<Instant>) {
        let pause = self.core.as_ref().and_then(HostCore::asked_pause);
        self.leave_gates(usize::MAX, Return { delay: self.delay(), answered, pause });
    }

    /// Leaves the first `passed` gates.
    fn leave_gates(&self, passed: usize, by: Return) {
        for gate in self.gates().into_iter().take(passed).flatten() {
            self.ports.gates.leave(gate, &self.key, by);
        }
    }

    /// Records that a request was aborted.
    fn aborted(&mut self, errand: Option<Errand>) {
        let now = self.setup.clock.now();
        if let Some(core) = self.core.as_mut() {
            core.aborted(errand, now, &self.setup.rules.load());
            self.ports.registry.remember(&self.key, core.memory());
        }
        // The request may have been sent just before.
        self.come_back(Some(now));
    }

    /// Sends what is known of the host to the directory.
    fn remember(&self) {
        if let Some(core) = &self.core {
            self.ports.registry.remember(&self.key, core.memory());
        }
    }

    /// Reports once that the host's crawl delay is capped.
    fn report_capped_delay(&mut self) {
        let rules = self.setup.rules.load();
        if let Some(capped) = self.core.as_mut().and_then(|core| core.report_capped_delay(&rules)) {
            self.setup.metrics.crawl_delays_capped.inc();
            self.setup.capped_delays.add(capped);
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
        // One millisecond longer, as timers have this resolution and must not fire early.
        let wait = at.since(self.setup.clock.now()) + Duration::from_millis(1);
        let handle = ctx.run_later(wait, |actor, ctx| {
            actor.timer = None;
            actor.advance(ctx);
        });
        self.timer = Some((at, handle));
    }

    fn sleep_if_idle(&mut self, ctx: &mut Context<Self>) {
        let idle_for = self.setup.clock.now().since(self.last_active);
        let busy = self.asked || self.wanted || self.turn != Turn::None || idle_for < self.setup.sleep_after;
        if busy || !self.core.as_ref().is_some_and(HostCore::is_idle) {
            return;
        }
        if self.ports.registry.go_to_sleep(&self.key, &mut self.core) {
            ctx.stop();
        }
    }
}

impl Actor for HostActor {
    type Context = Context<Self>;

    fn started(&mut self, ctx: &mut Self::Context) {
        self.setup.metrics.awake.inc();
        self.report_capped_delay();
        ctx.run_interval(self.setup.sleep_after.max(Duration::from_millis(100)), |actor, ctx| actor.sleep_if_idle(ctx));
    }

    fn stopped(&mut self, _: &mut Self::Context) {
        self.setup.metrics.awake.dec();
    }
}
