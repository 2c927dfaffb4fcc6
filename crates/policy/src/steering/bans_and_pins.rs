//! Bans and pins as an adjustment of what a policy decides.

use std::sync::Arc;

use super::{Directive, PatternClusters, Steering};
use crate::{Adjustment, Link, PolicySnapshot};
use harvestman_core::model::{Admission, LinkClass, PolicyRefusal, Priority, UrlPattern};

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
