//! A policy that is learnt elsewhere. In a fleet one node holds it ([`Lead`]) and is shown the observations of all; every node decides by
//! what that one publishes ([`Publication`]), through a policy that shows and follows ([`Follow`]).
//!
//! A page is read, and its links are classified, by the ground (templates, patterns, clusters of pages) that a node has by then; each
//! observation says which. Whoever leads reads again what came from another ground, as on one machine.

mod lead;
mod publication;
#[cfg(test)]
mod tests;

use std::sync::Arc;

pub use lead::Lead;
pub use publication::{GroundId, Publication, Reader, StoredSnapshot, Taught};

use super::learned::{Facts, ReadPage, SiteModel};
use super::{Needs, Observation, Policy, PolicyFacts, PolicySnapshot, Proposal};

/// Where a follower finds what is published, and leaves what it sees.
pub trait School: Send + Sync {
    /// What holds now.
    fn taught(&self) -> Arc<Taught>;
    /// Takes a fetch that has ended, as it is by this ground.
    fn show(&self, seen: Observation, ground: GroundId);
    /// Addresses that the policy wants to try, where it is led here; each once.
    fn proposals(&self) -> Vec<Proposal>;
    /// [`Policy::site_model`], where it is led here.
    fn site_model(&self, read: &mut ReadPage) -> Option<SiteModel>;
    /// [`Policy::site_facts`], where it is led here.
    fn site_facts(&self, read: Option<&mut ReadPage>) -> Option<Facts>;
}

/// A policy that shows what it sees to others and decides by what they publish.
pub struct Follow {
    school: Arc<dyn School>,
    /// What the last snapshot was.
    taught: Arc<Taught>,
}

impl Follow {
    /// A follower.
    pub fn new(school: Arc<dyn School>) -> Self {
        let taught = school.taught();
        Self { school, taught }
    }
}

impl Policy for Follow {
    fn observe(&mut self, seen: Observation) {
        self.school.show(seen, self.taught.ground);
    }

    fn snapshot(&mut self) -> Arc<dyn PolicySnapshot> {
        self.taught = self.school.taught();
        Arc::clone(&self.taught.snapshot)
    }

    fn proposals(&mut self) -> Vec<Proposal> {
        self.school.proposals()
    }

    fn needs(&self) -> Needs {
        self.taught.needs
    }

    fn learns_elsewhere(&self) -> bool {
        true
    }

    fn has_news(&self) -> bool {
        !Arc::ptr_eq(&self.school.taught(), &self.taught)
    }

    fn facts(&self) -> PolicyFacts {
        self.school.taught().facts
    }

    fn site_model(&mut self, read: &mut ReadPage) -> Option<SiteModel> {
        self.school.site_model(read)
    }

    fn site_facts(&self, read: Option<&mut ReadPage>) -> Option<Facts> {
        self.school.site_facts(read)
    }

    fn note(&self) -> Option<String> {
        self.school.taught().note.clone()
    }
}
