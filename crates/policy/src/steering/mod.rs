//! What people ask of a running crawl: pages that they do not want (banned) and pages that they want first (pinned), whatever the
//! policy. [`BansAndPins`] applies that to a policy's snapshot.

mod adjustment;
mod destinations;
mod target;
#[cfg(test)]
mod tests;

use serde::{Deserialize, Serialize};

pub use adjustment::BansAndPins;
pub use destinations::{Destinations, KnownCluster, LeadsTo};
pub use target::{NotATarget, Target};

use harvestman_core::model::{ClusterId, LinkClass, UrlPattern};

/// Targets that may be banned, and as many that may be pinned: each is looked at for each new link.
pub const TARGETS_MAX: usize = 1_000;

/// What is banned and what is pinned, each in the order in which it was asked for.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Steering {
    /// Links that are refused.
    pub banned: Vec<Target>,
    /// Links that are followed first.
    pub pinned: Vec<Target>,
}

/// What somebody asked of a link.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sign {
    /// Nothing.
    Free,
    /// It is not to be followed.
    Banned,
    /// It comes first.
    Pinned,
}

impl Steering {
    /// Whether nothing is asked.
    pub const fn is_empty(&self) -> bool {
        self.banned.is_empty() && self.pinned.is_empty()
    }

    /// Whether anything is named by a cluster of pages.
    pub fn names_clusters(&self) -> bool {
        self.all().any(|target| matches!(target, Target::Cluster(_)))
    }

    /// The clusters that are named.
    pub fn clusters(&self) -> impl Iterator<Item = ClusterId> + '_ {
        self.all().filter_map(|target| if let Target::Cluster(cluster) = target { Some(*cluster) } else { None })
    }

    fn all(&self) -> impl Iterator<Item = &Target> {
        self.banned.iter().chain(&self.pinned)
    }

    /// What is asked of a link of this class, with its URL's pattern and where such links lead. What is both banned and pinned is
    /// banned.
    pub fn sign(&self, class: LinkClass, pattern: UrlPattern, url: &str, leads: &LeadsTo) -> Sign {
        let meant = |target: &Target| target.means(class, pattern, url, leads);
        if self.banned.iter().any(meant) {
            Sign::Banned
        } else if self.pinned.iter().any(meant) {
            Sign::Pinned
        } else {
            Sign::Free
        }
    }
}
