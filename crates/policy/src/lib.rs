//! Policies: what a crawl wants. A [`Policy`] learns from every fetch and publishes immutable [`PolicySnapshot`]s, which every
//! stage reads without a lock.

mod admission;
mod awaiting;
pub mod baselines;
mod bfs;
pub mod cluster_graph;
mod factory;
pub mod follow;
mod guard;
pub mod learned;
mod observation;
#[cfg(test)]
mod property_tests;
mod renewal;
pub mod source;
pub mod steering;

use std::sync::Arc;

use arc_swap::ArcSwap;
use serde::{Deserialize, Serialize};

use harvestman_core::model::{
    Admission, ClassOrder, ClusterId, LeafPath, LinkClass, PageCluster, TrapRecord, UrlPattern,
};

pub use admission::{AdjustedSnapshot, Adjustment, Link, consulted, readmit};
pub use awaiting::AwaitsExample;
pub use bfs::BreadthFirst;
pub use factory::{ExamplePage, Making, make, paper_options};
pub use follow::StoredSnapshot;
pub use guard::{Guarded, StructureGuard, Verdict, Verdicts};
pub use observation::{Needs, NewLink, Observation, Outcome, PageFacts, PlacedLink, Proposal};
pub use renewal::bring_up_to_date;

/// What a crawl wants, as it learns. One owner mutates it: the policy thread of a crawl, or a replay.
pub trait Policy: Send {
    /// Learns from a fetch that has ended.
    fn observe(&mut self, seen: Observation);

    /// The state of knowledge now. Its version grows with each call that follows an observation.
    fn snapshot(&mut self) -> Arc<dyn PolicySnapshot>;

    /// Addresses that no page links to and that the policy wants to try, since the last call. They pass scope and dedup
    /// like links, and wait under [`Apath::DERIVED`](harvestman_core::model::Apath::DERIVED).
    fn proposals(&mut self) -> Vec<Proposal> {
        Vec::new()
    }

    /// What observations must hold for this policy, from now on.
    fn needs(&self) -> Needs {
        Needs::default()
    }

    /// Whether anything that it is shown ever changes what it wants. One that does not is never shown anything.
    fn learns(&self) -> bool {
        true
    }

    /// Whether its decisions are worth a log: where they come from what it has learnt of what is wanted.
    fn is_explained(&self) -> bool {
        self.learns()
    }

    /// Whether it learns somewhere else, and only shows what it sees: then a snapshot may be new though nothing was observed here, and
    /// what it is shown is kept by others.
    fn learns_elsewhere(&self) -> bool {
        false
    }

    /// Whether a snapshot taken now may differ from the one before.
    fn has_news(&self) -> bool {
        true
    }

    /// The forms of address that measures were taken against, because they grow without bringing anything new.
    fn traps(&self) -> Vec<TrapRecord> {
        Vec::new()
    }

    /// What it has found out so far, in numbers.
    fn facts(&self) -> PolicyFacts {
        PolicyFacts::default()
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

    /// What it has learnt of the site, for another crawl to start from; none where it keeps no such thing. `read` reads the pages
    /// again that it was learnt from; places are told in words where `read` spells them out.
    fn site_model(&mut self, read: &mut learned::ReadPage) -> Option<learned::SiteModel> {
        let _ = read;
        None
    }

    /// What it knows of the site by now, for people to see: with what takes reading pages again if there is a way to `read` them, which
    /// spells places out. None where it tells no kinds of pages apart (yet). O(fetches that it remembers).
    fn site_facts(&self, read: Option<&mut learned::ReadPage>) -> Option<learned::Facts> {
        let _ = read;
        None
    }

    /// What is to be told about its state: what it has learnt, or why it cannot do what it is for.
    fn note(&self) -> Option<String> {
        None
    }
}

/// What a policy has found out, in numbers; 0 where it has no such thing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct PolicyFacts {
    /// Times that it has learnt the site's templates anew.
    pub lessons: u64,
    /// Page templates that it knows.
    pub clusters: u64,
    /// Times that it did so because the site's pages had changed; these are lessons too.
    pub drifts: u64,
    /// Pages that it took for repetitions of others.
    pub duplicates: u64,
}

/// A policy's state of knowledge at one moment. A decision names the [`PolicySnapshot::version`] that it came from.
pub trait PolicySnapshot: ClassOrder {
    /// Grows by one with each published snapshot.
    fn version(&self) -> u64;

    /// Decides about a link, by what is known of it so far: with more knowledge it may be rejected after all, and never the other way
    /// round. Asked of all links at one place of a page, before they are resolved; of their URLs' classes; and of each link that is
    /// not known to be a duplicate.
    fn admit(&self, link: &Link<'_>) -> Admission {
        link.class().into()
    }

    /// The snapshot itself, where it is a policy's with adjustments.
    fn as_adjusted(&self) -> Option<&AdjustedSnapshot> {
        None
    }

    /// The cluster of a page with this bag of leaf paths.
    fn cluster(&self, bag: &[LeafPath]) -> ClusterId {
        let _ = bag;
        ClusterId::UNKNOWN
    }

    /// The cluster of a page by the class that it waited under, its address and its bag of leaf paths: what its links are refused,
    /// queued and scored by. The class may be of an earlier generation.
    fn page_cluster(&self, waited: LinkClass, url: &str, bag: &[LeafPath]) -> PageCluster {
        let _ = (waited, url);
        self.cluster(bag).into()
    }

    /// The class names that leaf paths carry for this snapshot; none: plain paths.
    fn class_tokens(&self) -> Option<Arc<harvestman_core::model::ClassTokens>> {
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

    /// Grows when URLs change their patterns, which they do not with every generation.
    fn patterns_version(&self) -> u64 {
        self.generation()
    }

    /// The class that a URL waits under in this generation: it waited as `class`, and was discovered on `via`.
    fn class_of(&self, class: LinkClass, url: &str, via: Option<&str>) -> LinkClass {
        let _ = (url, via);
        class
    }

    /// What the score of a class is made of, for people to read; none where there is no more to say than the score.
    fn explain(&self, class: LinkClass) -> Option<serde_json::Value> {
        let _ = class;
        None
    }

    /// What is known of the site in this generation, for people to read.
    fn describe(&self) -> Option<serde_json::Value> {
        None
    }

    /// The snapshot as bytes, for others to decide by; none where it cannot be handed on.
    fn stored(&self) -> Option<StoredSnapshot> {
        None
    }

    /// The pattern of a canonical URL, spelt out.
    fn spell(&self, url: &str) -> Option<String> {
        let _ = url;
        None
    }
}

/// Where stages find the snapshot that holds now.
pub type CurrentPolicy = Arc<ArcSwap<Arc<dyn PolicySnapshot>>>;
