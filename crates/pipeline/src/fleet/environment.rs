//! The environment of a crawl that is part of a fleet.

use std::sync::Arc;

use super::commit_tracker::CommitTracker;
use super::journal::SessionJournal;
use super::log::FleetLog;
use super::policy::FleetPolicy;
use crate::policy_thread::make_policy::MakePolicy;
use crate::run::environment::{Environment, LiveEnvironment, Network, NetworkOptions};
use crate::run::state_writer::StateLog;
use harvestman_core::clock::Clock;
use harvestman_core::seed::Seed;
use harvestman_fleet::{HostOwnership, PartitionOwnership};
use harvestman_policy::Policy;
use harvestman_stages::fetch::Trust;
use harvestman_storage::store::Store;

/// The environment of a session: the real network and disk, and its fleet.
pub(crate) struct FleetEnvironment {
    pub(crate) territory: Arc<PartitionOwnership>,
    pub(crate) commits: Arc<CommitTracker>,
    pub(crate) journal: Arc<SessionJournal>,
    pub(crate) policy: Arc<FleetPolicy>,
    pub(crate) runtime: tokio::runtime::Handle,
}

impl Environment for FleetEnvironment {
    fn network(
        &self,
        options: NetworkOptions<'_>,
        clock: Clock,
        trust: Trust,
    ) -> Result<Arc<dyn Network>, harvestman_stages::fetch::Error> {
        LiveEnvironment.network(options, clock, trust)
    }

    fn ownership(&self) -> Arc<dyn HostOwnership> {
        Arc::clone(&self.territory) as _
    }

    fn has_seeds(&self) -> bool {
        false
    }

    fn has_history(&self) -> bool {
        true
    }

    fn shares_budgets(&self) -> bool {
        true
    }

    fn policy(&self, make: &MakePolicy, seed: Seed) -> Box<dyn Policy> {
        self.policy.make(make, seed)
    }

    fn state(&self, store: Store) -> Box<dyn StateLog> {
        Box::new(FleetLog {
            journal: Arc::clone(&self.journal) as _,
            store,
            partitions: self.territory.partitions().clone(),
            commits: Arc::clone(&self.commits),
            runtime: self.runtime.clone(),
        })
    }
}
