//! The policy of a node of a fleet: its observations go to the outbox, its snapshots come from the node that leads the
//! fleet's policy; the leader learns here.

use std::sync::Arc;

use arc_swap::ArcSwap;
use bytes::Bytes;
use parking_lot::Mutex;

use crate::policy_thread::example::reader;
use crate::policy_thread::make_policy::MakePolicy;
use harvestman_core::clock::Clock;
use harvestman_core::config::{Config, ParseOptions};
use harvestman_core::model::{LinkClass, ScheduledUrl};
use harvestman_core::seed::Seed;
use harvestman_fleet::bus::BoxFuture;
use harvestman_fleet::policy::{Outbox, PolicyReplica, PolicySession, RetentionLimits};
use harvestman_metrics::FleetMetrics;
use harvestman_policy::follow::{
    ClassModelId, FollowerPolicy, LeaderLink, PolicyLeader, Publication, PublishedPolicy, Reader,
};
use harvestman_policy::learned::{Facts, ReadPage, SiteModel};
use harvestman_policy::{Needs, Observation, Outcome, Policy, Proposal};

/// The maximum size of a page that is sent with its observation. A longer page is not learned from, except for what was
/// parsed of it at once.
const BODY_MAX: usize = 256 << 10;

/// Makes the policy of a session.
pub(super) struct FleetPolicy {
    parse: ParseOptions,
    /// The same on all nodes: policies with the same observations learn the same.
    seed: Seed,
    clock: Clock,
    metrics: Arc<FleetMetrics>,
    /// The policy that all nodes of the fleet decide by, once it is made; `None` if each learns by itself.
    shared: Mutex<Option<SharedPolicy>>,
}

impl FleetPolicy {
    pub(super) fn new(config: &Config, clock: &Clock, metrics: Arc<FleetMetrics>) -> Self {
        let name = format!("{} {}", config.fleet.name, config.crawl.policy.name());
        let seed = Seed(xxhash_rust::xxh3::xxh3_64(name.as_bytes()));
        Self { parse: config.parse.clone(), seed, clock: clock.clone(), metrics, shared: Mutex::default() }
    }

    /// Creates the policy of this node. A policy whose snapshots cannot be transferred learns only from what this node
    /// fetches.
    pub(super) fn make(&self, make: &MakePolicy, own: Seed) -> Box<dyn Policy> {
        let leader = PolicyLeader::new(make(self.seed), reader(&self.parse));
        let Some(leader) = leader else {
            let policy = make(own.child("policy"));
            if policy.learns() {
                tracing::info!(
                    "what this policy learns cannot be transferred: each node learns from what it fetches itself"
                );
            }
            return policy;
        };
        let published = leader.published();
        let state = SharedState {
            make: Arc::clone(make),
            seed: self.seed,
            parse: self.parse.clone(),
            reader: Mutex::new(Reader::new(&published)),
            published: ArcSwap::from_pointee(published),
            leader: Mutex::new(None),
            outbox: Arc::new(Outbox::new(Arc::clone(&self.metrics))),
            clock: self.clock.clone(),
        };
        let shared = SharedPolicy(Arc::new(state));
        *self.shared.lock() = Some(shared.clone());
        Box::new(FollowerPolicy::new(Arc::new(shared)))
    }

    /// Returns the policy that all nodes of the fleet decide by; `None` if each learns by itself.
    pub(super) fn shared(&self) -> Option<SharedPolicy> {
        self.shared.lock().clone()
    }
}

impl SharedPolicy {
    /// Returns the session of the policy in the fleet.
    pub(super) fn session(&self) -> Arc<PolicySession> {
        PolicySession::new(Arc::new(self.clone()), Arc::clone(&self.0.outbox), RetentionLimits::default())
    }

    /// Returns the class here of a link from another node.
    pub(super) fn class_of(&self, item: &ScheduledUrl) -> LinkClass {
        self.0.published.load().snapshot.class_of(item.class, item.url.as_str(), item.via.as_deref())
    }

    /// Returns the number of URLs that the policy wants to try and that wait to be taken, if it learns on this node; at
    /// least 1 while it learns.
    pub(super) fn pending(&self) -> u64 {
        // Asked by a task that must not wait for a model update.
        let Some(leader) = self.0.leader.try_lock() else { return 1 };
        leader.as_ref().map_or(0, |leader| leader.pending_proposals() as u64)
    }
}

/// Connects the policy of a fleet with the policy thread of a node.
#[derive(Clone)]
pub(crate) struct SharedPolicy(Arc<SharedState>);

struct SharedState {
    make: MakePolicy,
    seed: Seed,
    parse: ParseOptions,
    reader: Mutex<Reader>,
    published: ArcSwap<PublishedPolicy>,
    /// Learns for all nodes, if this node leads.
    leader: Mutex<Option<PolicyLeader>>,
    outbox: Arc<Outbox>,
    clock: Clock,
}

/// Encodes an observation for the wire.
fn encode(mut seen: Observation, class_model: ClassModelId, needs: Needs) -> Bytes {
    if let Outcome::Page(page) = &mut seen.outcome {
        // What only other parts of this node need.
        if !needs.gist {
            page.gist = Vec::new();
        }
        if !needs.words {
            page.text = None;
        }
        if !needs.units {
            page.units = Vec::new();
        }
        if !needs.links {
            page.links = Vec::new();
        }
        let is_wanted = |(body, _): &(Bytes, _)| needs.body && body.len() <= BODY_MAX;
        page.body = page.body.take().filter(is_wanted);
    }
    if !needs.contexts {
        seen.new.iter_mut().for_each(|link| link.context = Box::default());
    }
    // Encoding to memory does not fail for these types: each knows its length.
    postcard::to_allocvec(&(class_model, seen)).unwrap_or_default().into()
}

impl SharedState {
    fn begin(&self) {
        // Learns from scratch: it is shown everything that others were shown.
        *self.leader.lock() = PolicyLeader::new((self.make)(self.seed), reader(&self.parse));
    }

    fn show(&self, observations: &[Bytes]) {
        let mut leader = self.leader.lock();
        let Some(leader) = &mut *leader else { return };
        for observation in observations {
            match postcard::from_bytes::<(ClassModelId, Observation)>(observation) {
                Ok((class_model, seen)) => leader.show(seen, class_model),
                Err(error) => tracing::error!(%error, "an observation cannot be read and is skipped"),
            }
        }
    }

    fn publication(&self) -> Option<Bytes> {
        Some(self.leader.lock().as_mut()?.publication()?.to_bytes())
    }

    fn follow(&self, version: u64, publication: &[u8]) -> Result<(), String> {
        let publication = Publication::from_bytes(publication)?;
        let published = self.reader.lock().read(&publication, version, &self.published.load())?;
        self.published.store(Arc::new(published));
        Ok(())
    }
}

impl SharedPolicy {
    /// Runs `work` on a blocking thread, since learning takes time and must not delay tasks that serve sockets. If the
    /// policy panics, only learning ends.
    async fn run_blocking<T: Send + 'static>(
        &self,
        work: impl FnOnce(&SharedState) -> T + Send + 'static,
    ) -> Option<T> {
        let state = Arc::clone(&self.0);
        match tokio::task::spawn_blocking(move || work(&state)).await {
            Ok(done) => Some(done),
            Err(error) => {
                if error.is_panic() {
                    tracing::error!("the fleet's policy panicked; the crawl continues with the last snapshot");
                    *self.0.leader.lock() = None;
                }
                None
            }
        }
    }
}

impl PolicyReplica for SharedPolicy {
    fn start_leading(&self) -> BoxFuture<'_, ()> {
        Box::pin(async move { self.run_blocking(SharedState::begin).await.unwrap_or_default() })
    }

    fn observe(&self, observations: Vec<Bytes>) -> BoxFuture<'_, ()> {
        Box::pin(async move { self.run_blocking(move |state| state.show(&observations)).await.unwrap_or_default() })
    }

    fn publication(&self) -> BoxFuture<'_, Option<Bytes>> {
        Box::pin(async move { self.run_blocking(SharedState::publication).await? })
    }

    fn stop_leading(&self) {
        *self.0.leader.lock() = None;
    }

    fn follow(&self, version: u64, publication: Bytes) -> BoxFuture<'_, Result<(), String>> {
        Box::pin(async move {
            let read = self.run_blocking(move |state| state.follow(version, &publication)).await;
            read.unwrap_or_else(|| Err("reading it failed".to_owned()))
        })
    }
}

impl LeaderLink for SharedPolicy {
    fn published(&self) -> Arc<PublishedPolicy> {
        self.0.published.load_full()
    }

    fn show(&self, seen: Observation, class_model: ClassModelId) {
        let needs = self.0.published.load().needs;
        self.0.outbox.push(encode(seen, class_model, needs), self.0.clock.now());
    }

    fn proposals(&self) -> Vec<Proposal> {
        // No wait during a model update: they come with the next fetch.
        let leader = self.0.leader.try_lock();
        leader.and_then(|mut leader| Some(leader.as_mut()?.proposals())).unwrap_or_default()
    }

    fn site_model(&self, read: &mut ReadPage) -> Option<SiteModel> {
        self.0.leader.lock().as_mut()?.site_model(read)
    }

    fn site_facts(&self, read: Option<&mut ReadPage>) -> Option<Facts> {
        self.0.leader.try_lock()?.as_ref()?.site_facts(read)
    }
}

#[cfg(test)]
#[path = "policy_tests.rs"]
mod tests;
