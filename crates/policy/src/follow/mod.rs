//! Policies of a fleet. One node holds the policy ([`PolicyLeader`]) and is shown the observations of all nodes; every
//! node decides by what that one publishes ([`Publication`]), through a policy that forwards observations
//! ([`FollowerPolicy`]).
//!
//! A page is parsed, and its links are classified, under the class model (templates, patterns, clusters of pages) that
//! a node has at that time; each observation names it. The leader parses pages again that were read under another class
//! model, as a single node does.

mod leader;
mod publication;
#[cfg(test)]
mod search_tests;
#[cfg(test)]
mod tests;

use std::sync::Arc;

pub use crate::stored_snapshot::{ClassModelId, StoredSnapshot};
pub use leader::PolicyLeader;
pub use publication::{Publication, PublishedPolicy, Reader};

use harvestman_core::model::SearchRecord;

use super::learned::{Facts, ReadPage, SiteModel};
use super::{Needs, Observation, Policy, PolicyFacts, PolicySnapshot, Proposal};

/// Where a follower finds publications and sends observations.
pub trait LeaderLink: Send + Sync {
    /// The current publication.
    fn published(&self) -> Arc<PublishedPolicy>;
    /// Sends a fetch that has ended, as read under this class model.
    fn show(&self, seen: Observation, class_model: ClassModelId);
    /// Takes the addresses that the policy wants to try, if the leader runs on this node; each is returned once.
    fn proposals(&self) -> Vec<Proposal>;
    /// [`Policy::site_model`], if the leader runs on this node.
    fn site_model(&self, read: &mut ReadPage) -> Option<SiteModel>;
    /// [`Policy::site_facts`], if the leader runs on this node.
    fn site_facts(&self, read: Option<&mut ReadPage>) -> Option<Facts>;
}

/// A policy that forwards observations to the leader and decides by its publications.
pub struct FollowerPolicy {
    leader: Arc<dyn LeaderLink>,
    /// The publication of the latest snapshot.
    published: Arc<PublishedPolicy>,
    /// The number of found sites that were returned.
    told: usize,
}

impl FollowerPolicy {
    /// A follower.
    pub fn new(leader: Arc<dyn LeaderLink>) -> Self {
        let published = leader.published();
        Self { leader, published, told: 0 }
    }
}

impl Policy for FollowerPolicy {
    fn observe(&mut self, seen: Observation) {
        self.leader.show(seen, self.published.class_model);
    }

    fn snapshot(&mut self) -> Arc<dyn PolicySnapshot> {
        self.published = self.leader.published();
        Arc::clone(&self.published.snapshot)
    }

    fn proposals(&mut self) -> Vec<Proposal> {
        self.leader.proposals()
    }

    /// All that were ever found, whenever there are further ones.
    fn found_sites(&mut self) -> Vec<Box<str>> {
        let published = self.leader.published();
        let known = std::mem::replace(&mut self.told, published.found_sites.len());
        if known == self.told { Vec::new() } else { published.found_sites.clone() }
    }

    fn searches(&self) -> Option<SearchRecord> {
        self.leader.published().searches.clone()
    }

    fn needs(&self) -> Needs {
        self.published.needs
    }

    fn learns_elsewhere(&self) -> bool {
        true
    }

    fn has_news(&self) -> bool {
        !Arc::ptr_eq(&self.leader.published(), &self.published)
    }

    fn facts(&self) -> PolicyFacts {
        self.leader.published().facts
    }

    fn site_model(&mut self, read: &mut ReadPage) -> Option<SiteModel> {
        self.leader.site_model(read)
    }

    fn site_facts(&self, read: Option<&mut ReadPage>) -> Option<Facts> {
        self.leader.site_facts(read)
    }

    fn note(&self) -> Option<String> {
        self.leader.published().note.clone()
    }
}
