//! A policy together with the trap guard.

use std::sync::Arc;

use super::{StructureGuard, Verdict, Verdicts};
use crate::{AdjustedSnapshot, Adjustment, Link, Needs, Observation, Policy, PolicySnapshot};
use harvestman_core::model::{Admission, Apath, LinkClass, PolicyRefusal, Priority, TrapRecord};

/// A policy whose links the trap guard judges as well. The guard is shown every observation; the policy is too, if it
/// learns.
pub struct GuardedPolicy {
    inner: Box<dyn Policy>,
    guard: StructureGuard,
    /// The guard's generation in the latest snapshot.
    published: u64,
}

impl GuardedPolicy {
    /// `inner` with a guard that has seen nothing yet.
    pub fn new(inner: Box<dyn Policy>) -> Self {
        Self { inner, guard: StructureGuard::default(), published: 0 }
    }
}

impl Policy for GuardedPolicy {
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

    fn inner(&self) -> Option<&dyn Policy> {
        Some(&*self.inner)
    }

    fn inner_mut(&mut self) -> Option<&mut dyn Policy> {
        Some(&mut *self.inner)
    }

    fn needs(&self) -> Needs {
        Needs { gist: true, ..self.inner.needs() }
    }

    fn learns(&self) -> bool {
        true
    }

    fn generation(&self) -> u64 {
        // As that of its snapshot.
        self.inner.generation() + self.guard.generation()
    }

    fn has_news(&self) -> bool {
        self.guard.generation() != self.published || (self.inner.learns() && self.inner.has_news())
    }

    fn restarted(&mut self) -> Option<Box<dyn Policy>> {
        Some(Box::new(Self::new(self.inner.restarted()?)))
    }

    fn traps(&self) -> Vec<TrapRecord> {
        self.guard.traps()
    }
}

/// The measures against traps, as an adjustment.
struct TrapMeasures {
    verdicts: Arc<Verdicts>,
    generation: u64,
    /// Whether the policy learns by itself which links are worth little: then a page that shows nothing new may still
    /// be wanted.
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

/// Whether measures against traps may reject a link. What a site lists itself is finite and meant to be fetched; so are
/// seeds, and a derived address is only a trial.
const fn may_be_rejected(class: LinkClass) -> bool {
    !matches!(class.apath, Apath::SEED | Apath::SITEMAP | Apath::DERIVED)
}

impl Adjustment for TrapMeasures {
    /// Rejects links to traps, and gives links to barren forms the lowest priority. The rejection of a new link by
    /// others takes precedence; of a waiting URL only a ban does.
    fn adjust(&self, _: &dyn PolicySnapshot, link: &Link<'_>, admission: Admission) -> Admission {
        let (class, url, via) = match (*link, admission) {
            (_, Admission::Queue(_, Priority::Pinned) | Admission::Reject(PolicyRefusal::Banned)) => return admission,
            (Link::Place(..) | Link::Class(_), _) | (Link::New { .. }, Admission::Reject(_)) => return admission,
            (Link::New { class, url, via, .. }, _) => (class, url, Some(via)),
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
#[path = "policy_tests.rs"]
mod tests;
