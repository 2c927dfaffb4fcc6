//! Who is connected to whom: the directory of host actors, and the ways between frontier, hosts, fetcher and workers.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use actix::{Actor, Addr, Handler, Message};
use arc_swap::ArcSwap;
use bytes::Bytes;
use crossbeam_channel::Sender;
use dashmap::DashMap;
use parking_lot::Mutex;
use tokio::sync::{Semaphore, oneshot, watch};
use tokio::task::JoinHandle;

use super::fetching::Fetching;
use super::job::{Job, Sitemap};
use super::live::LiveBoard;
use super::recrawl::RecrawlHandle;
use super::send::post;
use super::state_writer::StateHandle;
use super::visits::{Visits, conditions};
use harvestman_core::clock::{Clock, Instant};
use harvestman_core::config::RobotsOptions;
use harvestman_core::model::HostOwnership;
use harvestman_core::model::{Exchange, Fate, FleetEffects, Lease, Note, ScheduledUrl};
use harvestman_core::seed::Seed;
use harvestman_core::url::{CanonicalUrl, HostGroup, HostKey, Scope};
use harvestman_metrics::Metrics;
use harvestman_stages::frontier::{
    Allowance, ErrandsAdded, FrontierActor, FrontierPulse, HostDue, HostPort, Hosts, LeaseEnded, LinksFound, Outcome,
};
use harvestman_stages::host::{
    BlockedHosts, Errand, ErrandBrokenOff, ErrandEnded, FaceWanted, GateId, GateTerms, Gates, Grant, HostActor,
    HostCore, HostFace, HostOutlets, HostPast, HostRules, HostSetup, KnownRobots, NoWork, PageBrokenOff, PageEnded,
    Politeness, Resolved, Retire, Return, RulesChanged, SitemapsFound, WaitReason, Wake,
};
use harvestman_storage::store::encode;

/// Errands under way at once, over all hosts.
pub(super) const ERRANDS_MAX: usize = 64;

/// How often what was about to begin when the crawl was told to rest looks whether it goes on.
const REST_LOOK_EVERY: Duration = Duration::from_millis(100);

/// A host in the directory.
enum Entry {
    Awake {
        address: Addr<HostActor>,
        /// Messages sent to it and not yet handled. Sending and handling happen on one thread, so that a host that goes to sleep
        /// cannot miss one.
        pending: Arc<AtomicU32>,
    },
    /// What is remembered of it; never none, but for the moment of waking up.
    Asleep(Option<Box<HostCore>>),
}

/// The connections. All hosts and the frontier run on one arbiter; everything else only holds ways to them.
pub(super) struct Switchboard {
    pub(super) hosts: DashMap<HostKey, HostEntry>,
    pub(super) frontier: OnceLock<Addr<FrontierActor>>,
    pub(super) setup: OnceLock<Arc<HostSetup>>,
    pub(super) allowance: Arc<Allowance>,
    pub(super) clock: Clock,
    pub(super) fetching: Arc<Fetching>,
    pub(super) jobs: Sender<Job>,
    /// What hosts share.
    pub(super) gates: Mutex<Gates>,
    /// When it is looked next whose turn has come at the gates, and by whom.
    pub(super) gate_timer: Mutex<Option<(Instant, JoinHandle<()>)>>,
    pub(super) errands: Arc<Semaphore>,
    pub(super) robots: Arc<RobotsOptions>,
    pub(super) scope: Arc<Scope>,
    pub(super) metrics: Metrics,
    pub(super) seed: Seed,
    /// Hosts that are left alone, until when and why; what is over is taken out when somebody looks.
    pub(super) waits: Mutex<HashMap<HostKey, (Instant, WaitReason)>>,
    /// Where changes are kept; never set where they are not.
    pub(super) keeper: OnceLock<StateHandle>,
    /// What is known of pages that were visited before.
    pub(super) visits: Visits,
    /// What plans visits to them; set in a recrawl only.
    pub(super) recrawl: OnceLock<RecrawlHandle>,
    /// What an earlier run knew of hosts, until they have work; none where there was no such run.
    pub(super) remembered: Option<Mutex<HashMap<HostKey, HostPast>>>,
    /// Hosts that get nothing.
    pub(super) blocked: ArcSwap<BlockedHosts>,
    /// What those who watch are shown.
    pub(super) live: Arc<LiveBoard>,
    /// Which hosts are this node's.
    pub(super) ownership: Arc<dyn HostOwnership>,
    /// What the frontier shows of itself.
    pub(super) pulse: Arc<FrontierPulse>,
    /// What is under way is broken off when this changes.
    pub(super) lapses: watch::Sender<u64>,
}

/// Waits while the crawl rests. False: it is told to end meanwhile.
async fn goes_on(allowance: &Allowance, clock: &Clock) -> bool {
    while allowance.is_paused() {
        if allowance.is_stopped() {
            return false;
        }
        clock.sleep(REST_LOOK_EVERY).await;
    }
    true
}

/// A host in the directory; opaque to the rest of the pipeline.
pub(super) struct HostEntry(Entry);

impl Switchboard {
    /// Sends a message to the frontier.
    pub(super) fn to_frontier<M>(&self, message: M)
    where
        FrontierActor: Handler<M>,
        M: Message<Result = ()> + Send + 'static,
    {
        if let Some(frontier) = self.frontier.get() {
            post(frontier, message);
        }
    }

    /// Sends a message to a host's actor, which is started or woken if need be. Only on the arbiter's thread.
    pub(super) fn to_host<M>(&self, host: &HostKey, message: M)
    where
        HostActor: Handler<M>,
        M: Message<Result = ()> + Send + 'static,
    {
        let Some((address, pending)) = self.way_back(host).or_else(|| self.wake_up(host)) else { return };
        pending.fetch_add(1, Ordering::Relaxed);
        post(&address, message);
    }

    /// Starts a host's actor, with what is remembered of the host if anything is.
    fn wake_up(&self, host: &HostKey) -> Option<(Addr<HostActor>, Arc<AtomicU32>)> {
        let setup = self.setup.get()?;
        let mut entry = self.hosts.entry(host.clone()).or_insert_with(|| {
            self.metrics.host.known.inc();
            let rng = self.seed.child(host.as_str()).rng();
            let core = HostCore::new(host.clone(), Arc::clone(&self.robots), rng);
            let core = match &self.remembered {
                None => core,
                Some(hosts) => {
                    let (mut hosts, rules) = (hosts.lock(), setup.rules.load());
                    self.rest_group(host, &hosts, &rules);
                    core.going_on(hosts.remove(host).unwrap_or_default(), self.clock.now(), &rules)
                }
            };
            HostEntry(Entry::Asleep(Some(Box::new(core))))
        });
        if let Entry::Asleep(core) = &mut entry.0
            && let Some(core) = core.take()
        {
            let pending = Arc::new(AtomicU32::new(0));
            let actor = HostActor::new(*core, Arc::clone(setup), Arc::clone(&pending));
            entry.0 = Entry::Awake { address: actor.start(), pending };
        }
        match &entry.0 {
            Entry::Awake { address, pending } => Some((address.clone(), Arc::clone(pending))),
            Entry::Asleep(_) => None,
        }
    }

    /// From now on other rules hold for all hosts, or other hosts are blocked. Only on the arbiter's thread.
    pub(super) fn change_rules(self: &Arc<Self>, rules: Option<HostRules>) {
        let Some(setup) = self.setup.get() else { return };
        if let Some(rules) = &rules {
            self.gates.lock().change(GateTerms::from(rules));
            self.serve_gates();
        }
        let before = rules.map(|rules| setup.rules.swap(Arc::new(rules)));
        for mut host in self.hosts.iter_mut() {
            match &mut host.value_mut().0 {
                Entry::Asleep(core) => {
                    if let (Some(core), Some(before)) = (core, &before) {
                        core.change_pace(before, &setup.rules.load());
                    }
                }
                Entry::Awake { address, pending } => {
                    pending.fetch_add(1, Ordering::Relaxed);
                    post(address, RulesChanged { before: before.clone() });
                }
            }
        }
    }

    /// How a host's clock stands; none where it was never asked anything. Only on the arbiter's thread.
    pub(super) async fn face(&self, host: &HostKey) -> Option<HostFace> {
        let actor = match &self.hosts.get(host)?.0 {
            Entry::Asleep(core) => return Some(core.as_ref()?.face(self.clock.now(), &self.setup.get()?.rules.load())),
            Entry::Awake { address, pending } => {
                pending.fetch_add(1, Ordering::Relaxed);
                address.clone()
            }
        };
        // Not with a guard of the directory held.
        actor.send(FaceWanted).await.ok().flatten()
    }

    /// Forgets hosts that are another node's from now on. Only on the arbiter's thread.
    pub(super) fn retire(self: &Arc<Self>, hosts: &Hosts) {
        let mut gone = HashSet::new();
        self.hosts.retain(|host, entry| {
            let goes = hosts(host);
            if goes {
                gone.insert(host.clone());
            }
            if let (true, Entry::Awake { address, pending }) = (goes, &entry.0) {
                pending.fetch_add(1, Ordering::Relaxed);
                post(address, Retire);
            }
            !goes
        });
        self.waits.lock().retain(|host, _| !hosts(host));
        self.forget_at_gates(&gone);
    }

    /// The way back to a host for something that ends later, on another thread. A host that waits for it does not sleep.
    fn way_back(&self, host: &HostKey) -> Option<(Addr<HostActor>, Arc<AtomicU32>)> {
        match &self.hosts.get(host)?.0 {
            Entry::Awake { address, pending } => Some((address.clone(), Arc::clone(pending))),
            Entry::Asleep(_) => None,
        }
    }

    fn hand_over(&self, job: Job) {
        if self.jobs.try_send(job).is_err() {
            // There is room for every lease and errand, so the workers are gone: the crawl is over.
            tracing::debug!("work was left when the crawl ended");
        }
    }

    /// Takes sitemaps to their hosts, as far as these are in scope. Only on the arbiter's thread.
    pub(super) fn hand_out_sitemaps(&self, urls: Vec<String>, nesting: u32) {
        let mut by_host: BTreeMap<HostKey, Vec<String>> = BTreeMap::new();
        let mut foreign = Vec::new();
        for url in urls {
            let canonical = CanonicalUrl::from_canonical(url.as_str());
            if self.scope.check(&url).is_err() {
                tracing::debug!(url, "a sitemap outside the scope is left out");
            } else if self.ownership.holds(canonical.origin()) {
                by_host.entry(canonical.host_key()).or_default().push(url);
            } else {
                foreign.push(ScheduledUrl::sitemap(canonical, u8::try_from(nesting).unwrap_or(u8::MAX)));
            }
        }
        if !foreign.is_empty() {
            let fleet_effects = Some(Box::new(FleetEffects { foreign, ..FleetEffects::default() }));
            self.to_frontier(LinksFound { fleet_effects, ..LinksFound::default() });
        }
        self.to_frontier(ErrandsAdded(by_host.len() as u32));
        for (host, urls) in by_host {
            self.to_host(&host, SitemapsFound { urls, nesting });
        }
    }
}

/// What only makes sense with the board in an `Arc`, as it goes along into tasks.
#[derive(Clone)]
pub(super) struct Lines(pub(super) Arc<Switchboard>);

impl Lines {
    /// Takes the sitemaps that an index names to their hosts, from a worker's thread.
    pub(super) fn sitemaps_found(&self, arbiter: &actix::ArbiterHandle, urls: Vec<String>, nesting: u32) {
        if urls.is_empty() {
            return;
        }
        self.0.to_frontier(ErrandsAdded(1));
        let board = Arc::clone(&self.0);
        arbiter.spawn_fn(move || {
            board.hand_out_sitemaps(urls, nesting);
            board.to_frontier(LinksFound { errands_done: 1, ..LinksFound::default() });
        });
    }
}

impl Lines {
    /// Requests to these hosts that are under way, errands too.
    pub(super) async fn requests_of(&self, arbiter: &actix::ArbiterHandle, hosts: Arc<Hosts>) -> u32 {
        let (board, (answer, answered)) = (Arc::clone(&self.0), oneshot::channel());
        arbiter.spawn(async move {
            let these: Vec<HostKey> =
                board.hosts.iter().map(|entry| entry.key().clone()).filter(|host| hosts(host)).collect();
            let mut under_way = 0;
            for host in these {
                under_way += board.face(&host).await.map_or(0, |face| face.under_way);
            }
            // Whoever asked may be gone.
            let _ = answer.send(under_way);
        });
        answered.await.unwrap_or(0)
    }
}

impl HostPort for Lines {
    fn wake(&self, host: &HostKey) {
        self.0.to_host(host, Wake);
    }

    fn grant(&self, lease: Lease) {
        let host = lease.item.url.host_key();
        self.0.to_host(&host, Grant(lease));
    }

    fn no_work(&self, host: &HostKey, until: Option<Instant>) {
        // A host that was let go meanwhile has nobody to tell, and must not be acted for again.
        if let Some((address, pending)) = self.0.way_back(host) {
            pending.fetch_add(1, Ordering::Relaxed);
            post(&address, NoWork(until));
        }
    }
}

impl HostOutlets for Lines {
    fn ask(&self, host: &HostKey) {
        self.0.to_frontier(HostDue(host.clone()));
    }

    fn is_blocked(&self, host: &HostKey) -> bool {
        self.0.blocked.load().contains(host) || !self.0.ownership.may_fetch(host, self.0.clock.now())
    }

    fn fetch_page(&self, host: &HostKey, lease: Lease) {
        let Some((address, pending)) = self.0.way_back(host) else { return };
        pending.fetch_add(1, Ordering::Relaxed);
        let fetching = Arc::clone(&self.0.fetching);
        let host = host.clone();
        let headers = self.0.visits.before(&lease.item.url).map(|before| conditions(&before)).unwrap_or_default();
        let mut lapses = self.0.lapses.subscribe();
        tokio::spawn(async move {
            let exchange = tokio::select! {
                biased;
                exchange = fetching.page(&host, &lease.item.url, headers) => Some(exchange),
                _ = lapses.changed() => None,
            };
            match exchange {
                Some(exchange) => post(&address, PageEnded { lease, exchange }),
                None => post(&address, PageBrokenOff(lease)),
            }
        });
    }

    fn begin_errand(&self) -> bool {
        self.0.allowance.begin_errand(self.0.clock.now())
    }

    fn run_errand(&self, host: &HostKey, errand: Errand) {
        let Some((address, pending)) = self.0.way_back(host) else { return };
        pending.fetch_add(1, Ordering::Relaxed);
        let fetching = Arc::clone(&self.0.fetching);
        let permits = Arc::clone(&self.0.errands);
        let (allowance, clock) = (Arc::clone(&self.0.allowance), self.0.clock.clone());
        let mut lapses = self.0.lapses.subscribe();
        let host = host.clone();
        tokio::spawn(async move {
            // The semaphore is never closed.
            let Ok(permit) = permits.acquire_owned().await else { return };
            // The crawl may have been told to rest while it waited for that.
            let errands = async {
                match goes_on(&allowance, &clock).await {
                    true => Some(fetching.errand(&host, &errand).await),
                    false => None,
                }
            };
            let ended = tokio::select! {
                biased;
                ended = errands => ended,
                _ = lapses.changed() => None,
            };
            match ended {
                Some((exchange, body)) => post(&address, ErrandEnded { errand, exchange, body, permit }),
                None => post(&address, ErrandBrokenOff(errand)),
            }
        });
    }

    fn resolve(&self, host: &HostKey) {
        let Some((address, pending)) = self.0.way_back(host) else { return };
        pending.fetch_add(1, Ordering::Relaxed);
        let fetching = Arc::clone(&self.0.fetching);
        let host = host.clone();
        tokio::spawn(async move {
            let ip = fetching.address_of(&host).await;
            post(&address, Resolved(ip));
        });
    }

    fn deliver_page(&self, lease: Lease, exchange: Exchange) {
        self.0.hand_over(Job::Page { lease, exchange });
    }

    fn refuse(&self, lease: Lease, fate: Fate) {
        self.0.hand_over(Job::Refused { lease, fate });
    }

    fn put_back(&self, lease: Lease, not_before: Instant) {
        let found = LinksFound::default();
        self.0.to_frontier(LeaseEnded { lease, outcome: Outcome::Retry(not_before), received: None, found });
    }

    fn retry(&self, lease: Lease, not_before: Instant, received: u64) {
        let found = LinksFound::default();
        self.0.to_frontier(LeaseEnded { lease, outcome: Outcome::Retry(not_before), received: Some(received), found });
    }

    fn errands_added(&self, count: u32) {
        self.0.to_frontier(ErrandsAdded(count));
    }

    fn errand_done(&self) {
        self.0.to_frontier(LinksFound { errands_done: 1, ..LinksFound::default() });
    }

    fn errand_broken_off(&self) {
        // It counts as a request: it may have been sent.
        self.0.to_frontier(LinksFound { own_requests: 1, ..LinksFound::default() });
    }

    fn sitemaps_named(&self, urls: Vec<String>, nesting: u32) {
        if let Some(keeper) = self.0.keeper.get() {
            urls.iter().for_each(|url| keeper.note(Note::SitemapFound(url.clone(), nesting)));
        }
        self.0.hand_out_sitemaps(urls, nesting);
    }

    fn deliver_errand(
        &self,
        sitemap: Option<(CanonicalUrl, u32)>,
        exchange: Exchange,
        body: Bytes,
        permit: tokio::sync::OwnedSemaphorePermit,
    ) {
        self.0.hand_over(match sitemap {
            None => Job::Errand { exchange, permit },
            Some((url, nesting)) => Job::Sitemap { sitemap: Sitemap { url, nesting, exchange, body }, permit },
        });
    }

    fn waits(&self, host: &HostKey, until: Instant, why: WaitReason) {
        self.0.waits.lock().insert(host.clone(), (until, why));
    }

    fn remember(&self, host: &HostKey, memory: &Politeness) {
        if let Some(keeper) = self.0.keeper.get() {
            keeper.remember(host, memory);
        }
    }

    fn remember_robots(&self, host: &HostKey, robots: &KnownRobots) {
        if let Some(keeper) = self.0.keeper.get() {
            keeper.note(Note::Robots(host.clone(), encode(robots)));
        }
    }

    fn enter(&self, gate: GateId, host: &HostKey, delay: Duration) -> bool {
        self.0.enter_gate(gate, host, delay)
    }

    fn leave(&self, gate: GateId, host: &HostKey, by: Return) {
        self.0.leave_gate(gate, host, by);
    }

    fn change_delay(&self, group: HostGroup, host: &HostKey, delay: Duration) {
        self.0.gates.lock().change_delay(group, host, delay);
        self.0.serve_gates();
    }

    fn opens(&self, gate: GateId) -> Option<Instant> {
        self.0.gates.lock().opens(gate)
    }

    fn go_to_sleep(&self, host: &HostKey, core: &mut Option<HostCore>) -> bool {
        let Some(mut entry) = self.0.hosts.get_mut(host) else { return false };
        let quiet = matches!(&entry.0, Entry::Awake { pending, .. } if pending.load(Ordering::Relaxed) == 0);
        if !quiet {
            return false;
        }
        if let Some(core) = core.take() {
            entry.0 = Entry::Asleep(Some(Box::new(core)));
        }
        drop(entry);
        self.0.leave_group(host);
        true
    }
}
