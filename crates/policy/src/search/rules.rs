//! What a crawl with searches decides beside its policy.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::result_sites::kind_of;
use crate::{Adjustment, Link, PolicySnapshot, StoredSnapshot};
use harvestman_core::model::{Admission, PolicyRefusal, Priority};
use harvestman_core::url::{SearchTemplate, origin_of};

/// Rejects links to sites that are left, and results on sites, or of kinds, that are passed over. Queries and their
/// results come before all else, whatever the policy decides, also when they are asked about again: the next query
/// waits for them. Only queries to sites' own searches may come last.
pub(crate) struct SearchRules {
    /// The searches whose queries and results have a priority of their own.
    searches: SearchTemplates,
    left: Sites,
    /// Origins and kinds.
    passed_over: Sites,
    version: u64,
}

/// The origins of sites.
type Sites = Arc<BTreeSet<Box<str>>>;

/// Where searches answer.
#[derive(Clone, Default)]
pub(crate) struct SearchTemplates {
    /// Those that the user named.
    pub(crate) named: Arc<[SearchTemplate]>,
    /// Those of the seeds' own sites, whose answers other pages may link to.
    pub(crate) own: Arc<[SearchTemplate]>,
    /// Whether queries to these come after all else.
    pub(crate) own_last: bool,
}

impl SearchTemplates {
    fn is_named(&self, url: &str) -> bool {
        self.named.iter().any(|template| template.is_answer(url))
    }

    fn is_own(&self, url: &str) -> bool {
        self.own.iter().any(|template| template.is_answer(url))
    }

    /// Returns when a query or its result is fetched; `None`: it is neither.
    fn priority(&self, link: &Link<'_>) -> Option<Priority> {
        let url = link.url()?;
        // A query was found on no page.
        let via = link.via().filter(|via| *via != url);
        if via.map_or_else(|| self.is_named(url), |via| self.is_named(via) || self.is_own(via) || self.is_named(url)) {
            Some(Priority::Pinned)
        } else if via.is_none() && self.is_own(url) {
            Some(if self.own_last { Priority::Last } else { Priority::Pinned })
        } else {
            None
        }
    }
}

impl SearchRules {
    /// Creates the rules for these searches, the sites that are left, and those that are passed over. `version` grows
    /// when any of these changes.
    pub(crate) fn new(searches: SearchTemplates, left: Sites, passed_over: Sites, version: u64) -> Self {
        Self { searches, left, passed_over, version }
    }

    /// Whether a link is a result that is new and on a site, or of a kind, that is passed over. One that waits is
    /// waited for. A site's own search leads to that site alone, which is passed over by kinds only.
    fn passes_over(&self, link: &Link<'_>) -> bool {
        let Link::New { url, via, .. } = link else { return false };
        let is_over = |key: &str| self.passed_over.contains(key);
        if self.passed_over.is_empty() {
            false
        } else if self.searches.is_named(via) {
            is_over(origin_of(url)) || is_over(&kind_of(url))
        } else {
            self.searches.is_own(via) && via != url && is_over(&kind_of(url))
        }
    }
}

impl Adjustment for SearchRules {
    fn adjust(&self, _: &dyn PolicySnapshot, link: &Link<'_>, admission: Admission) -> Admission {
        match link.url() {
            Some(url) if !self.left.is_empty() && self.left.contains(origin_of(url)) => {
                Admission::Reject(PolicyRefusal::PoorSite)
            }
            _ if self.passes_over(link) => Admission::Reject(PolicyRefusal::PoorSite),
            _ => match self.searches.priority(link) {
                Some(priority) => Admission::Queue(link.class(), priority),
                None => admission,
            },
        }
    }

    fn generation(&self) -> u64 {
        self.version
    }

    fn stored_with(&self, snapshot: StoredSnapshot) -> Option<StoredSnapshot> {
        Some(StoredSnapshot { left_sites: self.left.iter().cloned().collect(), ..snapshot })
    }
}
