//! One run: a fleet, a web and faults, all derived from a seed.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use rand::Rng as _;
use tokio::task::AbortHandle;

use super::model::{Model, Place};
use super::mutation::Mutation;
use super::node_bus::NodeBus;
use super::policy::{Book, ToyReplica};
use super::toy::Toy;
use super::trace::Trace;
use super::web::Web;
use super::whole::{Gate, stoppable};
use crate::budget::Budget;
use crate::bus::Stream;
use crate::lease::LeaseTerms;
use crate::node::records::{self, Origin, Rebalance};
use crate::node::signal::Signal;
use crate::node::{CallOptions, End, Node, NodeOptions};
use crate::{Partitions, SessionId};
use harvestman_core::clock::{Clock, Instant};
use harvestman_core::seed::{Rng, Seed};

/// The longest duration of a run, in simulated time.
pub(super) const LONGEST: Duration = Duration::from_secs(20 * 60);
/// The time in seconds after which there are no more faults.
pub(super) const CALM_AFTER: u64 = 150;
pub(super) const LOG_SHARDS: u16 = 2;

/// The parameters of a run.
#[derive(Debug, Clone, Copy)]
pub(super) struct Plan {
    pub(super) seed: u64,
    pub(super) has_faults: bool,
    pub(super) mutation: Option<Mutation>,
    /// The budget of requests; `None`: unlimited.
    pub(super) budget: Option<u64>,
    pub(super) is_traced: bool,
}

/// The result of a run.
pub(super) struct Outcome {
    pub(super) took: Duration,
    pub(super) ended_at: Instant,
    pub(super) is_over: bool,
    pub(super) budget: Option<u64>,
    pub(super) web: Arc<Web>,
    pub(super) book: Arc<Book>,
    pub(super) model: Arc<Model>,
    pub(super) trace: Arc<Trace>,
}

/// A node across its sessions.
struct Machine {
    name: String,
    clock: Clock,
    gate: Gate,
    leave: Arc<Signal>,
    task: AbortHandle,
}

struct World {
    plan: Plan,
    seed: Seed,
    model: Arc<Model>,
    web: Arc<Web>,
    book: Arc<Book>,
    partitions: Partitions,
    machines: BTreeMap<String, Machine>,
    rng: Rng,
    lives: Arc<Mutex<BTreeMap<String, u32>>>,
    next: u32,
}

pub(super) fn run(plan: Plan) -> Outcome {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build();
    let runtime = runtime.expect("a runtime on this thread");
    runtime.block_on(play(plan))
}

async fn play(plan: Plan) -> Outcome {
    let seed = Seed(plan.seed);
    let clock = Clock::starting_at(Instant::EPOCH + Duration::from_secs(100_000));
    let start = clock.now();
    let trace = Arc::new(Trace::new(plan.is_traced));
    let model = Arc::new(Model::new(clock.clone(), Arc::clone(&trace), seed.child("model"), !plan.has_faults));
    let partitions = Partitions::new(16, 4);
    let web = Arc::new(Web::new(seed.child("web"), Arc::clone(&model), partitions.clone()));
    let mut world = World {
        plan,
        seed,
        model: Arc::clone(&model),
        web: Arc::clone(&web),
        book: Arc::default(),
        partitions,
        machines: BTreeMap::new(),
        rng: seed.child("faults").rng(),
        lives: Arc::default(),
        next: 0,
    };
    for _ in 0..world.rng.random_range(2..5) {
        world.join();
        clock.sleep(Duration::from_millis(world.rng.random_range(0..2_000))).await;
    }
    if !plan.has_faults {
        world.ask_for_balance();
    }
    while !over(&model) && clock.now().since(start) < LONGEST {
        let pause = Duration::from_millis(world.rng.random_range(500..12_000));
        clock.sleep(pause).await;
        let is_late = clock.now().since(start) > Duration::from_secs(CALM_AFTER);
        if plan.has_faults && !is_late && !over(&model) {
            world.befall();
        } else {
            world.leave_enough();
        }
    }
    let outcome_at = clock.now();
    // Lets the remaining nodes notice the end.
    clock.sleep(Duration::from_secs(10)).await;
    let is_over = over(&model);
    for machine in world.machines.values() {
        machine.task.abort();
    }
    clock.sleep(Duration::from_millis(1)).await;
    let book = Arc::clone(&world.book);
    let took = outcome_at.since(start);
    Outcome { took, ended_at: outcome_at, is_over, budget: plan.budget, web, book, model, trace }
}

fn over(model: &Model) -> bool {
    model.value("crawl").is_some_and(|value| String::from_utf8_lossy(&value).contains("\"over\"")) || is_spent(model)
}

/// Returns whether a budget ended the crawl.
pub(super) fn is_spent(model: &Model) -> bool {
    let budget = model.value("budget").and_then(|value| records::read::<Budget>(&value).ok());
    budget.is_some_and(|budget| budget.over.is_some())
}

impl World {
    fn now(&self) -> Instant {
        self.model.clock.now()
    }

    fn join(&mut self) {
        let name = format!("n{}", self.next);
        self.next += 1;
        let offset = Duration::from_secs(self.rng.random_range(96_400..103_600));
        let clock = Clock::skewed(Instant::EPOCH + offset, self.rng.random_range(900..=1100));
        self.start(name, clock);
    }

    fn start(&mut self, name: String, clock: Clock) {
        let (gate, leave): (Gate, _) = (Arc::new(Mutex::new(Instant::EPOCH)), Arc::new(Signal::default()));
        let life = Life {
            plan: self.plan,
            name: name.clone(),
            seed: self.seed.child(&name),
            clock: clock.clone(),
            model: Arc::clone(&self.model),
            web: Arc::clone(&self.web),
            book: Arc::clone(&self.book),
            partitions: self.partitions.clone(),
            gate: Arc::clone(&gate),
            leave: Arc::clone(&leave),
            lives: Arc::clone(&self.lives),
        };
        self.model.trace.note(self.now(), || format!("{name} starts"));
        let wrap = stoppable(Arc::clone(&gate), self.model.clock.clone());
        let task = tokio::spawn(wrap(Box::pin(life.live()))).abort_handle();
        self.machines.insert(name.clone(), Machine { name, clock, gate, leave, task });
    }

    /// Picks a live node.
    fn some(&mut self) -> Option<String> {
        self.machines.retain(|_, machine| !machine.task.is_finished());
        let names: Vec<String> = self.machines.keys().cloned().collect();
        (!names.is_empty()).then(|| names[self.rng.random_range(0..names.len())].clone())
    }

    /// Ensures that there is a node to complete the crawl.
    fn leave_enough(&mut self) {
        if self.some().is_none() {
            self.join();
        }
    }

    fn befall(&mut self) {
        let now = self.now();
        let some = self.some();
        let what = self.rng.random_range(0..17);
        let until = now + Duration::from_millis(self.rng.random_range(200..40_000));
        let shard = self.rng.random_range(0..4_u16);
        match (what, some) {
            (0..3, Some(name)) => self.kill(&name),
            (3, Some(name)) => {
                self.note(|| format!("{name} leaves"));
                self.machines[&name].leave.raise();
            }
            (4..6, _) | (_, None) if self.machines.len() < 6 => self.join(),
            (6..8, Some(name)) => {
                let until = now + Duration::from_millis(self.rng.random_range(100..30_000));
                self.note(|| format!("{name} stands still until {until:?}"));
                *self.machines[&name].gate.lock() = until;
            }
            (8..10, Some(name)) => {
                self.note(|| format!("{name} is cut off until {until:?}"));
                self.model.act(|state, _| state.cut.insert(name, until));
            }
            (10, _) => {
                let places = [
                    Place::Keys,
                    Place::Objects,
                    Place::Stream(Stream::Exchange(shard)),
                    Place::Stream(Stream::Log(shard % LOG_SHARDS)),
                    Place::Stream(Stream::Observations),
                ];
                let place = places[self.rng.random_range(0..places.len())];
                let until = now + Duration::from_millis(self.rng.random_range(100..10_000));
                self.note(|| format!("{place:?} is away until {until:?}"));
                self.model.act(|state, _| state.away.insert(place, until));
            }
            (11, _) if self.rng.random_bool(0.4) => {
                self.note(|| "all is away".to_owned());
                self.model.act(|state, now| state.go_away(now, now + Duration::from_secs(60)));
            }
            (12, _) => {
                self.note(|| "the bus is full".to_owned());
                self.model.act(|state, _| state.full = until);
            }
            (13, _) => {
                self.note(|| "objects are slow".to_owned());
                self.model.act(|state, _| state.slow_objects = until);
            }
            (14, _) => self.ask_for_balance(),
            (15.., _) => self.spoil(),
            _ => {}
        }
    }

    /// Corrupts or removes one of two identical objects.
    fn spoil(&mut self) {
        let mut state = self.model.state.lock();
        let whole: Vec<String> = state.whole_objects();
        if whole.is_empty() {
            return;
        }
        let name = whole[self.rng.random_range(0..whole.len())].clone();
        let at = self.rng.random_range(0..100);
        if at < 30 {
            state.objects.remove(&name);
        } else if let Some(object) = state.objects.get_mut(&name) {
            let mut bytes = object.to_vec();
            let at = bytes.len() * at / 100;
            bytes[at] ^= 0x40;
            *object = bytes.into();
        }
        drop(state);
        self.note(|| format!("{name} is spoilt"));
    }

    /// Requests a rebalance as `harvestman fleet rebalance` does.
    fn ask_for_balance(&self) {
        let held = self.model.act(|state, _| state.keys.get(records::REBALANCE).map(|held| held.revision));
        let value = self.model.value(records::REBALANCE);
        let last: Rebalance = value.and_then(|value| records::read(&value).ok()).unwrap_or_default();
        let value = records::written(&Rebalance { asked: last.asked + 1 });
        let written = self.model.write(records::REBALANCE, Some(value), held);
        self.note(|| format!("somebody asks for an even load: {written:?}"));
    }

    fn note(&self, what: impl FnOnce() -> String) {
        self.model.trace.note(self.now(), what);
    }

    fn kill(&mut self, name: &str) {
        self.note(|| format!("{name} is killed"));
        let Some(machine) = self.machines.remove(name) else { return };
        machine.task.abort();
        if self.rng.random_bool(0.6) {
            // Restarts at once: its sessions do not collide, because their names differ.
            self.start(machine.name, machine.clock);
        }
    }
}

/// The environment of a node.
struct Life {
    plan: Plan,
    name: String,
    seed: Seed,
    clock: Clock,
    model: Arc<Model>,
    web: Arc<Web>,
    book: Arc<Book>,
    partitions: Partitions,
    gate: Gate,
    leave: Arc<Signal>,
    lives: Arc<Mutex<BTreeMap<String, u32>>>,
}

impl Life {
    async fn live(self) {
        loop {
            let nonce = {
                let mut lives = self.lives.lock();
                let nonce = lives.entry(self.name.clone()).or_default();
                *nonce += 1;
                *nonce
            };
            let end = self.session(nonce).await;
            self.model.trace.note(self.model.clock.now(), || format!("{}.{nonce} ends: {end:?}", self.name));
            if end != End::Lost {
                return;
            }
        }
    }

    async fn session(&self, nonce: u32) -> End {
        let session = SessionId(format!("{}.{nonce}", self.name));
        let (model, node) = (Arc::clone(&self.model), self.name.clone());
        let bus = Arc::new(NodeBus { model, node, mutation: self.plan.mutation });
        let (replica, policy_session) = ToyReplica::new(session.clone(), &self.book);
        let wrap = stoppable(Arc::clone(&self.gate), self.model.clock.clone());
        let seed = self.seed.nth(u64::from(nonce));
        let node = Node::new(bus, self.clock.clone(), self.options(session.clone()), seed)
            .wrapped(Arc::clone(&wrap))
            .with_policy(policy_session);
        let toy = Toy::new(
            session,
            node.log(),
            node.fetch_deadline(),
            self.clock.clone(),
            Arc::clone(&self.web),
            self.partitions.clone(),
            (self.plan.mutation, self.plan.budget, Arc::clone(&replica.outbox)),
        );
        let toy = Arc::new(toy);
        let node = node.spending(Arc::clone(&toy) as _);
        let leave = Arc::clone(&self.leave);
        let leave = Box::pin(async move {
            leave.after(0).await;
        });
        let crawl = Arc::clone(&toy).crawl(wrap);
        let end = tokio::select! {
            biased;
            end = node.run(toy, Arc::new(|_| {}), leave) => end,
            () = crawl => End::Lost,
        };
        if end == End::Over {
            replica.finished();
        }
        end
    }

    fn options(&self, session: SessionId) -> NodeOptions {
        let evicts_early = self.plan.mutation == Some(Mutation::EvictsEarly) && self.name == "n0";
        let never_balances = self.plan.mutation == Some(Mutation::NeverBalances);
        let lease = Duration::from_secs(if evicts_early { 4 } else { 10 });
        NodeOptions {
            session,
            weight: 1,
            partitions: self.partitions.clone(),
            log_shards: LOG_SHARDS,
            terms: LeaseTerms { lease, renew: Duration::from_secs(1) },
            calls: CallOptions { timeout: Duration::from_secs(2), pause_max: Duration::from_secs(3) },
            checkpoint: Duration::from_secs(15),
            parts_max: 3,
            batch: 8,
            look: Duration::from_secs(1),
            balance: Duration::from_secs(if never_balances { 0 } else { 4 }),
            clear_after: Duration::from_secs(90),
            origin: Origin::own(),
            seeds: self.web.seeds.clone(),
        }
    }
}
