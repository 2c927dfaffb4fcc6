//! What an operator requests of a running crawl: pages that are not wanted (banned) and pages that are wanted first
//! (pinned), regardless of the policy. [`BansAndPins`] applies these requests to a policy's snapshot.

mod bans_and_pins;
mod destinations;
mod target;
#[cfg(test)]
mod tests;

use serde::{Deserialize, Serialize};

pub use bans_and_pins::BansAndPins;
pub use destinations::{Destinations, KnownCluster, PatternClusters};
pub use target::{InvalidTarget, Target};

use harvestman_core::model::{ClusterId, LinkClass, UrlPattern};

/// Maximum number of banned targets, and of pinned ones: each is matched against each new link.
pub const TARGETS_MAX: usize = 1_000;

/// What is banned and what is pinned, each in the order of the requests.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Steering {
    /// Targets whose links are rejected.
    pub banned: Vec<Target>,
    /// Targets whose links are followed first.
    pub pinned: Vec<Target>,
}

/// What was requested for a link.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Directive {
    /// Nothing.
    Free,
    /// It is not followed.
    Banned,
    /// It is followed first.
    Pinned,
}

impl Steering {
    /// Whether nothing is banned or pinned.
    pub const fn is_empty(&self) -> bool {
        self.banned.is_empty() && self.pinned.is_empty()
    }

    /// Whether any target is a cluster of pages.
    pub fn names_clusters(&self) -> bool {
        self.all().any(|target| matches!(target, Target::Cluster(_)))
    }

    /// The clusters that are targets.
    pub fn clusters(&self) -> impl Iterator<Item = ClusterId> + '_ {
        self.all().filter_map(|target| if let Target::Cluster(cluster) = target { Some(*cluster) } else { None })
    }

    fn all(&self) -> impl Iterator<Item = &Target> {
        self.banned.iter().chain(&self.pinned)
    }

    /// What was requested for a link of this class, by its URL's pattern and where such links lead. A ban takes
    /// precedence over a pin.
    pub fn directive(
        &self,
        class: LinkClass,
        pattern: UrlPattern,
        url: &str,
        pattern_clusters: &PatternClusters,
    ) -> Directive {
        let meant = |target: &Target| target.matches_link(class, pattern, url, pattern_clusters);
        if self.banned.iter().any(meant) {
            Directive::Banned
        } else if self.pinned.iter().any(meant) {
            Directive::Pinned
        } else {
            Directive::Free
        }
    }
}
