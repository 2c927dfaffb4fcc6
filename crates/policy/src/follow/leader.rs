//! The node that learns for a whole fleet.

use super::publication::{Publication, PublishedPolicy};
use crate::learned::{Facts, ReadPage, SiteModel};
use crate::stored_snapshot::{ClassModelId, StoredSnapshot};
use crate::{Observation, Policy, PolicySnapshot, Proposal, update_observation};
use harvestman_core::url::origin_of;

/// Maximum number of derived addresses that wait to be fetched by the fleet.
const PROPOSALS_MAX: usize = 20_000;
/// Maximum number of sites that searches found.
const FOUND_SITES_MAX: usize = 1 << 12;

/// A policy that is shown the observations of all nodes in one order, and depends on nothing else.
pub struct PolicyLeader {
    policy: Box<dyn Policy>,
    /// Parses a page again that was read under another class model.
    read: Box<ReadPage>,
    /// The first snapshot of this generation.
    snapshot: std::sync::Arc<dyn PolicySnapshot>,
    class_model: ClassModelId,
    generation: u64,
    proposals: Vec<Proposal>,
    /// The start pages of the sites that searches found.
    found_sites: Vec<Box<str>>,
}

impl PolicyLeader {
    /// Leads with a policy that has seen nothing yet; `None` where its snapshots cannot be sent.
    pub fn new(mut policy: Box<dyn Policy>, read: Box<ReadPage>) -> Option<Self> {
        let snapshot = policy.snapshot();
        let class_model = snapshot.stored()?.class_model_id();
        let generation = policy.generation();
        let (proposals, found_sites) = Default::default();
        let mut leader = Self { policy, read, snapshot, class_model, generation, proposals, found_sites };
        leader.take_in();
        Some(leader)
    }

    /// What a follower decides by before the first publication.
    pub fn published(&self) -> PublishedPolicy {
        PublishedPolicy {
            snapshot: std::sync::Arc::clone(&self.snapshot),
            class_model: self.class_model,
            needs: self.policy.needs(),
            found_sites: self.found_sites.clone(),
            searches: self.policy.searches(),
            facts: self.policy.facts(),
            note: None,
        }
    }

    /// Learns from a fetch that was read under that class model.
    pub fn show(&mut self, mut seen: Observation, class_model: ClassModelId) {
        update_observation(&*self.snapshot, &mut *self.read, &mut seen, class_model != self.class_model);
        self.policy.observe(seen);
        self.take_in();
        let generation = self.policy.generation();
        if generation > self.generation {
            self.generation = generation;
            self.snapshot = self.policy.snapshot();
            self.class_model = self.snapshot.stored().unwrap_or_default().class_model_id();
        }
    }

    /// Takes from the policy what it wants to try and the sites that it has found.
    fn take_in(&mut self) {
        let room = PROPOSALS_MAX.saturating_sub(self.proposals.len());
        self.proposals.extend(self.policy.proposals().into_iter().take(room));
        for page in self.policy.found_sites() {
            let site: Box<str> = format!("{}/", origin_of(&page)).into();
            if self.found_sites.len() < FOUND_SITES_MAX && !self.found_sites.contains(&site) {
                self.found_sites.push(site);
            }
        }
    }

    /// The snapshot that the policy itself would decide by.
    #[cfg(test)]
    pub(super) fn policy_snapshot(&mut self) -> std::sync::Arc<dyn PolicySnapshot> {
        self.policy.snapshot()
    }

    /// The current publication; `None` where the snapshot cannot be sent.
    pub fn publication(&mut self) -> Option<Publication> {
        let snapshot = self.policy.snapshot();
        let stored: StoredSnapshot = snapshot.stored()?;
        Some(Publication {
            snapshot: stored,
            generation: snapshot.generation(),
            needs: self.policy.needs(),
            found_sites: self.found_sites.clone(),
            searches: self.policy.searches(),
            facts: self.policy.facts(),
            note: self.policy.note(),
        })
    }

    /// The number of addresses that the policy wants to try and that were not taken yet.
    pub const fn pending_proposals(&self) -> usize {
        self.proposals.len()
    }

    /// Takes the addresses that the policy wants to try, since the last call. Queries to searches are among them; a
    /// leader that was shown the observations of another one proposes those of that one again, in the same order.
    pub fn proposals(&mut self) -> Vec<Proposal> {
        std::mem::take(&mut self.proposals)
    }

    /// [`Policy::site_model`].
    pub fn site_model(&mut self, read: &mut ReadPage) -> Option<SiteModel> {
        self.policy.site_model(read)
    }

    /// [`Policy::site_facts`].
    pub fn site_facts(&self, read: Option<&mut ReadPage>) -> Option<Facts> {
        self.policy.site_facts(read)
    }
}
