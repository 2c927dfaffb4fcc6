//! The policy of a node of a fleet: its observations go to the outbox, its snapshots come from the node that leads the fleet's policy; the
//! leader learns here.

use std::sync::Arc;

use arc_swap::ArcSwap;
use bytes::Bytes;
use parking_lot::Mutex;

use crate::example::reader;
use crate::make_policy::MakePolicy;
use harvestman_core::clock::Clock;
use harvestman_core::config::{Config, ParseOptions};
use harvestman_core::model::UrlPattern;
use harvestman_core::seed::Seed;
use harvestman_fleet::bus::BoxFuture;
use harvestman_fleet::policy::{Outbox, PolicyReplica, PolicySession, RetentionLimits};
use harvestman_metrics::FleetMetrics;
use harvestman_policy::follow::{
    ClassModelId, FollowerPolicy, LeaderLink, PolicyLeader, Publication, PublishedPolicy, Reader,
};
use harvestman_policy::learned::{Facts, ReadPage, SiteModel};
use harvestman_policy::{Needs, Observation, Outcome, Policy, Proposal};

/// Longer pages are not sent with what is seen of them: they are not learnt from, but for what was read of them at once.
const BODY_MAX: usize = 256 << 10;

/// The policy of one node.
pub(crate) struct NodePolicy {
    /// What the node shows its observations to, and takes snapshots from.
    pub(crate) policy: Box<dyn Policy>,
    /// The policy that all nodes of the fleet decide by; none where each learns by itself.
    pub(crate) shared: Option<SharedPolicy>,
}

/// Makes the policy of a session.
pub(super) struct FleetPolicy {
    parse: ParseOptions,
    /// The same on all nodes: a policy that is shown the same learns the same.
    seed: Seed,
    clock: Clock,
    metrics: Arc<FleetMetrics>,
}

impl FleetPolicy {
    pub(super) fn new(config: &Config, clock: &Clock, metrics: Arc<FleetMetrics>) -> Self {
        let name = format!("{} {}", config.fleet.name, config.crawl.policy.name());
        let seed = Seed(xxhash_rust::xxh3::xxh3_64(name.as_bytes()));
        Self { parse: config.parse.clone(), seed, clock: clock.clone(), metrics }
    }

    /// The policy of this node. One whose snapshots cannot be handed on learns from what this node fetches alone.
    pub(super) fn make(&self, make: &MakePolicy, own: Seed) -> NodePolicy {
        let lead = PolicyLeader::new(make(self.seed), reader(&self.parse));
        let Some(lead) = lead else {
            let policy = make(own.child("policy"));
            if policy.learns() {
                tracing::info!(
                    "what this policy learns cannot be handed on: each node learns from what it fetches itself"
                );
            }
            return NodePolicy { policy, shared: None };
        };
        let published = lead.published();
        let room = Room {
            make: Arc::clone(make),
            seed: self.seed,
            parse: self.parse.clone(),
            reader: Mutex::new(Reader::new(&published)),
            published: ArcSwap::from_pointee(published),
            lead: Mutex::new(None),
            outbox: Arc::new(Outbox::new(Arc::clone(&self.metrics))),
            clock: self.clock.clone(),
        };
        let shared = SharedPolicy(Arc::new(room));
        NodePolicy { policy: Box::new(FollowerPolicy::new(Arc::new(shared.clone()))), shared: Some(shared) }
    }
}

impl SharedPolicy {
    /// What the fleet asks of it.
    pub(super) fn session(&self) -> Arc<PolicySession> {
        PolicySession::new(Arc::new(self.clone()), Arc::clone(&self.0.outbox), RetentionLimits::default())
    }

    /// The pattern of a URL by the fleet's policy.
    pub(super) fn pattern(&self, url: &str) -> UrlPattern {
        self.0.published.load().snapshot.pattern(url)
    }
}

/// Where the policy of a fleet and the policy thread of a node meet.
#[derive(Clone)]
pub(crate) struct SharedPolicy(Arc<Room>);

struct Room {
    make: MakePolicy,
    seed: Seed,
    parse: ParseOptions,
    reader: Mutex<Reader>,
    published: ArcSwap<PublishedPolicy>,
    /// Who learns for all, where this node does.
    lead: Mutex<Option<PolicyLeader>>,
    outbox: Arc<Outbox>,
    clock: Clock,
}

/// An observation on the wire.
fn encode(mut seen: Observation, class_model: ClassModelId, needs: Needs) -> Bytes {
    if let Outcome::Page(page) = &mut seen.outcome {
        // What others on this node wanted to know.
        if !needs.gist {
            page.gist = Vec::new();
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
    // Writing to memory fails for none of these types: each knows its length.
    postcard::to_allocvec(&(class_model, seen)).unwrap_or_default().into()
}

impl Room {
    fn begin(&self) {
        // Learns from nothing: it is shown all that others were shown.
        *self.lead.lock() = PolicyLeader::new((self.make)(self.seed), reader(&self.parse));
    }

    fn show(&self, observations: &[Bytes]) {
        let mut lead = self.lead.lock();
        let Some(lead) = &mut *lead else { return };
        for observation in observations {
            match postcard::from_bytes::<(ClassModelId, Observation)>(observation) {
                Ok((class_model, seen)) => lead.show(seen, class_model),
                Err(error) => tracing::error!(%error, "an observation cannot be read; the policy is not shown it"),
            }
        }
    }

    fn publication(&self) -> Option<Bytes> {
        Some(self.lead.lock().as_mut()?.publication()?.to_bytes())
    }

    fn follow(&self, version: u64, publication: &[u8]) -> Result<(), String> {
        let publication = Publication::from_bytes(publication)?;
        let published = self.reader.lock().read(&publication, version, &self.published.load())?;
        self.published.store(Arc::new(published));
        Ok(())
    }
}

impl SharedPolicy {
    /// Learning takes its time, and nobody who serves sockets waits for it. A policy that panics costs its learning alone.
    async fn apart<T: Send + 'static>(&self, work: impl FnOnce(&Room) -> T + Send + 'static) -> Option<T> {
        let room = Arc::clone(&self.0);
        match tokio::task::spawn_blocking(move || work(&room)).await {
            Ok(done) => Some(done),
            Err(error) => {
                if error.is_panic() {
                    tracing::error!("the fleet's policy panicked; the crawl goes on by what was learnt until then");
                    *self.0.lead.lock() = None;
                }
                None
            }
        }
    }
}

impl PolicyReplica for SharedPolicy {
    fn start_leading(&self) -> BoxFuture<'_, ()> {
        Box::pin(async move { self.apart(Room::begin).await.unwrap_or_default() })
    }

    fn observe(&self, observations: Vec<Bytes>) -> BoxFuture<'_, ()> {
        Box::pin(async move { self.apart(move |room| room.show(&observations)).await.unwrap_or_default() })
    }

    fn publication(&self) -> BoxFuture<'_, Option<Bytes>> {
        Box::pin(async move { self.apart(Room::publication).await? })
    }

    fn stop_leading(&self) {
        *self.0.lead.lock() = None;
    }

    fn follow(&self, version: u64, publication: Bytes) -> BoxFuture<'_, Result<(), String>> {
        Box::pin(async move {
            let read = self.apart(move |room| room.follow(version, &publication)).await;
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
        // In a lesson nobody waits: they come with the next fetch.
        let lead = self.0.lead.try_lock();
        lead.and_then(|mut lead| Some(lead.as_mut()?.proposals())).unwrap_or_default()
    }

    fn site_model(&self, read: &mut ReadPage) -> Option<SiteModel> {
        self.0.lead.lock().as_mut()?.site_model(read)
    }

    fn site_facts(&self, read: Option<&mut ReadPage>) -> Option<Facts> {
        self.0.lead.try_lock()?.as_ref()?.site_facts(read)
    }
}

#[cfg(test)]
#[path = "policy_tests.rs"]
mod tests;
