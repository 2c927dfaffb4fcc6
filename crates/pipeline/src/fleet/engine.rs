//! The engine of a node: its crawl, as the fleet controls it.

use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;

use super::commit_tracker::CommitTracker;
use super::policy::SharedPolicy;
use crate::handles::{FrontierHandle, HostsHandle, StateHandle};
use crate::hosts::RememberedHosts;
use crate::run::resume::Past;
use crate::run::state_writer::recollection;
use crate::search::searches::Searches;
use harvestman_core::model::{Arrival, ClusterId, Fate, Fates, FleetEffects, Ledger, Priority, ScheduledUrl};
use harvestman_core::url::HostKey;
use harvestman_fleet::bus::BoxFuture;
use harvestman_fleet::engine::{Engine, EngineStatus};
use harvestman_fleet::{Partition, PartitionOwnership, PartitionState};
use harvestman_metrics::FleetMetrics;
use harvestman_stages::frontier::{DiscoveredLinks, DropHosts, FleetEvent, Hosts, LeasesOf, TakeOver};
use harvestman_storage::dedup::SeenUrls;

/// The interval at which partitions that are being released are checked for work in progress.
const LOOK_EVERY: Duration = Duration::from_millis(20);
/// The maximum number of URLs that one message takes over.
const TAKEN_AT_ONCE: usize = 4_096;

/// Sitemaps, each with the number of indexes above it.
type Sitemaps = Vec<(u32, Vec<String>)>;

/// The part of a batch that belongs to this node.
#[derive(Default)]
struct Sifted {
    accepted: Vec<ScheduledUrl>,
    duplicates: u64,
    sitemaps: Sitemaps,
}

/// The engine of one session.
pub(super) struct FleetEngine {
    pub(super) frontier: FrontierHandle,
    pub(super) hosts: HostsHandle,
    /// `None` if the state is not persisted.
    pub(super) state: Option<StateHandle>,
    pub(super) remembered: Option<RememberedHosts>,
    pub(super) territory: Arc<PartitionOwnership>,
    pub(super) seen: Arc<SeenUrls>,
    pub(super) ledger: Arc<Mutex<Ledger>>,
    pub(super) commits: Arc<CommitTracker>,
    pub(super) metrics: Arc<FleetMetrics>,
    /// `None` if each node learns by itself.
    pub(super) policy: Option<SharedPolicy>,
    pub(super) searches: Option<Arc<Searches>>,
    /// Held while partitions change hands and while a batch is taken in: a batch comes entirely before or after a
    /// change, in the frontier too.
    pub(super) gate: tokio::sync::Mutex<()>,
}

impl FleetEngine {
    /// Restores what is known of a partition to the stages. Returns the numbers of accepted URLs of its hosts, and its
    /// sitemaps that are still to be read.
    fn recall(&self, known: &mut PartitionState) -> (Vec<(HostKey, u64)>, Sitemaps) {
        let waiting = known.waiting.iter().map(|item| item.url.fingerprint());
        for url in known.ended.iter().copied().chain(waiting) {
            self.seen.insert(url);
            // It has come back already: from the exchange it would come a second time.
            self.territory.was_relinquished(url);
        }
        let mut past = Past::default();
        let mut unreadable = past.take_notes(std::mem::take(&mut known.notes));
        for (host, memory) in std::mem::take(&mut known.hosts) {
            let politeness = recollection(&memory);
            unreadable += u64::from(politeness.is_none());
            past.hosts.entry(host).or_default().politeness = politeness;
        }
        if unreadable > 0 {
            tracing::error!(
                records = unreadable,
                "the fleet's state of hosts cannot be read; their pace is reset, and their robots.txt is fetched again"
            );
        }
        if let Some(remembered) = &self.remembered {
            remembered.lock().extend(past.hosts);
        }
        (past.admitted, past.sitemaps.into_iter().collect())
    }

    async fn take_one(&self, partition: Partition, mut known: PartitionState) {
        let _gate = self.gate.lock().await;
        self.commits.loads.took(partition, &known);
        let (admitted, sitemaps) = self.recall(&mut known);
        self.territory.hold(partition);
        let mut waiting = known.waiting;
        waiting.iter_mut().for_each(|item| self.reclassify(item));
        let mut admitted = Some(admitted);
        while !waiting.is_empty() || admitted.is_some() {
            let remaining = waiting.split_off(waiting.len().min(TAKEN_AT_ONCE));
            let accepted = std::mem::replace(&mut waiting, remaining);
            let admitted = if waiting.is_empty() { admitted.take().unwrap_or_default() } else { Vec::new() };
            self.frontier.send(TakeOver { waiting: accepted, admitted });
        }
        self.hosts.hand_out_sitemaps(sitemaps);
    }

    /// Returns a predicate for the hosts of these partitions.
    fn hosts(&self, partitions: &[Partition]) -> Arc<Hosts> {
        let (all, these) = (self.territory.partitions().clone(), partitions.to_vec());
        Arc::new(move |host| these.contains(&all.of(host)))
    }

    /// Waits until no work for these hosts is in progress. Nothing new is started, so the wait ends.
    async fn until_quiet(&self, hosts: &Arc<Hosts>) {
        loop {
            match self.frontier.leases_of(LeasesOf(Arc::clone(hosts))).await {
                Some(0) if self.hosts.requests_of(Arc::clone(hosts)).await == 0 => return,
                // The actor is gone: the crawl is over.
                None => return,
                Some(_) => tokio::time::sleep(LOOK_EVERY).await,
            }
        }
    }

    async fn drop_partitions(&self, partitions: &[Partition], hosts: Arc<Hosts>) {
        let _gate = self.gate.lock().await;
        partitions.iter().for_each(|partition| self.territory.release(*partition));
        let released = partitions.iter().map(|partition| partition.0).collect();
        let fleet_effects = Box::new(FleetEffects { released, ..FleetEffects::default() });
        self.frontier.send(DropHosts { hosts: Arc::clone(&hosts), fleet_effects });
        self.hosts.retire(hosts);
    }

    /// Gives a URL from another node the class that it has here. If all nodes share one policy, its clusters are the
    /// same everywhere, and its patterns are those of the current snapshot here. Queries and their results precede all
    /// else.
    fn reclassify(&self, item: &mut ScheduledUrl) {
        let is_awaited = self.searches.as_ref().is_some_and(|searches| searches.awaits(item));
        item.priority = if is_awaited { Priority::Pinned } else { Priority::Normal };
        match &self.policy {
            Some(policy) => item.class = policy.class_of(item),
            // Each node has clusters of its own.
            None => item.class = item.class.on(ClusterId::UNKNOWN),
        }
    }

    /// Selects what belongs to this node from a batch, and what of that is new.
    fn sift(&self, links: Vec<ScheduledUrl>) -> Sifted {
        let (mut sifted, arrived) = (Sifted::default(), &self.metrics.arrived);
        for mut item in links {
            if !self.territory.accepts_links_of(item.url.origin()) {
                arrived.by("elsewhere").inc();
                continue;
            }
            if let Some(nesting) = item.as_sitemap() {
                arrived.by("sitemap").inc();
                sifted.sitemaps.push((nesting, vec![item.url.as_str().to_owned()]));
                continue;
            }
            let url = item.url.fingerprint();
            if self.seen.insert(url) || self.territory.was_relinquished(url) {
                arrived.by("new").inc();
                self.reclassify(&mut item);
                sifted.accepted.push(item);
            } else {
                arrived.by("duplicate").inc();
                sifted.duplicates += 1;
            }
        }
        sifted
    }
}

impl Engine for FleetEngine {
    fn take<'a>(&'a self, partitions: Vec<(Partition, PartitionState)>) -> BoxFuture<'a, ()> {
        Box::pin(async move {
            for (partition, known) in partitions {
                self.take_one(partition, known).await;
            }
        })
    }

    fn release<'a>(&'a self, partitions: &'a [Partition]) -> BoxFuture<'a, ()> {
        Box::pin(async move {
            partitions.iter().for_each(|partition| self.territory.begin_release(*partition));
            let hosts = self.hosts(partitions);
            self.until_quiet(&hosts).await;
            self.drop_partitions(partitions, hosts).await;
            self.commits.released(partitions).await;
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
            self.commits.take_room().await;
            let _gate = self.gate.lock().await;
            let Sifted { accepted, duplicates, sitemaps } = self.sift(links);
            let mut settled = Fates::default();
            settled.add(Fate::Duplicate, duplicates);
            let arrived = Some(Arrival { shard, sequence, in_order: !catching_up });
            let effects = Box::new(FleetEffects { arrived, ..FleetEffects::default() });
            let links = DiscoveredLinks { settled, accepted, ..DiscoveredLinks::default() };
            self.frontier.send(FleetEvent { links, effects });
            self.hosts.hand_out_sitemaps(sitemaps);
        })
    }

    fn caught_up<'a>(&'a self, partitions: &'a [Partition]) -> BoxFuture<'a, ()> {
        Box::pin(async move {
            let taken = partitions.iter().map(|partition| partition.0).collect();
            let effects = Box::new(FleetEffects { taken, ..FleetEffects::default() });
            self.frontier.send(FleetEvent { links: DiscoveredLinks::default(), effects });
            self.commits.taken(partitions).await;
        })
    }

    fn status(&self) -> EngineStatus {
        // What is pending is read first: what leaves it later is seen in the frontier's figures or the other way
        // round, but never in neither.
        let proposed = self.policy.as_ref().map_or(0, SharedPolicy::pending);
        let pending = self.state.as_ref().map_or(0, StateHandle::pending);
        let (waiting, under_way, activity) = self.frontier.activity().now();
        let under_way = under_way + pending + proposed + u64::from(self.commits.hands_back());
        let (positions, ledger) = (self.commits.positions(), self.ledger.lock().clone());
        EngineStatus { waiting, under_way, activity, positions, known: self.commits.loads.now(), ledger }
    }
}
