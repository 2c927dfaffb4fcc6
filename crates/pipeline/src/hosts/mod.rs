//! The directory of hosts: finds, starts and stops their actors, and holds what hosts share.
//!
//! The directory is only used on the thread of the actors; other threads use
//! [`HostsHandle`](crate::handles::HostsHandle).

mod entry;
mod gate_port;
mod gates;
mod ports;
mod sitemaps;
mod subrequests;
mod waits;

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Weak};

use actix::{Handler, Message};
use arc_swap::ArcSwap;
use dashmap::DashMap;
use parking_lot::Mutex;

use self::entry::HostEntry;
use self::gates::HostGates;
pub(crate) use self::waits::{HostWaits, Wait};
use crate::handles::{FrontierHandle, StateHandle};
use crate::login::AvoidedLinks;
use harvestman_core::config::RobotsOptions;
use harvestman_core::model::HostOwnership;
use harvestman_core::seed::Seed;
use harvestman_core::url::{HostKey, Scope};
use harvestman_stages::frontier::Hosts;
use harvestman_stages::host::{
    BlockedHosts, CappedDelay, ContentReport, DeliveryPort, GateTerms, HostActor, HostAddress, HostCore, HostHistory,
    HostName, HostPorts, HostRules, HostSetup, HostStatus, RequestPort, Retire, RulesChanged, StatusQuery,
    SubrequestPort, WaitOver, WaitReason,
};

/// What earlier runs or other nodes knew of hosts, until the hosts have work.
pub(crate) type RememberedHosts = Arc<Mutex<HashMap<HostKey, HostHistory>>>;

/// What a directory is built from.
pub(crate) struct DirectorySetup {
    pub(crate) setup: HostSetup,
    pub(crate) frontier: FrontierHandle,
    /// `None` if the state is not persisted.
    pub(crate) state: Option<StateHandle>,
    pub(crate) requests: Arc<dyn RequestPort>,
    pub(crate) deliveries: Arc<dyn DeliveryPort>,
    pub(crate) subrequests: Arc<dyn SubrequestPort>,
    pub(crate) ownership: Arc<dyn HostOwnership>,
    pub(crate) scope: Arc<Scope>,
    pub(crate) robots: Arc<RobotsOptions>,
    pub(crate) blocked: BlockedHosts,
    /// The links that are not followed, if the crawl sees what a member sees.
    pub(crate) avoided: Option<Arc<AvoidedLinks>>,
    /// `None` if there was no earlier run and no other node.
    pub(crate) remembered: Option<RememberedHosts>,
    pub(crate) seed: Seed,
}

/// The directory.
pub(crate) struct HostDirectory {
    me: Weak<Self>,
    hosts: DashMap<HostKey, HostEntry>,
    setup: Arc<HostSetup>,
    frontier: FrontierHandle,
    state: Option<StateHandle>,
    requests: Arc<dyn RequestPort>,
    deliveries: Arc<dyn DeliveryPort>,
    subrequests: Arc<dyn SubrequestPort>,
    ownership: Arc<dyn HostOwnership>,
    scope: Arc<Scope>,
    robots: Arc<RobotsOptions>,
    gates: HostGates,
    waits: HostWaits,
    blocked: ArcSwap<BlockedHosts>,
    avoided: Option<Arc<AvoidedLinks>>,
    remembered: Option<RememberedHosts>,
    seed: Seed,
}

impl HostDirectory {
    /// Creates an empty directory.
    pub(crate) fn new(from: DirectorySetup) -> Arc<Self> {
        let gates = HostGates::new(GateTerms::from(&**from.setup.rules.load()));
        Arc::new_cyclic(|me| Self {
            me: me.clone(),
            hosts: DashMap::new(),
            setup: Arc::new(from.setup),
            frontier: from.frontier,
            state: from.state,
            requests: from.requests,
            deliveries: from.deliveries,
            subrequests: from.subrequests,
            ownership: from.ownership,
            scope: from.scope,
            robots: from.robots,
            gates,
            waits: HostWaits::default(),
            blocked: ArcSwap::from_pointee(from.blocked),
            avoided: from.avoided,
            remembered: from.remembered,
            seed: from.seed,
        })
    }

    /// Sends a message to a host's actor, which is started or woken if necessary.
    pub(crate) fn send<M>(&self, host: &HostKey, message: M)
    where
        HostActor: Handler<M>,
        M: Message<Result = ()> + Send + 'static,
    {
        if let Some(address) = self.awake(host).or_else(|| self.wake_up(host)) {
            address.send(message);
        }
    }

    /// Returns the address of a host's actor, if that runs.
    fn awake(&self, host: &HostKey) -> Option<HostAddress> {
        self.hosts.get(host)?.address()
    }

    /// Starts a host's actor, with what is remembered of the host if anything is.
    fn wake_up(&self, host: &HostKey) -> Option<HostAddress> {
        let me = self.me.upgrade()?;
        let new = || HostEntry::Asleep(Some(Box::new(self.new_core(host))));
        let mut entry = self.hosts.entry(host.clone()).or_insert_with(new);
        entry.wake_up(&self.setup, || self.ports(me));
        entry.address()
    }

    /// Creates the core of a host that is met for the first time.
    fn new_core(&self, host: &HostKey) -> HostCore {
        self.setup.metrics.known.inc();
        let rng = self.seed.child(host.as_str()).rng();
        let core = HostCore::new(host.clone(), Arc::clone(&self.robots), rng);
        let Some(remembered) = &self.remembered else { return core };
        let (mut remembered, rules) = (remembered.lock(), self.setup.rules.load());
        self.delay_group(host, &remembered, &rules);
        core.resumed(remembered.remove(host).unwrap_or_default(), self.setup.clock.now(), &rules)
    }

    fn ports(&self, me: Arc<Self>) -> HostPorts {
        HostPorts {
            leases: Arc::new(self.frontier.clone()),
            requests: Arc::clone(&self.requests),
            deliveries: Arc::clone(&self.deliveries),
            subrequests: Arc::clone(&self.subrequests),
            gates: Arc::clone(&me) as _,
            registry: me,
        }
    }

    /// Applies other rules to all hosts, or has them check whether they are blocked.
    pub(crate) fn change_rules(&self, rules: Option<HostRules>) {
        if let Some(rules) = &rules {
            self.change_gates(GateTerms::from(rules));
        }
        let before = rules.map(|rules| self.setup.rules.swap(Arc::new(rules)));
        for mut host in self.hosts.iter_mut() {
            match host.value_mut() {
                HostEntry::Asleep(core) => {
                    if let (Some(core), Some(before)) = (core, &before) {
                        core.change_pace(before, &self.setup.rules.load());
                    }
                }
                HostEntry::Awake(address) => address.send(RulesChanged { before: before.clone() }),
            }
        }
    }

    /// Blocks these hosts and no others. Returns whether a host of `name` is known.
    pub(crate) fn block(&self, blocked: BlockedHosts, name: &HostName) -> bool {
        self.blocked.store(Arc::new(blocked));
        self.waits.retain(|_, why| why != WaitReason::Blocked);
        self.change_rules(None);
        self.hosts.iter().any(|host| name.means(host.key()))
    }

    /// Tells a host that the crawl is logged in there.
    pub(crate) fn session_found(&self, host: &HostKey) {
        self.waits.retain(|waiting, why| waiting != host || why != WaitReason::LogIn);
        self.send(host, ContentReport::SessionFound);
    }

    /// Ends the wait for these hosts.
    pub(crate) fn end_wait(&self, hosts: &[HostKey]) {
        self.waits.retain(|host, _| !hosts.contains(host));
        hosts.iter().for_each(|host| self.send(host, WaitOver));
    }

    /// Whether the host was blocked by an operator.
    pub(crate) fn blocks(&self, host: &HostKey) -> bool {
        self.blocked.load().contains(host)
    }

    /// Returns the state of a host's clock; `None` if the host never got a request.
    pub(crate) async fn status(&self, host: &HostKey) -> Option<HostStatus> {
        let address = match &*self.hosts.get(host)? {
            HostEntry::Asleep(core) => {
                return Some(core.as_ref()?.status(self.setup.clock.now(), &self.setup.rules.load()));
            }
            HostEntry::Awake(address) => address.clone(),
        };
        // Not while a guard of the directory is held.
        address.ask(StatusQuery).await.flatten()
    }

    /// Returns the number of requests to these hosts that are in progress, auxiliary ones included.
    pub(crate) async fn requests_of(&self, hosts: &Hosts) -> u32 {
        let these: Vec<HostKey> =
            self.hosts.iter().map(|entry| entry.key().clone()).filter(|host| hosts(host)).collect();
        let mut under_way = 0;
        for host in these {
            under_way += self.status(&host).await.map_or(0, |status| status.under_way);
        }
        under_way
    }

    /// Forgets hosts that another node owns from now on.
    pub(crate) fn retire(&self, hosts: &Hosts) {
        let mut gone = HashSet::new();
        self.hosts.retain(|host, entry| {
            let goes = hosts(host);
            if goes {
                gone.insert(host.clone());
                if let Some(address) = entry.address() {
                    address.send(Retire);
                }
            }
            !goes
        });
        self.waits.retain(|host, _| !hosts(host));
        self.forget_at_gates(&gone);
    }

    /// Returns what earlier runs or other nodes knew of hosts; `None` if there were none.
    pub(crate) const fn remembered(&self) -> Option<&RememberedHosts> {
        self.remembered.as_ref()
    }

    /// Returns the number of hosts whose crawl delay was capped, and the longest of these delays.
    pub(crate) fn capped_delays(&self) -> (u64, Vec<CappedDelay>) {
        self.setup.capped_delays.get()
    }

    /// Returns the number of known hosts.
    pub(crate) fn len(&self) -> usize {
        self.hosts.len()
    }

    /// Returns the hosts that are not contacted for longer than their delay.
    pub(crate) const fn waits(&self) -> &HostWaits {
        &self.waits
    }
}
