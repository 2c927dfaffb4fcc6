//! A policy's snapshot with what people asked for laid over it.

use std::sync::Arc;

use super::{LeadsTo, Sign, Steering};
use crate::PolicySnapshot;
use harvestman_core::model::{
    Apath, ClassOrder, ClassTokens, ClusterId, LeafPath, LinkClass, PolicyRefusal, Prospect, UrlPattern,
};

/// Above all scores of policies; what is pinned keeps its order among itself.
const ABOVE_ALL: f64 = 1e10;

/// A snapshot that refuses what is banned and puts first what is pinned, whatever the policy says. The policy never meets the classes
/// of pinned links: to it they are what they were.
pub struct Steered {
    inner: Arc<dyn PolicySnapshot>,
    steering: Arc<Steering>,
    leads: Arc<LeadsTo>,
    generation: u64,
    /// Whether links are judged by the policy at all.
    asks: bool,
}

impl Steered {
    /// `inner` under `steering`. `generation` grows when either the steering or what it means changes. `asks`: whether the filter's
    /// order has links judged by the policy.
    pub fn new(
        inner: Arc<dyn PolicySnapshot>,
        (steering, leads): (Arc<Steering>, Arc<LeadsTo>),
        generation: u64,
        asks: bool,
    ) -> Self {
        Self { inner, steering, leads, generation, asks }
    }

    fn sign(&self, class: LinkClass, url: &str) -> Sign {
        let known = class.pattern != UrlPattern::NONE;
        let pattern = if known { class.pattern } else { self.inner.pattern(url) };
        self.steering.sign(class, pattern, url, &self.leads)
    }

    /// Why the policy refuses a link by its class, where that is for [`PolicySnapshot::stand`] to ask: what is pinned is known only
    /// when the URL is.
    fn refused(&self, class: LinkClass) -> Option<PolicyRefusal> {
        if self.steering.pinned.is_empty() || !self.asks {
            return None;
        }
        let place = class.with_pattern(UrlPattern::NONE);
        let redirect = class.apath == Apath::REDIRECT;
        let group = if redirect { None } else { self.inner.refusal(place) };
        let why = group.or_else(|| self.inner.refusal(class));
        why.filter(|why| !redirect || *why == PolicyRefusal::StructureTrap)
    }
}

impl ClassOrder for Steered {
    fn score(&self, class: LinkClass) -> f64 {
        let score = self.inner.score(class.unsteered());
        if !class.is_pinned() {
            return score;
        }
        ABOVE_ALL + if score.is_nan() { -1.0 } else { score / (1.0 + score.abs()) }
    }

    fn curiosity(&self, class: LinkClass) -> f64 {
        if class.is_pinned() { 0.0 } else { self.inner.curiosity(class) }
    }

    fn unwanted(&self, class: LinkClass) -> Option<PolicyRefusal> {
        self.inner.unwanted(class.unsteered())
    }

    fn recent_yield(&self) -> Option<f64> {
        self.inner.recent_yield()
    }

    fn prospect(&self, class: LinkClass) -> Option<Prospect> {
        self.inner.prospect(class.unsteered())
    }
}

impl PolicySnapshot for Steered {
    fn version(&self) -> u64 {
        self.inner.version()
    }

    fn refusal(&self, class: LinkClass) -> Option<PolicyRefusal> {
        if self.steering.pinned.is_empty() { self.inner.refusal(class.unsteered()) } else { None }
    }

    fn stand(&self, class: LinkClass, url: &str, via: &str) -> Result<LinkClass, PolicyRefusal> {
        match self.sign(class, url) {
            Sign::Banned => Err(PolicyRefusal::Banned),
            Sign::Pinned => Ok(class.pinned()),
            Sign::Free => self.refused(class).map_or_else(|| self.inner.stand(class, url, via), Err),
        }
    }

    fn refuses_standing(&self) -> bool {
        !self.steering.is_empty() || self.inner.refuses_standing()
    }

    fn let_go(&self, url: &str) {
        self.inner.let_go(url);
    }

    fn cluster(&self, bag: &[LeafPath]) -> ClusterId {
        self.inner.cluster(bag)
    }

    fn page_cluster(&self, waited: LinkClass, url: &str, bag: &[LeafPath]) -> ClusterId {
        self.inner.page_cluster(waited.unsteered(), url, bag)
    }

    fn class_tokens(&self) -> Option<Arc<ClassTokens>> {
        self.inner.class_tokens()
    }

    fn pattern(&self, url: &str) -> UrlPattern {
        self.inner.pattern(url)
    }

    fn generation(&self) -> u64 {
        // Both only grow, so that their sum changes with each of them.
        self.inner.generation() + self.generation
    }

    fn patterns_version(&self) -> u64 {
        self.inner.patterns_version()
    }

    fn class_of(&self, class: LinkClass, url: &str, via: Option<&str>) -> LinkClass {
        let class = self.inner.class_of(class.unsteered(), url, via);
        match self.sign(class, url) {
            Sign::Banned => class.banned(),
            Sign::Pinned => class.pinned(),
            Sign::Free => class,
        }
    }

    fn explain(&self, class: LinkClass) -> Option<serde_json::Value> {
        self.inner.explain(class.unsteered())
    }

    fn describe(&self) -> Option<serde_json::Value> {
        self.inner.describe()
    }

    fn spell(&self, url: &str) -> Option<String> {
        self.inner.spell(url)
    }
}
