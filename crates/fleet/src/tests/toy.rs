//! A minimal crawler that meets the requirements of a fleet: leases, crawl delays, ordered group commits.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use tokio::task::JoinSet;

use super::mutation::Mutation;
use super::web::Web;
use crate::bus::BoxFuture;
use crate::engine::{Engine, EngineStatus, FetchDeadline};
use crate::node::signal::Signal;
use crate::node::{SessionLog, Wrap};
use crate::policy::Outbox;
use crate::{FinishedUrl, LogEntry, Partition, PartitionState, Partitions, SessionId};
use harvestman_core::clock::{Clock, Instant};
use harvestman_core::model::{Fate, Ledger, ScheduledUrl};
use harvestman_core::url::{Fingerprint, HostKey};

mod spending;

/// The most fetches in flight.
const LEASES: usize = 12;
/// The interval of group commits.
const GROUP: Duration = Duration::from_millis(400);

#[derive(Default)]
struct Host {
    waiting: VecDeque<ScheduledUrl>,
    is_busy: bool,
    next: Instant,
}

#[derive(Default)]
struct Group {
    entry: LogEntry,
    foreign: Vec<ScheduledUrl>,
    /// Leases that end with the group: their partition and fetch.
    leases: Vec<(Partition, usize)>,
}

#[derive(Default)]
struct Inner {
    held: BTreeSet<Partition>,
    releasing: BTreeSet<Partition>,
    catching: BTreeSet<Partition>,
    hosts: BTreeMap<HostKey, Host>,
    seen: BTreeMap<Partition, BTreeSet<Fingerprint>>,
    /// When partitions were taken: the previous holder may have contacted any of their hosts until then.
    taken: BTreeMap<Partition, Instant>,
    /// Fetches in flight, or not yet in the log.
    leased: BTreeMap<Partition, usize>,
    group: Group,
    is_keeping: bool,
    offered: Vec<u64>,
    logged: Vec<u64>,
    activity: u64,
    /// The ledger; a request counts when it begins.
    ledger: Ledger,
    /// The allowance, if there is a limit.
    allowed: u64,
    lacks: bool,
    /// Acquisitions and releases that are in the log.
    settled: BTreeSet<(Partition, bool)>,
}

pub(super) struct Toy {
    inner: Mutex<Inner>,
    changed: Signal,
    pub(super) session: SessionId,
    pub(super) log: Arc<SessionLog>,
    pub(super) fetch_deadline: Arc<FetchDeadline>,
    pub(super) clock: Clock,
    pub(super) web: Arc<Web>,
    pub(super) partitions: Partitions,
    pub(super) mutation: Option<Mutation>,
    /// The budget of requests of the whole fleet.
    pub(super) limit: Option<u64>,
    outbox: Arc<Outbox>,
}

impl Toy {
    pub(super) fn new(
        session: SessionId,
        log: Arc<SessionLog>,
        fetch_deadline: Arc<FetchDeadline>,
        clock: Clock,
        web: Arc<Web>,
        partitions: Partitions,
        (mutation, limit, outbox): (Option<Mutation>, Option<u64>, Arc<Outbox>),
    ) -> Self {
        let shards = usize::from(partitions.shards());
        let inner = Inner { offered: vec![0; shards], logged: vec![0; shards], ..Inner::default() };
        Self {
            inner: Mutex::new(inner),
            changed: Signal::default(),
            session,
            log,
            fetch_deadline,
            clock,
            web,
            partitions,
            mutation,
            limit,
            outbox,
        }
    }

    fn has(&self, mutation: Mutation) -> bool {
        self.mutation == Some(mutation)
    }

    /// Crawls until it is dropped.
    pub(super) async fn crawl(self: Arc<Self>, wrap: Wrap) {
        let mut fetches = JoinSet::new();
        fetches.spawn(wrap(Box::pin(Arc::clone(&self).keep())));
        loop {
            let seen = self.changed.count();
            let (begun, next) = self.begin();
            for item in begun {
                fetches.spawn(wrap(Box::pin(Arc::clone(&self).fetch(item))));
            }
            tokio::select! {
                biased;
                _ = self.changed.after(seen) => {}
                () = self.clock.sleep_until(next) => {}
            }
            while fetches.try_join_next().is_some() {}
        }
    }

    fn may_fetch(&self) -> bool {
        self.has(Mutation::IgnoresTenure) || self.clock.now() < self.fetch_deadline.until()
    }

    /// Returns the URLs to fetch now, and when to look again.
    fn begin(&self) -> (Vec<ScheduledUrl>, Instant) {
        let (mut begun, now) = (Vec::new(), self.clock.now());
        let mut again = now + Duration::from_secs(1);
        let mut inner = self.inner.lock();
        let Inner { held, releasing, hosts, leased, ledger, allowed, lacks, .. } = &mut *inner;
        for (key, host) in hosts {
            let partition = self.partitions.of(key);
            let is_open = held.contains(&partition) && !releasing.contains(&partition) && !host.is_busy;
            if !is_open || host.waiting.is_empty() || leased.values().sum::<usize>() >= LEASES || !self.may_fetch() {
                continue;
            }
            if host.next > now {
                again = again.min(host.next);
                continue;
            }
            if self.limit.is_some() && ledger.requests() >= *allowed && !self.has(Mutation::Overspends) {
                *lacks = true;
                continue;
            }
            ledger.request(0);
            host.is_busy = true;
            *leased.entry(partition).or_default() += 1;
            begun.extend(host.waiting.pop_front());
        }
        (begun, again)
    }

    async fn fetch(self: Arc<Self>, item: ScheduledUrl) {
        // Checked before each request: time may have passed since the fetch was begun.
        if !self.may_fetch() {
            return self.put_back(item);
        }
        let connection = Connection { web: Arc::clone(&self.web), fetch: self.web.begins(&item.url, &self.session) };
        let served = self.web.model.clock.now() + self.web.duration(item.url.as_str());
        loop {
            let until = self.fetch_deadline.until();
            tokio::select! {
                biased;
                () = self.web.model.clock.sleep_until(served) => break,
                () = self.clock.sleep_until(until), if !self.has(Mutation::IgnoresTenure) => {}
            }
            if !self.may_fetch() {
                return self.put_back(item);
            }
        }
        self.web.ends(connection.fetch, true);
        self.ended(&item, connection.fetch);
    }

    fn free(&self, inner: &mut Inner, host: &HostKey) {
        if let Some(host_queue) = inner.hosts.get_mut(host) {
            host_queue.is_busy = false;
            host_queue.next = self.clock.now() + self.web.delay(host);
        }
    }

    fn put_back(&self, item: ScheduledUrl) {
        let host = item.url.host_key();
        let mut inner = self.inner.lock();
        self.free(&mut inner, &host);
        if let Some(leased) = inner.leased.get_mut(&self.partitions.of(&host)) {
            *leased -= 1;
        }
        inner.hosts.entry(host).or_default().waiting.push_front(item);
        drop(inner);
        self.changed.raise();
    }

    fn ended(&self, item: &ScheduledUrl, fetch: usize) {
        let host = item.url.host_key();
        let partition = self.partitions.of(&host);
        let mut inner = self.inner.lock();
        self.free(&mut inner, &host);
        inner.activity += 1;
        inner.group.leases.push((partition, fetch));
        for _ in 0..=u8::from(self.has(Mutation::ObservesTwice)) {
            self.outbox.push(format!("{fetch}").into(), self.clock.now());
        }
        let url = item.url.fingerprint();
        inner.group.entry.ended.push(FinishedUrl { partition, url, fate: Fate::Fetched });
        for link in self.web.links(item.url.as_str()) {
            if inner.held.contains(&self.partitions.of(&link.url.host_key())) {
                self.accept(&mut inner, link);
            } else {
                self.note(|| format!("passes on {}", link.url.as_str()));
                inner.group.foreign.push(link);
            }
        }
        drop(inner);
        self.changed.raise();
    }

    /// Accepts a link of a held partition.
    fn accept(&self, inner: &mut Inner, link: ScheduledUrl) {
        let host = link.url.host_key();
        if !inner.seen.entry(self.partitions.of(&host)).or_default().insert(link.url.fingerprint()) {
            return;
        }
        inner.activity += 1;
        self.note(|| format!("accepts {}", link.url.as_str()));
        inner.group.entry.waiting.push(link.clone());
        self.queue(inner, link);
    }

    fn queue(&self, inner: &mut Inner, item: ScheduledUrl) {
        let host = item.url.host_key();
        let taken = inner.taken.get(&self.partitions.of(&host)).copied().unwrap_or_default();
        let next = if self.has(Mutation::ForgetsDelays) { Instant::EPOCH } else { taken + self.web.delay(&host) };
        let new = || Host { next, ..Host::default() };
        inner.hosts.entry(host).or_insert_with(new).waiting.push_back(item);
    }

    fn note(&self, what: impl FnOnce() -> String) {
        self.web.model.trace.note(self.web.model.clock.now(), || format!("{} {}", self.session, what()));
    }

    /// The state writer: commits groups of changes to the log.
    async fn keep(self: Arc<Self>) {
        loop {
            self.clock.sleep(GROUP).await;
            let Some(group) = self.cut() else { continue };
            if self.has(Mutation::LogsFirst) && self.append(&group).await.is_err() {
                return;
            }
            let mut shards: BTreeMap<u16, Vec<ScheduledUrl>> = BTreeMap::new();
            for link in &group.foreign {
                shards
                    .entry(self.partitions.shard(self.partitions.of(&link.url.host_key())))
                    .or_default()
                    .push(link.clone());
            }
            for (shard, links) in shards {
                if self.log.publish(shard, &links, 0).await.is_err() {
                    return;
                }
            }
            if !self.has(Mutation::LogsFirst) && self.append(&group).await.is_err() {
                return;
            }
            self.kept(group);
        }
    }

    async fn append(&self, group: &Group) -> Result<(), crate::engine::SessionEnded> {
        self.log.append(&group.entry).await.map(|_| ())
    }

    /// Takes the changes since the last group, or `None` if there are none. Releases take effect at this moment and not
    /// before.
    fn cut(&self) -> Option<Group> {
        let mut inner = self.inner.lock();
        let inner = &mut *inner;
        let is_done = |partition: &&Partition| inner.leased.get(partition).is_none_or(|leased| *leased == 0);
        let released: Vec<Partition> = inner.releasing.iter().filter(is_done).copied().collect();
        for partition in &released {
            inner.releasing.remove(partition);
            inner.held.remove(partition);
            inner.catching.remove(partition);
            inner.seen.remove(partition);
            inner.hosts.retain(|host, _| self.partitions.of(host) != *partition);
            inner.activity += 1;
        }
        let taken: Vec<Partition> = std::mem::take(&mut inner.catching).into_iter().collect();
        let mut group = std::mem::take(&mut inner.group);
        let says_something = !group.entry.waiting.is_empty() || !group.entry.ended.is_empty();
        if !says_something && released.is_empty() && taken.is_empty() && inner.offered == inner.logged {
            inner.group = group;
            return None;
        }
        group.entry.taken = taken;
        group.entry.released = released;
        group.entry.positions = inner.offered.clone();
        inner.is_keeping = true;
        Some(group)
    }

    /// Ends the leases of a group that is in the log.
    fn kept(&self, group: Group) {
        let mut inner = self.inner.lock();
        for (partition, _) in &group.leases {
            if let Some(leased) = inner.leased.get_mut(partition) {
                *leased -= 1;
            }
        }
        inner.logged = group.entry.positions;
        inner.settled.extend(group.entry.taken.into_iter().map(|partition| (partition, true)));
        inner.settled.extend(group.entry.released.into_iter().map(|partition| (partition, false)));
        inner.is_keeping = false;
        drop(inner);
        let fetches: Vec<usize> = group.leases.into_iter().map(|(_, fetch)| fetch).collect();
        self.web.logged(&fetches);
        self.changed.raise();
    }

    fn begin_release(&self, partitions: &[Partition]) {
        let mut inner = self.inner.lock();
        inner.releasing.extend(partitions);
        if self.has(Mutation::DropsEarly) {
            // Their links are dropped from here on, although positions still count for them.
            inner.held.retain(|partition| !partitions.contains(partition));
        }
    }

    /// Returns those of the partitions that are still held: positions count for them from the next group on.
    fn begin_to_count(&self, partitions: &[Partition]) -> Vec<Partition> {
        let mut inner = self.inner.lock();
        let held: Vec<Partition> =
            partitions.iter().copied().filter(|partition| inner.held.contains(partition)).collect();
        inner.catching.extend(&held);
        held
    }

    /// Waits until the log says that these partitions are taken or released.
    async fn settled(&self, partitions: &[Partition], is_taken: bool) {
        loop {
            let seen = self.changed.count();
            let is_settled = |partition: &Partition| self.inner.lock().settled.contains(&(*partition, is_taken));
            if partitions.iter().all(is_settled) {
                return;
            }
            self.changed.after(seen).await;
        }
    }
}

/// A connection. Its server notices when it is dropped.
struct Connection {
    web: Arc<Web>,
    fetch: usize,
}

impl Drop for Connection {
    fn drop(&mut self) {
        self.web.ends(self.fetch, false);
    }
}

impl Engine for Toy {
    fn take<'a>(&'a self, partitions: Vec<(Partition, PartitionState)>) -> BoxFuture<'a, ()> {
        Box::pin(async move {
            let now = self.clock.now();
            let mut inner = self.inner.lock();
            for (partition, known) in partitions {
                inner.held.insert(partition);
                inner.settled.retain(|(settled, _)| *settled != partition);
                inner.activity += 1;
                let mut seen: BTreeSet<Fingerprint> = known.waiting.iter().map(|item| item.url.fingerprint()).collect();
                if !self.has(Mutation::ForgetsEnded) {
                    seen.extend(known.ended);
                }
                inner.seen.insert(partition, seen);
                inner.taken.insert(partition, now);
                self.note(|| format!("takes {partition} at {}: {} wait", known.position, known.waiting.len()));
                for item in known.waiting {
                    self.queue(&mut inner, item);
                }
            }
            drop(inner);
            self.changed.raise();
        })
    }

    fn release<'a>(&'a self, partitions: &'a [Partition]) -> BoxFuture<'a, ()> {
        Box::pin(async move {
            self.begin_release(partitions);
            self.changed.raise();
            self.settled(partitions, false).await;
        })
    }

    fn offer<'a>(
        &'a self,
        shard: u16,
        sequence: u64,
        links: Vec<ScheduledUrl>,
        catching_up: bool,
    ) -> BoxFuture<'a, ()> {
        Box::pin(async move {
            let mut inner = self.inner.lock();
            for link in links {
                if inner.held.contains(&self.partitions.of(&link.url.host_key())) {
                    self.accept(&mut inner, link);
                }
            }
            self.note(|| format!("was offered {sequence} of {shard}, catching up: {catching_up}"));
            if !catching_up {
                inner.offered[usize::from(shard)] = sequence;
            }
            drop(inner);
            self.changed.raise();
        })
    }

    fn caught_up<'a>(&'a self, partitions: &'a [Partition]) -> BoxFuture<'a, ()> {
        Box::pin(async move {
            let held = self.begin_to_count(partitions);
            self.settled(&held, true).await;
        })
    }

    fn status(&self) -> EngineStatus {
        let inner = self.inner.lock();
        let waiting = inner.hosts.values().map(|host| host.waiting.len() as u64).sum();
        let leased: usize = inner.leased.values().sum();
        let is_grouped = !inner.group.entry.waiting.is_empty() || inner.is_keeping;
        let under_way = leased as u64 + u64::from(is_grouped || self.has(Mutation::NeverIdle));
        let positions =
            if self.has(Mutation::SaysWhatIsOffered) { inner.offered.clone() } else { inner.logged.clone() };
        let known = |partition| inner.seen.get(&partition).map_or(0, |seen| seen.len() as u64);
        let known = self.partitions.all().map(known).collect();
        EngineStatus { waiting, under_way, activity: inner.activity, positions, known, ledger: inner.ledger.clone() }
    }
}
