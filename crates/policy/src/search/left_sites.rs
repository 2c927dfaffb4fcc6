//! The sites that a crawl has left, as a rule beside the policy.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::{Adjustment, Link, PolicySnapshot, StoredSnapshot};
use harvestman_core::model::{Admission, PolicyRefusal};
use harvestman_core::url::origin_of;

/// Rejects links to sites that are left.
pub(crate) struct LeftSites {
    left: Arc<BTreeSet<Box<str>>>,
    version: u64,
}

impl LeftSites {
    /// Creates the rule for these sites. `version` grows when there are further ones.
    pub(crate) const fn new(left: Arc<BTreeSet<Box<str>>>, version: u64) -> Self {
        Self { left, version }
    }
}

impl Adjustment for LeftSites {
    fn adjust(&self, _: &dyn PolicySnapshot, link: &Link<'_>, admission: Admission) -> Admission {
        match link.url() {
            Some(url) if !self.left.is_empty() && self.left.contains(origin_of(url)) => {
                Admission::Reject(PolicyRefusal::PoorSite)
            }
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
