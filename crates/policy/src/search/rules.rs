//! What a crawl with searches decides beside its policy.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::{Adjustment, Link, PolicySnapshot, StoredSnapshot};
use harvestman_core::model::{Admission, PolicyRefusal, Priority};
use harvestman_core::url::{SearchTemplate, origin_of};

/// Rejects links to sites that are left. Queries and their results come before all else, whatever the policy decides, also
/// when they are asked about again: the next query waits for them.
pub(crate) struct SearchRules {
    /// The searches whose queries and results come first.
    templates: Arc<[SearchTemplate]>,
    left: Arc<BTreeSet<Box<str>>>,
    version: u64,
}

impl SearchRules {
    /// Creates the rules for these searches and the sites that are left. `version` grows when there are further sites.
    pub(crate) const fn new(templates: Arc<[SearchTemplate]>, left: Arc<BTreeSet<Box<str>>>, version: u64) -> Self {
        Self { templates, left, version }
    }

    fn awaits(&self, link: &Link<'_>) -> bool {
        let is_answer = |url: &str| self.templates.iter().any(|template| template.is_answer(url));
        link.url().is_some_and(is_answer) || link.via().is_some_and(is_answer)
    }
}

impl Adjustment for SearchRules {
    fn adjust(&self, _: &dyn PolicySnapshot, link: &Link<'_>, admission: Admission) -> Admission {
        match link.url() {
            Some(url) if !self.left.is_empty() && self.left.contains(origin_of(url)) => {
                Admission::Reject(PolicyRefusal::PoorSite)
            }
            Some(_) if self.awaits(link) => Admission::Queue(link.class(), Priority::Pinned),
            _ => admission,
        }
    }

    fn generation(&self) -> u64 {
        self.version
    }

    fn stored_with(&self, snapshot: StoredSnapshot) -> Option<StoredSnapshot> {
        Some(StoredSnapshot { left_sites: self.left.iter().cloned().collect(), ..snapshot })
    }
}
