//! Bans and pins as an adjustment of what a policy decides.

use std::sync::Arc;

use super::{LeadsTo, Sign, Steering};
use crate::{Adjustment, Link, PolicySnapshot};
use harvestman_core::model::{Admission, LinkClass, PolicyRefusal, Priority, UrlPattern};

/// Rejects what is banned and puts first what is pinned, whatever the policy decides.
pub struct BansAndPins {
    steering: Arc<Steering>,
    leads: Arc<LeadsTo>,
    generation: u64,
}

impl BansAndPins {
    /// What is banned and pinned, and where links lead. `generation` grows when either changes.
    pub const fn new(steering: Arc<Steering>, leads: Arc<LeadsTo>, generation: u64) -> Self {
        Self { steering, leads, generation }
    }

    fn sign(&self, policy: &dyn PolicySnapshot, class: LinkClass, url: &str) -> Sign {
        let known = class.pattern != UrlPattern::NONE;
        let pattern = if known { class.pattern } else { policy.pattern(url) };
        self.steering.sign(class, pattern, url, &self.leads)
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
        match self.sign(policy, class, url) {
            Sign::Banned => Admission::Reject(PolicyRefusal::Banned),
            Sign::Pinned => Admission::Queue(class, Priority::Pinned),
            Sign::Free => admission,
        }
    }

    fn generation(&self) -> u64 {
        self.generation
    }
}
