//! Whoever learns for all.

use super::publication::{GroundId, Publication, Taught};
use crate::learned::{Facts, ReadPage, SiteModel};
use crate::{Observation, Policy, PolicySnapshot, Proposal, StoredSnapshot, bring_up_to_date};

/// Addresses that wait to be tried, at most.
const PROPOSALS_MAX: usize = 20_000;

/// A policy that is shown what others have seen, in one order, and depends on nothing else.
pub struct Lead {
    policy: Box<dyn Policy>,
    /// Reads a page again that was read by another ground.
    read: Box<ReadPage>,
    /// The snapshot of the last lesson.
    snapshot: std::sync::Arc<dyn PolicySnapshot>,
    ground: GroundId,
    lessons: u64,
    proposals: Vec<Proposal>,
}

impl Lead {
    /// Leads with a policy that has seen nothing yet; none where its snapshots cannot be handed on.
    pub fn new(mut policy: Box<dyn Policy>, read: Box<ReadPage>) -> Option<Self> {
        let snapshot = policy.snapshot();
        let ground = snapshot.stored()?.ground_id();
        let lessons = policy.facts().lessons;
        Some(Self { policy, read, snapshot, ground, lessons, proposals: Vec::new() })
    }

    /// What a follower decides by before anything is published.
    pub fn taught(&self) -> Taught {
        Taught {
            snapshot: std::sync::Arc::clone(&self.snapshot),
            ground: self.ground,
            needs: self.policy.needs(),
            facts: self.policy.facts(),
            note: None,
        }
    }

    /// Learns from a fetch that was seen by that ground.
    pub fn show(&mut self, mut seen: Observation, ground: GroundId) {
        bring_up_to_date(&*self.snapshot, &mut *self.read, &mut seen, ground != self.ground);
        self.policy.observe(seen);
        let room = PROPOSALS_MAX.saturating_sub(self.proposals.len());
        self.proposals.extend(self.policy.proposals().into_iter().take(room));
        let lessons = self.policy.facts().lessons;
        if lessons > self.lessons {
            self.lessons = lessons;
            self.snapshot = self.policy.snapshot();
            self.ground = self.snapshot.stored().unwrap_or_default().ground_id();
        }
    }

    /// What it would decide by itself.
    #[cfg(test)]
    pub(super) fn policy_snapshot(&mut self) -> std::sync::Arc<dyn PolicySnapshot> {
        self.policy.snapshot()
    }

    /// What is published now; none where it cannot be handed on.
    pub fn publication(&mut self) -> Option<Publication> {
        let snapshot = self.policy.snapshot();
        let stored: StoredSnapshot = snapshot.stored()?;
        Some(Publication {
            snapshot: stored,
            generation: snapshot.generation(),
            needs: self.policy.needs(),
            facts: self.policy.facts(),
            note: self.policy.note(),
        })
    }

    /// Addresses that it wants to try, since the last call.
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
