//! Combines a policy's snapshots with bans and pins: the only place that publishes snapshots.
//!
//! The policy thread supplies the policy's snapshots, the control socket the bans and pins. Neither waits for the
//! other: a ban takes effect at once, even during a long model update.

use std::collections::BTreeMap;
use std::sync::Arc;

use parking_lot::Mutex;

use harvestman_core::config::FilterOrder;
use harvestman_core::model::{Apath, ClusterId, LinkClass};
use harvestman_policy::steering::{BansAndPins, Destinations, KnownCluster, PatternClusters, Steering};
use harvestman_policy::{self as policy, AdjustedSnapshot, CurrentPolicy, PolicySnapshot, readmit};
use harvestman_stages::frontier::Order;

/// The publisher of a crawl.
pub(crate) struct SnapshotPublisher {
    current: CurrentPolicy,
    /// Whether leases name the snapshots that they are decided by.
    explained: bool,
    filter: FilterOrder,
    state: Mutex<State>,
}

struct State {
    inner: Arc<dyn PolicySnapshot>,
    steering: Arc<Steering>,
    destinations: Destinations,
    leads: Arc<PatternClusters>,
    /// Grows with each change of the steering or of what it means; 0 until the first.
    generation: u64,
}

impl State {
    /// Moves the remembered pages to the clusters that the policy gives them now: a model update may have changed
    /// these.
    fn recluster(&mut self) {
        let inner = Arc::clone(&self.inner);
        // The class of a link has the cluster of its page; here a page represents such a link.
        let now = |url: &str, was: ClusterId| {
            let link = LinkClass::at(was, Apath::DERIVED);
            inner.class_of(link, url, Some(url)).cluster
        };
        self.destinations.recluster(inner.patterns_version(), now, |url| inner.pattern(url));
    }
}

impl SnapshotPublisher {
    /// Creates a publisher, and publishes a policy's first snapshot.
    pub(crate) fn new(
        inner: Arc<dyn PolicySnapshot>,
        current: CurrentPolicy,
        steering: Steering,
        explained: bool,
        filter: FilterOrder,
    ) -> Self {
        let generation = u64::from(!steering.is_empty());
        let (destinations, leads) = Default::default();
        let state = State { inner, steering: Arc::new(steering), destinations, leads, generation };
        let publisher = Self { current, explained, filter, state: Mutex::new(state) };
        publisher.store(&mut publisher.state.lock());
        publisher
    }

    /// Returns the frontier's order by the current snapshot.
    pub(crate) fn order(&self) -> Order {
        order(&self.snapshot(), self.explained)
    }

    /// Returns the current snapshot.
    pub(crate) fn snapshot(&self) -> Arc<dyn PolicySnapshot> {
        Arc::clone(&self.current.load())
    }

    /// Publishes a policy's snapshot: first to the workers, then to the frontier. Returns the published snapshot.
    pub(crate) fn publish(
        &self,
        inner: Arc<dyn PolicySnapshot>,
        to_frontier: &dyn Fn(Order),
    ) -> Arc<dyn PolicySnapshot> {
        let mut state = self.state.lock();
        let relearned = inner.generation() != state.inner.generation();
        state.inner = inner;
        if relearned {
            state.recluster();
        }
        self.follow_destinations(&mut state);
        self.send(&mut state, to_frontier)
    }

    /// Changes the bans and pins, and publishes the result.
    pub(crate) fn steer(&self, steering: Steering, to_frontier: &dyn Fn(Order)) {
        let mut state = self.state.lock();
        state.steering = Arc::new(steering);
        state.generation += 1;
        self.follow_destinations(&mut state);
        self.send(&mut state, to_frontier);
    }

    /// Records the cluster of a page.
    pub(crate) fn see(&self, url: &str, cluster: ClusterId) {
        let mut state = self.state.lock();
        let inner = Arc::clone(&state.inner);
        state.destinations.see(url, cluster, inner.patterns_version(), |url| inner.pattern(url));
    }

    /// Applies what was learned of where links lead since the last publication.
    pub(crate) fn look_again(&self) {
        let mut state = self.state.lock();
        state.recluster();
        self.follow_destinations(&mut state);
        self.store(&mut state);
    }

    /// Returns the clusters of the pages that were fetched.
    pub(crate) fn clusters(&self) -> BTreeMap<ClusterId, KnownCluster> {
        self.state.lock().destinations.clusters().clone()
    }

    /// Returns how many of a cluster's pages links are known to lead to, and how many pages it has; see
    /// [`Destinations::predicted_pages`].
    pub(crate) fn predicted_pages(&self, cluster: ClusterId) -> (usize, usize) {
        let state = self.state.lock();
        state.destinations.predicted_pages(cluster, |url| state.inner.pattern(url))
    }

    /// Returns where links lead, according to the pages that were fetched.
    pub(crate) fn leads_to(&self) -> PatternClusters {
        self.state.lock().destinations.pattern_clusters()
    }

    /// Returns the bans and pins.
    pub(crate) fn steering(&self) -> Arc<Steering> {
        Arc::clone(&self.state.lock().steering)
    }

    /// Updates what banned and pinned clusters mean: where links lead may have changed.
    fn follow_destinations(&self, state: &mut State) {
        if !state.steering.names_clusters() {
            return;
        }
        let wanted: Vec<ClusterId> = state.steering.clusters().collect();
        let leads = state.destinations.pattern_clusters().only(&wanted);
        if leads != *state.leads {
            state.leads = Arc::new(leads);
            state.generation += 1;
        }
    }

    fn send(&self, state: &mut State, to_frontier: &dyn Fn(Order)) -> Arc<dyn PolicySnapshot> {
        let snapshot = self.store(state);
        to_frontier(order(&snapshot, self.explained));
        snapshot
    }

    fn store(&self, state: &mut State) -> Arc<dyn PolicySnapshot> {
        let snapshot: Arc<dyn PolicySnapshot> = if state.generation == 0 {
            Arc::clone(&state.inner)
        } else {
            let (steering, leads) = (Arc::clone(&state.steering), Arc::clone(&state.leads));
            let adjustment = Arc::new(BansAndPins::new(steering, leads, state.generation));
            Arc::new(AdjustedSnapshot::new(&state.inner, adjustment))
        };
        let snapshot = policy::consulted(snapshot, self.filter);
        self.current.store(Arc::new(Arc::clone(&snapshot)));
        snapshot
    }
}

/// Returns the frontier's order by `snapshot`. `explained`: whether leases name the snapshot that they are decided by.
fn order(snapshot: &Arc<dyn PolicySnapshot>, explained: bool) -> Order {
    let (by, at) = (Arc::clone(snapshot), Arc::clone(snapshot));
    Order {
        scores: Arc::clone(snapshot) as _,
        version: explained.then(|| snapshot.version()),
        generation: snapshot.generation(),
        generation_at: Arc::new(move |url| at.generation_at(url)),
        readmit: Arc::new(move |class, url, via| readmit(&*by, class, url, via)),
    }
}

#[cfg(test)]
#[path = "snapshot_publisher_tests.rs"]
mod tests;
