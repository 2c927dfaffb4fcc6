//! What a crawl with searches decides beside its policy.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::result_sites::kind_of;
use crate::{Adjustment, Link, PolicySnapshot, StoredSnapshot};
use harvestman_core::model::{Admission, PolicyRefusal, Priority};
use harvestman_core::url::{SearchTemplate, origin_of};

/// Rejects links to sites that are left, and results on sites, or of kinds, that are passed over. Queries and their results
/// come before all else, whatever the policy decides, also when they are asked about again: the next query waits for them.
pub(crate) struct SearchRules {
    /// The searches whose queries and results come first.
    templates: Arc<[SearchTemplate]>,
    left: Sites,
    /// Origins and kinds.
    passed_over: Sites,
    version: u64,
}

/// The origins of sites.
type Sites = Arc<BTreeSet<Box<str>>>;

impl SearchRules {
    /// Creates the rules for these searches, the sites that are left, and those that are passed over. `version` grows when
    /// the sites change.
    pub(crate) fn new(templates: Arc<[SearchTemplate]>, (left, passed_over): (Sites, Sites), version: u64) -> Self {
        Self { templates, left, passed_over, version }
    }

    /// Whether a link is a result that is new and on a site that is passed over. One that waits is waited for.
    fn passes_over(&self, link: &Link<'_>) -> bool {
        match link {
            Link::New { url, via, .. } if !self.passed_over.is_empty() => {
                self.is_answer(via) && self.is_passed_over(url)
            }
            _ => false,
        }
    }

    fn is_passed_over(&self, url: &str) -> bool {
        self.passed_over.contains(origin_of(url)) || self.passed_over.contains(kind_of(url).as_str())
    }

    fn is_answer(&self, url: &str) -> bool {
        self.templates.iter().any(|template| template.is_answer(url))
    }

    fn awaits(&self, link: &Link<'_>) -> bool {
        link.url().is_some_and(|url| self.is_answer(url)) || link.via().is_some_and(|via| self.is_answer(via))
    }
}

impl Adjustment for SearchRules {
    fn adjust(&self, _: &dyn PolicySnapshot, link: &Link<'_>, admission: Admission) -> Admission {
        match link.url() {
            Some(url) if !self.left.is_empty() && self.left.contains(origin_of(url)) => {
                Admission::Reject(PolicyRefusal::PoorSite)
            }
            _ if self.passes_over(link) => Admission::Reject(PolicyRefusal::PoorSite),
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
