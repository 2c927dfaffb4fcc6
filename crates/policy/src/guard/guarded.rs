//! A policy with the guard before it.

use std::sync::Arc;

use super::{StructureGuard, Verdict, Verdicts};
use crate::learned::{Facts, ReadPage, SiteModel};
use crate::{AdjustedSnapshot, Adjustment, Link, Needs, Observation, Policy, PolicyFacts, PolicySnapshot, Proposal};
use harvestman_core::model::{Admission, Apath, LinkClass, PolicyRefusal, Priority, TrapRecord};

/// A policy whose links the guard judges as well. The guard is shown every observation; the policy, if it learns, is too.
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
    fn observe(&mut self, seen: Observation) {
        self.guard.observe(&seen);
        if self.inner.learns() {
            self.inner.observe(seen);
        }
    }

    fn snapshot(&mut self) -> Arc<dyn PolicySnapshot> {
        self.published = self.guard.generation();
        let measures = TrapMeasures {
            verdicts: self.guard.verdicts(),
            generation: self.published,
            policy_learns: self.inner.learns(),
        };
        Arc::new(AdjustedSnapshot::new(&self.inner.snapshot(), Arc::new(measures)))
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

/// The measures against traps, as an adjustment.
struct TrapMeasures {
    verdicts: Arc<Verdicts>,
    generation: u64,
    /// Whether the policy learns what is worth little itself: then a page that shows nothing new may be wanted all the same.
    policy_learns: bool,
}

impl TrapMeasures {
    /// The priority of a link that is not rejected.
    fn priority(&self, verdict: Verdict) -> Priority {
        match verdict {
            Verdict::Free => Priority::Normal,
            Verdict::Barren if self.policy_learns => Priority::Normal,
            Verdict::Barren | Verdict::Last | Verdict::Refused => Priority::Last,
        }
    }
}

/// Whether a trap's measures may reject a link. What a site lists itself is finite and wanted by its own account; so are seeds, and a
/// derived address is a trial anyway.
const fn may_be_rejected(class: LinkClass) -> bool {
    !matches!(class.apath, Apath::SEED | Apath::SITEMAP | Apath::DERIVED)
}

impl Adjustment for TrapMeasures {
    /// Rejects links to traps, and puts those that bring nothing last. Of a new link the reasons of others come first; of a URL that
    /// waits only those of operators do.
    fn adjust(&self, _: &dyn PolicySnapshot, link: &Link<'_>, admission: Admission) -> Admission {
        let (class, url, via) = match (*link, admission) {
            (_, Admission::Queue(_, Priority::Pinned) | Admission::Reject(PolicyRefusal::Banned)) => return admission,
            (Link::Place(_) | Link::Class(_), _) | (Link::New { .. }, Admission::Reject(_)) => return admission,
            (Link::New { class, url, via }, _) => (class, url, Some(via)),
            (Link::Waiting { class, url, via }, _) => (class, url, via),
        };
        let verdict = self.verdicts.of(url, via);
        if verdict == Verdict::Refused && may_be_rejected(class) {
            let is_trial = if let Link::New { .. } = link {
                self.verdicts.count_refused(url)
            } else {
                self.verdicts.count_dropped(url);
                false
            };
            if !is_trial {
                return Admission::Reject(PolicyRefusal::StructureTrap);
            }
        }
        match admission {
            Admission::Queue(class, _) => Admission::Queue(class, self.priority(verdict)),
            Admission::Reject(_) => admission,
        }
    }

    fn generation(&self) -> u64 {
        self.generation
    }
}

#[cfg(test)]
#[path = "guarded_tests.rs"]
mod tests;
