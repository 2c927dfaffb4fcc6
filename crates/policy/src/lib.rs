//! Policies: which links a crawl wants. A [`Policy`] learns from every fetch and publishes immutable
//! [`PolicySnapshot`]s, which every stage reads without a lock.
//!
//! Internal to Harvestman, without a promise of stability: other programs use `harvestman-library`.

mod admission;
mod awaiting;
mod bfs;
mod factory;
pub mod follow;
mod guard;
pub mod learned;
mod link_memory;
mod observation;
mod observation_update;
#[cfg(test)]
mod property_tests;
pub mod search;
mod sites;
pub mod steering;
mod stored_snapshot;

use std::sync::Arc;

use arc_swap::ArcSwap;
use serde::{Deserialize, Serialize};

use harvestman_core::model::{
    Admission, ClassOrder, ClusterId, LeafPath, LinkClass, PageCluster, SearchRecord, TrapRecord, UrlPattern,
};

pub use admission::{AdjustedSnapshot, Adjustment, Link, consulted, readmit};
pub use awaiting::AwaitsExamples;
pub use bfs::BreadthFirst;
pub use factory::{
    AddedPolicies, MakeWith, PolicyInputs, ReadLinks, add_policies, make, make_learner, maker, topic_of_examples,
};
pub use guard::{GuardedPolicy, StructureGuard, Verdict, Verdicts};
pub use link_memory::LinkMemory;
pub use observation::{
    ExamplePage, Needs, NewLink, Observation, Outcome, PageFacts, PlacedLink, Proposal, ProposalKind,
};
pub use observation_update::update_observation;
pub use stored_snapshot::StoredSnapshot;

/// Learns which links a crawl wants. One owner mutates it: the policy thread of a crawl, or a replay.
///
/// A policy around another one defines [`Policy::inner`] and [`Policy::inner_mut`], and else only what it changes: all
/// other methods ask the inner policy.
pub trait Policy: Send {
    /// Learns from a fetch that has ended.
    fn observe(&mut self, seen: Observation);

    /// The current state of knowledge. Its version grows with each call that follows an observation.
    fn snapshot(&mut self) -> Arc<dyn PolicySnapshot>;

    /// The policy that this one is around.
    fn inner(&self) -> Option<&dyn Policy> {
        None
    }

    /// The same, to be changed.
    fn inner_mut(&mut self) -> Option<&mut dyn Policy> {
        None
    }

    /// Takes the addresses that no page links to and that the policy wants to try, found since the last call. They pass
    /// scope and dedup like links, and wait under [`Apath::DERIVED`](harvestman_core::model::Apath::DERIVED).
    fn proposals(&mut self) -> Vec<Proposal> {
        self.inner_mut().map(Policy::proposals).unwrap_or_default()
    }

    /// Takes the pages, found since the last call, by which searches found a site: their sites belong to the crawl from
    /// now on.
    fn found_sites(&mut self) -> Vec<Box<str>> {
        self.inner_mut().map(Policy::found_sites).unwrap_or_default()
    }

    /// Takes the searches of sites, found since the last call: their descriptions and answers are to be recognised
    /// before what is proposed is fetched.
    fn found_searches(&mut self) -> Vec<search::FoundSearch> {
        self.inner_mut().map(Policy::found_searches).unwrap_or_default()
    }

    /// Returns the queries that wait for an answer, for the start of a run: those that an earlier run sent may be lost.
    fn open_queries(&mut self) -> Vec<Proposal> {
        self.inner_mut().map(Policy::open_queries).unwrap_or_default()
    }

    /// What observations must contain for this policy from now on.
    fn needs(&self) -> Needs {
        self.inner().map(Policy::needs).unwrap_or_default()
    }

    /// Whether observations ever change what it wants. A policy that does not learn is never shown any.
    fn learns(&self) -> bool {
        self.inner().is_none_or(Policy::learns)
    }

    /// Whether its decisions are logged: where they come from what it has learned about wanted pages.
    fn is_explained(&self) -> bool {
        self.inner().map_or_else(|| self.learns(), Policy::is_explained)
    }

    /// Whether it learns on another node and only forwards observations: then a snapshot may be new though nothing was
    /// observed here, and the observations are persisted elsewhere.
    fn learns_elsewhere(&self) -> bool {
        self.inner().is_some_and(Policy::learns_elsewhere)
    }

    /// Whether a snapshot taken now may differ from the previous one.
    fn has_news(&self) -> bool {
        self.inner().is_none_or(Policy::has_news)
    }

    /// The URL forms against which measures were taken, because they grow without showing anything new.
    fn traps(&self) -> Vec<TrapRecord> {
        self.inner().map(Policy::traps).unwrap_or_default()
    }

    /// The generation of a snapshot taken now ([`PolicySnapshot::generation`]), without taking one.
    fn generation(&self) -> u64 {
        self.inner().map_or_else(|| self.facts().model_updates, Policy::generation)
    }

    /// What its searches have found; `None` if it has none.
    fn searches(&self) -> Option<SearchRecord> {
        self.inner()?.searches()
    }

    /// Figures on what it has found out so far.
    fn facts(&self) -> PolicyFacts {
        self.inner().map(Policy::facts).unwrap_or_default()
    }

    /// Whether it is still taking the sample that it learns from.
    fn is_sampling(&self) -> bool {
        self.inner().is_some_and(Policy::is_sampling)
    }

    /// The same policy with what its sample taught, for a crawl that starts again at the seeds. An incomplete sample is
    /// used as it is. `None` where the policy takes no separate sample. A policy around another one says itself how it
    /// starts again.
    fn restarted(&mut self) -> Option<Box<dyn Policy>> {
        None
    }

    /// What it has learned of the site, for another crawl to start from; `None` where the policy has no such model.
    /// `read` parses again the pages that the model was learned from; places are spelt out where `read` spells them
    /// out.
    fn site_model(&mut self, read: &mut learned::ReadPage) -> Option<learned::SiteModel> {
        self.inner_mut()?.site_model(read)
    }

    /// What it knows of the site so far, for display: with places spelt out and titles if `read` can parse pages again.
    /// `None` where it does not tell clusters of pages apart (yet). O(fetches that it remembers).
    fn site_facts(&self, read: Option<&mut learned::ReadPage>) -> Option<learned::Facts> {
        self.inner()?.site_facts(read)
    }

    /// A note on its state: what it has learned, or why it cannot do its task.
    fn note(&self) -> Option<String> {
        self.inner()?.note()
    }
}

/// Figures on what a policy has found out; 0 where a figure does not apply.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct PolicyFacts {
    /// Number of times that it has learned the site's templates, the first time included.
    pub model_updates: u64,
    /// Page templates that it knows.
    pub clusters: u64,
    /// Number of model updates that it made because the site's pages had changed.
    pub drifts: u64,
    /// Pages that it recognised as repetitions of others.
    pub duplicates: u64,
    /// Number of pages that were wanted and new when they came; `None` if it does not tell pages apart.
    pub wanted: Option<u64>,
    /// Queries that it sent to searches.
    pub queries: u64,
    /// Sites that these found.
    pub found_sites: u64,
}

impl PolicyFacts {
    /// The sums of both.
    #[must_use]
    pub fn together(self, other: Self) -> Self {
        let wanted = match (self.wanted, other.wanted) {
            (Some(one), Some(other)) => Some(one + other),
            (one, other) => one.or(other),
        };
        Self {
            model_updates: self.model_updates + other.model_updates,
            clusters: self.clusters + other.clusters,
            drifts: self.drifts + other.drifts,
            duplicates: self.duplicates + other.duplicates,
            wanted,
            queries: self.queries + other.queries,
            found_sites: self.found_sites + other.found_sites,
        }
    }
}

/// A policy's state of knowledge at one moment. A decision names the [`PolicySnapshot::version`] that it came from.
///
/// A snapshot around another one ([`AdjustedSnapshot`]) defines only what it changes: all other methods ask the inner
/// one.
pub trait PolicySnapshot: ClassOrder {
    /// Grows by one with each published snapshot.
    fn version(&self) -> u64;

    /// Decides about a link by what is known of it so far. With more knowledge a link that was admitted may still be
    /// rejected, but not the other way round. Asked about all links at one place of a page, before they are resolved;
    /// about the classes of their URLs; about each link that is not known to be a duplicate; and about URLs that wait,
    /// when classes have changed their meaning.
    fn admit(&self, link: &Link<'_>) -> Admission {
        link.class().into()
    }

    /// The snapshot itself, if it is a policy's snapshot with adjustments.
    fn as_adjusted(&self) -> Option<&AdjustedSnapshot> {
        None
    }

    /// The policy's own snapshot, if this one is around it.
    fn inner(&self) -> Option<&dyn PolicySnapshot> {
        self.as_adjusted().map(AdjustedSnapshot::policy)
    }

    /// The cluster of a page with this bag of leaf paths.
    fn cluster(&self, bag: &[LeafPath]) -> ClusterId {
        self.inner().map_or(ClusterId::UNKNOWN, |inner| inner.cluster(bag))
    }

    /// The cluster of a page, by the class that it waited under, its address and its bag of leaf paths: its links are
    /// rejected, queued and scored by it. The class may be of an earlier generation.
    fn page_cluster(&self, waited: LinkClass, url: &str, bag: &[LeafPath]) -> PageCluster {
        self.inner().map_or_else(|| self.cluster(bag).into(), |inner| inner.page_cluster(waited, url, bag))
    }

    /// The class names that the leaf paths of the page at `url` include for this snapshot; `None`: plain paths.
    fn class_tokens(&self, url: &str) -> Option<Arc<harvestman_core::model::ClassTokens>> {
        self.inner()?.class_tokens(url)
    }

    /// The pattern of a canonical URL.
    fn pattern(&self, url: &str) -> UrlPattern {
        self.inner().map_or(UrlPattern::NONE, |inner| inner.pattern(url))
    }

    /// Whether [`PolicySnapshot::pattern`] distinguishes URLs. If not, it returns [`UrlPattern::NONE`] for all of them.
    fn has_patterns(&self) -> bool {
        self.inner().is_none_or(PolicySnapshot::has_patterns)
    }

    /// Whether it rejects links by the patterns of their URLs ([`Link::Class`]). If not, the patterns of known URLs are
    /// not looked up.
    fn rejects_by_pattern(&self) -> bool {
        self.inner().map_or_else(|| self.has_patterns(), PolicySnapshot::rejects_by_pattern)
    }

    /// Grows when classes change their meaning: waiting URLs are then moved to [`PolicySnapshot::class_of`].
    fn generation(&self) -> u64 {
        0
    }

    /// Changes when the classes of URLs of the site of `url` change their meaning.
    fn generation_at(&self, url: &str) -> u64 {
        let _ = url;
        self.generation()
    }

    /// Grows when URLs change their patterns, which does not happen with every generation.
    fn patterns_version(&self) -> u64 {
        self.inner().map_or_else(|| self.generation(), PolicySnapshot::patterns_version)
    }

    /// The class of a URL in this generation: the URL waited as `class` and was discovered on `via`.
    fn class_of(&self, class: LinkClass, url: &str, via: Option<&str>) -> LinkClass {
        self.inner().map_or(class, |inner| inner.class_of(class, url, via))
    }

    /// The class in this generation of a new link that was found as `class`, with the page that it is on and what
    /// stands around it, if observations contain that.
    fn class_of_new(&self, class: LinkClass, url: &str, via: &str, context: &[u32]) -> LinkClass {
        let plain = || self.class_of(class, url, Some(via));
        self.inner().map_or_else(plain, |inner| inner.class_of_new(class, url, via, context))
    }

    /// The terms that a class's score is made of, for display; `None` where there is only the score.
    fn explain(&self, class: LinkClass) -> Option<serde_json::Value> {
        self.inner()?.explain(class)
    }

    /// What is known of the site in this generation, for display.
    fn describe(&self) -> Option<serde_json::Value> {
        self.inner()?.describe()
    }

    /// Whether the words of a page that was fetched as `class` teach the policy anything, if it needs words at all. A
    /// policy reads only a sample of the pages of a kind that it is certain of.
    fn reads_text(&self, class: LinkClass) -> bool {
        self.inner().is_none_or(|inner| inner.reads_text(class))
    }

    /// The snapshot as bytes, for other nodes to decide by; `None` where it cannot be sent.
    fn stored(&self) -> Option<StoredSnapshot> {
        None
    }

    /// The pattern of a canonical URL, spelt out.
    fn spell(&self, url: &str) -> Option<String> {
        self.inner()?.spell(url)
    }
}

/// Where stages find the current snapshot.
pub type CurrentPolicy = Arc<ArcSwap<Arc<dyn PolicySnapshot>>>;
