//! The one question about a link: may it be queued, and how?
//!
//! It is asked up to four times, each time with more knowledge: of all links at a place before one of them is resolved,
//! of a class once the URL's pattern is known, of a new URL, and of a URL that waits already whenever classes have
//! changed their meaning. An early rejection spares the work of the later steps.

use std::sync::Arc;

use super::{PolicySnapshot, StoredSnapshot};
use harvestman_core::config::FilterOrder;
use harvestman_core::model::{Admission, Apath, ClassOrder, LinkClass, PageCluster, PolicyRefusal, Priority, Prospect};

/// A link, by what is known of it when a snapshot is asked ([`PolicySnapshot::admit`]).
#[derive(Debug, Clone, Copy)]
pub enum Link<'a> {
    /// All links at this Apath on pages of this cluster, before one of them is resolved.
    Place(PageCluster, Apath),
    /// Links whose URLs have the pattern of this class, at a place that was asked about before.
    Class(LinkClass),
    /// A new link.
    New {
        /// Its class, with the pattern of its URL where patterns are looked up.
        class: LinkClass,
        /// Its URL.
        url: &'a str,
        /// The page with the link.
        via: &'a str,
        /// What stands around it, as tokens ([`harvestman_structure::link_context`]), if the policy needs it.
        context: &'a [u32],
    },
    /// A URL that waits already.
    Waiting {
        /// Its class in the snapshot's generation ([`PolicySnapshot::class_of`]).
        class: LinkClass,
        /// The URL.
        url: &'a str,
        /// The page that it was discovered on.
        via: Option<&'a str>,
    },
}

impl<'a> Link<'a> {
    /// All links at the place of this class, whatever their URLs.
    #[inline]
    pub const fn at_place_of(class: LinkClass) -> Self {
        Self::Place(class.page(), class.apath)
    }

    /// The class; of a place, the one without a pattern.
    pub const fn class(&self) -> LinkClass {
        match *self {
            Self::Place(page, apath) => page.links_at(apath),
            Self::Class(class) | Self::New { class, .. } | Self::Waiting { class, .. } => class,
        }
    }

    /// The same link as one of another class.
    #[must_use]
    pub const fn with_class(self, class: LinkClass) -> Self {
        match self {
            Self::Place(..) => self,
            Self::Class(_) => Self::Class(class),
            Self::New { url, via, context, .. } => Self::New { class, url, via, context },
            Self::Waiting { url, via, .. } => Self::Waiting { class, url, via },
        }
    }

    /// The Apath of the link on its page.
    pub const fn apath(&self) -> Apath {
        match self {
            Self::Place(_, apath) => *apath,
            Self::Class(class) | Self::New { class, .. } | Self::Waiting { class, .. } => class.apath,
        }
    }

    /// The URL, once it is known.
    pub const fn url(&self) -> Option<&'a str> {
        match *self {
            Self::Place(..) | Self::Class(_) => None,
            Self::New { url, .. } | Self::Waiting { url, .. } => Some(url),
        }
    }

    /// The page with the link, where it is known.
    pub const fn via(&self) -> Option<&'a str> {
        match *self {
            Self::Place(..) | Self::Class(_) => None,
            Self::New { via, .. } => Some(via),
            Self::Waiting { via, .. } => via,
        }
    }

    /// A policy's answer: rejected for this reason, if there is one. The target of a redirect is never rejected by a
    /// policy: it stands for a page that was wanted.
    pub fn unless(&self, refusal: Option<PolicyRefusal>) -> Admission {
        match refusal {
            Some(why) if self.apath() != Apath::REDIRECT => Admission::Reject(why),
            _ => self.class().into(),
        }
    }
}

/// Decides again about a URL that waits under a class of an earlier generation.
pub fn readmit(snapshot: &dyn PolicySnapshot, class: LinkClass, url: &str, via: Option<&str>) -> Admission {
    let class = snapshot.class_of(class, url, via);
    snapshot.admit(&Link::Waiting { class, url, via })
}

/// A rule beside the policy that changes what the policy decides about links.
pub trait Adjustment: Send + Sync {
    /// Changes the decision about a link. `policy` is the snapshot that decided first. A class ([`Link::Class`]) that
    /// the policy does not reject must not be rejected here: only where a policy rejects classes they are asked about.
    fn adjust(&self, policy: &dyn PolicySnapshot, link: &Link<'_>, admission: Admission) -> Admission;

    /// Grows when URLs that wait must be asked about again.
    fn generation(&self) -> u64 {
        0
    }

    /// Adds the rule to the stored snapshot of the policy; `None` where it cannot be sent.
    fn stored_with(&self, snapshot: StoredSnapshot) -> Option<StoredSnapshot> {
        let _ = snapshot;
        None
    }
}

/// A policy's snapshot with adjustments, which are applied one after the other. It orders classes as the policy does.
pub struct AdjustedSnapshot {
    policy: Arc<dyn PolicySnapshot>,
    adjustments: Vec<Arc<dyn Adjustment>>,
}

impl AdjustedSnapshot {
    /// `snapshot` with another adjustment, which is applied before those that it has.
    pub fn new(snapshot: &Arc<dyn PolicySnapshot>, adjustment: Arc<dyn Adjustment>) -> Self {
        let (policy, others) = match snapshot.as_adjusted() {
            Some(adjusted) => (&adjusted.policy, adjusted.adjustments.as_slice()),
            None => (snapshot, [].as_slice()),
        };
        let adjustments = std::iter::once(adjustment).chain(others.iter().cloned()).collect();
        Self { policy: Arc::clone(policy), adjustments }
    }

    /// The policy's own snapshot.
    pub fn policy(&self) -> &dyn PolicySnapshot {
        &*self.policy
    }

    /// The generations of the adjustments. Each only grows, so that the sum changes with each of them.
    fn adjusted(&self) -> u64 {
        self.adjustments.iter().map(|adjustment| adjustment.generation()).sum()
    }
}

/// The snapshot for a filter of this order: where the filter does not consult the policy, the policy rejects no link.
pub fn consulted(snapshot: Arc<dyn PolicySnapshot>, filter: FilterOrder) -> Arc<dyn PolicySnapshot> {
    match filter {
        FilterOrder::GraphDup | FilterOrder::DupGraph => snapshot,
        FilterOrder::DupOnly => Arc::new(AdjustedSnapshot::new(&snapshot, Arc::new(PolicyUnheard))),
    }
}

/// Admits every link that the policy rejects.
struct PolicyUnheard;

impl Adjustment for PolicyUnheard {
    fn adjust(&self, _: &dyn PolicySnapshot, link: &Link<'_>, _: Admission) -> Admission {
        Admission::Queue(link.class(), Priority::Normal)
    }
}

impl ClassOrder for AdjustedSnapshot {
    fn score(&self, class: LinkClass) -> f64 {
        self.policy.score(class)
    }

    fn curiosity(&self, class: LinkClass) -> f64 {
        self.policy.curiosity(class)
    }

    fn recent_yield(&self) -> Option<f64> {
        self.policy.recent_yield()
    }

    fn prospect(&self, class: LinkClass) -> Option<Prospect> {
        self.policy.prospect(class)
    }
}

impl PolicySnapshot for AdjustedSnapshot {
    fn admit(&self, link: &Link<'_>) -> Admission {
        let policy = &*self.policy;
        let first = policy.admit(link);
        self.adjustments.iter().fold(first, |admission, adjustment| adjustment.adjust(policy, link, admission))
    }

    fn as_adjusted(&self) -> Option<&Self> {
        Some(self)
    }

    fn version(&self) -> u64 {
        self.policy.version()
    }

    fn generation(&self) -> u64 {
        self.policy.generation() + self.adjusted()
    }

    fn generation_at(&self, url: &str) -> u64 {
        self.policy.generation_at(url) + self.adjusted()
    }

    fn stored(&self) -> Option<StoredSnapshot> {
        let policy = self.policy.stored()?;
        self.adjustments.iter().try_fold(policy, |stored, adjustment| adjustment.stored_with(stored))
    }
}
