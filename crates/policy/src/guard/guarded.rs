//! A policy with the guard before it.

use std::sync::Arc;

use super::{StructureGuard, Verdict, Verdicts};
use crate::learned::{Facts, ReadPage, SiteModel};
use crate::{Needs, Observation, Policy, PolicyFacts, PolicySnapshot, Proposal};
use harvestman_core::model::{
    Apath, ClassOrder, ClassTokens, ClusterId, LeafPath, LinkClass, PolicyRefusal, Prospect, TrapRecord, UrlPattern,
};

/// A policy whose links the guard judges besides. It is shown everything; the policy, if it learns, is too. The policy never meets
/// the classes of links that the guard has put last: to it they are what they were.
pub struct Guarded {
    inner: Box<dyn Policy>,
    guard: StructureGuard,
    /// The guard's generation that a snapshot was made of last.
    published: u64,
}

impl Guarded {
    /// `inner` with a guard that has seen nothing yet.
    pub fn new(inner: Box<dyn Policy>) -> Self {
        Self { inner, guard: StructureGuard::default(), published: 0 }
    }
}

impl Policy for Guarded {
    fn observe(&mut self, mut seen: Observation) {
        self.guard.observe(&seen);
        if self.inner.learns() {
            seen.class = seen.class.unmarked();
            seen.new.iter_mut().for_each(|link| link.class = link.class.unmarked());
            self.inner.observe(seen);
        }
    }

    fn snapshot(&mut self) -> Arc<dyn PolicySnapshot> {
        self.published = self.guard.generation();
        Arc::new(GuardedSnapshot {
            inner: self.inner.snapshot(),
            verdicts: self.guard.verdicts(),
            generation: self.published,
            learns: self.inner.learns(),
        })
    }

    fn proposals(&mut self) -> Vec<Proposal> {
        self.inner.proposals()
    }

    fn needs(&self) -> Needs {
        Needs { gist: true, ..self.inner.needs() }
    }

    fn is_explained(&self) -> bool {
        self.inner.is_explained()
    }

    fn learns_elsewhere(&self) -> bool {
        self.inner.learns_elsewhere()
    }

    fn has_news(&self) -> bool {
        self.guard.generation() != self.published || (self.inner.learns() && self.inner.has_news())
    }

    fn facts(&self) -> PolicyFacts {
        self.inner.facts()
    }

    fn site_facts(&self, read: Option<&mut ReadPage>) -> Option<Facts> {
        self.inner.site_facts(read)
    }

    fn is_sampling(&self) -> bool {
        self.inner.is_sampling()
    }

    fn afresh(&mut self) -> Option<Box<dyn Policy>> {
        Some(Box::new(Self::new(self.inner.afresh()?)))
    }

    fn site_model(&mut self, read: &mut ReadPage) -> Option<SiteModel> {
        self.inner.site_model(read)
    }

    fn note(&self) -> Option<String> {
        self.inner.note()
    }

    fn traps(&self) -> Vec<TrapRecord> {
        self.guard.traps()
    }
}

/// A policy's snapshot with what the guard says.
struct GuardedSnapshot {
    inner: Arc<dyn PolicySnapshot>,
    verdicts: Arc<Verdicts>,
    generation: u64,
    /// Whether the policy knows itself what is worth little: a page that shows nothing new may be one that is wanted.
    learns: bool,
}

impl GuardedSnapshot {
    /// The class that a link which is not refused waits under.
    fn put(&self, class: LinkClass, verdict: Verdict) -> LinkClass {
        match verdict {
            Verdict::Free => class,
            Verdict::Barren if self.learns => class,
            Verdict::Barren | Verdict::Last | Verdict::Refused => class.last(),
        }
    }
}

/// A score below that of all links that are not put last, in the same order among those that are.
fn last(score: f64) -> f64 {
    const BELOW_ALL: f64 = -1e3;
    BELOW_ALL + if score.is_nan() { -1.0 } else { score / (1.0 + score.abs()) }
}

/// What a site itself lists is finite, and wanted by its own account; so are seeds, and an address that was derived is a trial anyway.
const fn may_be_refused(class: LinkClass) -> bool {
    !matches!(class.apath, Apath::SEED | Apath::SITEMAP | Apath::DERIVED)
}

impl ClassOrder for GuardedSnapshot {
    fn score(&self, class: LinkClass) -> f64 {
        let score = self.inner.score(class.unmarked());
        if class == class.unmarked() { score } else { last(score) }
    }

    fn curiosity(&self, class: LinkClass) -> f64 {
        if class == class.unmarked() { self.inner.curiosity(class) } else { 0.0 }
    }

    fn unwanted(&self, class: LinkClass) -> Option<PolicyRefusal> {
        self.inner.unwanted(class.unmarked())
    }

    fn recent_yield(&self) -> Option<f64> {
        self.inner.recent_yield()
    }

    fn prospect(&self, class: LinkClass) -> Option<Prospect> {
        self.inner.prospect(class.unmarked())
    }
}

impl PolicySnapshot for GuardedSnapshot {
    fn version(&self) -> u64 {
        self.inner.version()
    }

    fn refusal(&self, class: LinkClass) -> Option<PolicyRefusal> {
        self.inner.refusal(class.unmarked())
    }

    fn stand(&self, class: LinkClass, url: &str, via: &str) -> Result<LinkClass, PolicyRefusal> {
        let class = self.inner.stand(class, url, via)?;
        let verdict = self.verdicts.of(url, Some(via));
        if verdict == Verdict::Refused && may_be_refused(class) && !self.verdicts.count_refused(url) {
            return Err(PolicyRefusal::StructureTrap);
        }
        Ok(self.put(class, verdict))
    }

    fn refuses_standing(&self) -> bool {
        self.verdicts.refuse_any() || self.inner.refuses_standing()
    }

    fn let_go(&self, url: &str) {
        self.verdicts.count_let_go(url);
    }

    fn cluster(&self, bag: &[LeafPath]) -> ClusterId {
        self.inner.cluster(bag)
    }

    fn page_cluster(&self, waited: LinkClass, url: &str, bag: &[LeafPath]) -> ClusterId {
        self.inner.page_cluster(waited.unmarked(), url, bag)
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
        let class = self.inner.class_of(class.unmarked(), url, via);
        match self.verdicts.of(url, via) {
            Verdict::Refused if may_be_refused(class) => class.let_go(),
            verdict => self.put(class, verdict),
        }
    }

    fn explain(&self, class: LinkClass) -> Option<serde_json::Value> {
        self.inner.explain(class.unmarked())
    }

    fn describe(&self) -> Option<serde_json::Value> {
        self.inner.describe()
    }

    fn spell(&self, url: &str) -> Option<String> {
        self.inner.spell(url)
    }
}

#[cfg(test)]
#[path = "guarded_tests.rs"]
mod tests;
