//! Policies: what a crawl wants. A [`Policy`] learns from every fetch and publishes immutable [`PolicySnapshot`]s, which every
//! stage reads without a lock.

pub mod baselines;
mod bfs;
pub mod learned;
mod observation;
#[cfg(test)]
mod property_tests;
pub mod source;

use std::sync::Arc;

use arc_swap::ArcSwap;

use crate::config::PolicyKind;
use crate::page::{ClassOrder, ClusterId, LeafPath, LinkClass, PolicyRefusal, UrlPattern};

pub use bfs::BreadthFirst;
pub use observation::{Needs, NewLink, Observation, Outcome, PageFacts, PlacedLink};

/// What a crawl wants, as it learns. One owner mutates it: the policy actor of a crawl, or a replay.
pub trait Policy: Send {
    /// Learns from a fetch that has ended.
    fn observe(&mut self, seen: Observation);

    /// The state of knowledge now. Its version grows with each call that follows an observation.
    fn snapshot(&mut self) -> Arc<dyn PolicySnapshot>;

    /// What observations must hold for this policy, from now on.
    fn needs(&self) -> Needs {
        Needs::default()
    }

    /// Whether it only takes a sample yet, to learn from.
    fn is_sampling(&self) -> bool {
        false
    }

    /// The same policy with what its sample taught, for a crawl that starts anew at the seeds. A sample that isn't complete has to do.
    /// None where the policy takes no separate sample.
    fn afresh(&mut self) -> Option<Box<dyn Policy>> {
        None
    }

    /// What is to be told about its state: what it has learnt, or why it cannot do what it is for.
    fn note(&self) -> Option<String> {
        None
    }
}

/// A policy's state of knowledge at one moment. A decision names the [`PolicySnapshot::version`] that it came from.
pub trait PolicySnapshot: ClassOrder {
    /// Grows by one with each published snapshot.
    fn version(&self) -> u64;

    /// Whether links of this class are wanted at all. Asked once for all links of a page at one Apath, before they are
    /// resolved, and again with the URL's pattern.
    fn refusal(&self, class: LinkClass) -> Option<PolicyRefusal> {
        let _ = class;
        None
    }

    /// The cluster of a page with this bag of leaf paths.
    fn cluster(&self, bag: &[LeafPath]) -> ClusterId {
        let _ = bag;
        ClusterId::UNKNOWN
    }

    /// The class names that leaf paths carry for this snapshot; none: plain paths.
    fn class_tokens(&self) -> Option<Arc<crate::page::ClassTokens>> {
        None
    }

    /// The pattern of a canonical URL.
    fn pattern(&self, url: &str) -> UrlPattern {
        let _ = url;
        UrlPattern::NONE
    }

    /// Grows when classes change their meaning: what waits is then put under [`PolicySnapshot::class_of`].
    fn generation(&self) -> u64 {
        0
    }

    /// The class that a URL waits under in this generation: it waited as `class`, and was discovered on `via`.
    fn class_of(&self, class: LinkClass, url: &str, via: Option<&str>) -> LinkClass {
        let _ = (url, via);
        class
    }
}

/// Where stages find the snapshot that holds now.
pub type CurrentPolicy = Arc<ArcSwap<Arc<dyn PolicySnapshot>>>;

/// The first snapshot of a policy.
pub fn first_snapshot(kind: PolicyKind) -> Arc<dyn PolicySnapshot> {
    match kind {
        PolicyKind::Bfs => Arc::new(BreadthFirst),
    }
}

/// A snapshot as the frontier's order.
pub fn order(snapshot: Arc<dyn PolicySnapshot>) -> Arc<dyn ClassOrder> {
    snapshot
}
