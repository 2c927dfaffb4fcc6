//! What an operator requests of a running crawl: pages that are not wanted (banned) and pages that are wanted first
//! (pinned), regardless of the policy. [`BansAndPins`] applies these requests to a policy's snapshot.

mod destinations;
mod target;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use serde::{Deserialize, Serialize};

pub use destinations::{Destinations, KnownCluster, PatternClusters};
pub use target::{InvalidTarget, Target};

use crate::{Adjustment, Link, PolicySnapshot};
use harvestman_core::model::{Admission, ClusterId, LinkClass, PolicyRefusal, Priority, UrlPattern};

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

/// Rejects what is banned and puts first what is pinned, whatever the policy decides.
pub struct BansAndPins {
    steering: Arc<Steering>,
    pattern_clusters: Arc<PatternClusters>,
    generation: u64,
}

impl BansAndPins {
    /// What is banned and pinned, and where links lead. `generation` grows when either changes.
    pub const fn new(steering: Arc<Steering>, pattern_clusters: Arc<PatternClusters>, generation: u64) -> Self {
        Self { steering, pattern_clusters, generation }
    }

    fn directive(&self, policy: &dyn PolicySnapshot, class: LinkClass, url: &str) -> Directive {
        let known = class.pattern != UrlPattern::NONE;
        let pattern = if known { class.stored_pattern() } else { policy.pattern(url) };
        self.steering.directive(class, pattern, url, &self.pattern_clusters)
    }
}

impl Adjustment for BansAndPins {
    fn adjust(&self, policy: &dyn PolicySnapshot, link: &Link<'_>, admission: Admission) -> Admission {
        let class = link.class();
        let Some(url) = link.url() else {
            // Whether a link is pinned is known only when its URL is: until then none is rejected.
            let decided = self.steering.pinned.is_empty();
            return if decided { admission } else { class.into() };
        };
        match self.directive(policy, class, url) {
            Directive::Banned => Admission::Reject(PolicyRefusal::Banned),
            Directive::Pinned => Admission::Queue(class, Priority::Pinned),
            Directive::Free => admission,
        }
    }

    fn generation(&self) -> u64 {
        self.generation
    }
}
