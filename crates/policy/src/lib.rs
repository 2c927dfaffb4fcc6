//! Policies: which links a crawl wants. A [`Policy`] learns from every fetch and publishes immutable
//! [`PolicySnapshot`]s, which every stage reads without a lock.
//!
//! Internal to Harvestman, without a promise of stability: other programs use `harvestman-library`.

mod admission;
mod awaiting;
mod bfs;
pub mod cluster_graph;
mod example_page;
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
pub use example_page::ExamplePage;
pub use factory::{
    AddedPolicies, MakeWith, PolicyInputs, ReadLinks, add_policies, make, make_learner, maker, topic_of_examples,
};
pub use guard::{GuardedPolicy, StructureGuard, Verdict, Verdicts};
pub use link_memory::LinkMemory;
pub use observation::{Needs, NewLink, Observation, Outcome, PageFacts, PlacedLink, Proposal, ProposalKind};
pub use observation_update::update_observation;
pub use stored_snapshot::StoredSnapshot;

/// Learns which links a crawl wants. One owner mutates it: the policy thread of a crawl, or a replay.
pub trait Policy: Send {
    /// Learns from a fetch that has ended.
    fn observe(&mut self, seen: Observation);

    /// The current state of knowledge. Its version grows with each call that follows an observation.
    fn snapshot(&mut self) -> Arc<dyn PolicySnapshot>;

    /// Takes the addresses that no page links to and that the policy wants to try, found since the last call. They pass
    /// scope and dedup like links, and wait under [`Apath::DERIVED`](harvestman_core::model::Apath::DERIVED).
    fn proposals(&mut self) -> Vec<Proposal> {
        Vec::new()
    }

    /// Takes the pages, found since the last call, by which searches found a site: their sites belong to the crawl from
    /// now on.
    fn found_sites(&mut self) -> Vec<Box<str>> {
        Vec::new()
    }

    /// Takes the searches of sites, found since the last call: their descriptions and answers are to be recognised
    /// before what is proposed is fetched.
    fn found_searches(&mut self) -> Vec<search::FoundSearch> {
        Vec::new()
    }

    /// Returns the queries that wait for an answer, for the start of a run: those that an earlier run sent may be lost.
    fn open_queries(&mut self) -> Vec<Proposal> {
        Vec::new()
    }

    /// What observations must contain for this policy from now on.
    fn needs(&self) -> Needs {
        Needs::default()
    }

    /// Whether observations ever change what it wants. A policy that does not learn is never shown any.
    fn learns(&self) -> bool {
        true
    }

    /// Whether its decisions are logged: where they come from what it has learned about wanted pages.
    fn is_explained(&self) -> bool {
        self.learns()
    }

    /// Whether it learns on another node and only forwards observations: then a snapshot may be new though nothing was
    /// observed here, and the observations are persisted elsewhere.
    fn learns_elsewhere(&self) -> bool {
        false
    }

    /// Whether a snapshot taken now may differ from the previous one.
    fn has_news(&self) -> bool {
        true
    }

    /// The URL forms against which measures were taken, because they grow without showing anything new.
    fn traps(&self) -> Vec<TrapRecord> {
        Vec::new()
    }

    /// The generation of a snapshot taken now ([`PolicySnapshot::generation`]), without taking one.
    fn generation(&self) -> u64 {
        self.facts().model_updates
    }

    /// What its searches have found; `None` if it has none.
    fn searches(&self) -> Option<SearchRecord> {
        None
    }

    /// Figures on what it has found out so far.
    fn facts(&self) -> PolicyFacts {
        PolicyFacts::default()
    }

    /// Whether it is still taking the sample that it learns from.
    fn is_sampling(&self) -> bool {
        false
    }

    /// The same policy with what its sample taught, for a crawl that starts again at the seeds. An incomplete sample is
    /// used as it is. `None` where the policy takes no separate sample.
    fn restarted(&mut self) -> Option<Box<dyn Policy>> {
        None
    }

    /// What it has learned of the site, for another crawl to start from; `None` where the policy has no such model.
    /// `read` parses again the pages that the model was learned from; places are spelt out where `read` spells them
    /// out.
    fn site_model(&mut self, read: &mut learned::ReadPage) -> Option<learned::SiteModel> {
        let _ = read;
        None
    }

    /// What it knows of the site so far, for display: with places spelt out and titles if `read` can parse pages again.
    /// `None` where it does not tell clusters of pages apart (yet). O(fetches that it remembers).
    fn site_facts(&self, read: Option<&mut learned::ReadPage>) -> Option<learned::Facts> {
        let _ = read;
        None
    }

    /// A note on its state: what it has learned, or why it cannot do its task.
    fn note(&self) -> Option<String> {
        None
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

/// A policy's state of knowledge at one moment. A decision names the [`PolicySnapshot::version`] that it came from.
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

    /// The cluster of a page with this bag of leaf paths.
    fn cluster(&self, bag: &[LeafPath]) -> ClusterId {
        let _ = bag;
        ClusterId::UNKNOWN
    }

    /// The cluster of a page, by the class that it waited under, its address and its bag of leaf paths: its links are
    /// rejected, queued and scored by it. The class may be of an earlier generation.
    fn page_cluster(&self, waited: LinkClass, url: &str, bag: &[LeafPath]) -> PageCluster {
        let _ = (waited, url);
        self.cluster(bag).into()
    }

    /// The class names that leaf paths include for this snapshot; `None`: plain paths.
    fn class_tokens(&self) -> Option<Arc<harvestman_core::model::ClassTokens>> {
        None
    }

    /// The pattern of a canonical URL.
    fn pattern(&self, url: &str) -> UrlPattern {
        let _ = url;
        UrlPattern::NONE
    }

    /// Whether [`PolicySnapshot::pattern`] distinguishes URLs. If not, it returns [`UrlPattern::NONE`] for all of them.
    fn has_patterns(&self) -> bool {
        true
    }

    /// Whether it rejects links by the patterns of their URLs ([`Link::Class`]). If not, the patterns of known URLs are
    /// not looked up.
    fn rejects_by_pattern(&self) -> bool {
        self.has_patterns()
    }

    /// Grows when classes change their meaning: waiting URLs are then moved to [`PolicySnapshot::class_of`].
    fn generation(&self) -> u64 {
        0
    }

    /// Grows when URLs change their patterns, which does not happen with every generation.
    fn patterns_version(&self) -> u64 {
        self.generation()
    }

    /// The class of a URL in this generation: the URL waited as `class` and was discovered on `via`.
    fn class_of(&self, class: LinkClass, url: &str, via: Option<&str>) -> LinkClass {
        let _ = (url, via);
        class
    }

    /// The class in this generation of a new link that was found as `class`, with the page that it is on and what
    /// stands around it, if observations contain that.
    fn class_of_new(&self, class: LinkClass, url: &str, via: &str, context: &[u32]) -> LinkClass {
        let _ = context;
        self.class_of(class, url, Some(via))
    }

    /// The terms that a class's score is made of, for display; `None` where there is only the score.
    fn explain(&self, class: LinkClass) -> Option<serde_json::Value> {
        let _ = class;
        None
    }

    /// What is known of the site in this generation, for display.
    fn describe(&self) -> Option<serde_json::Value> {
        None
    }

    /// Whether the words of a page that was fetched as `class` teach the policy anything, if it needs words at all. A
    /// policy reads only a sample of the pages of a kind that it is certain of.
    fn reads_text(&self, class: LinkClass) -> bool {
        let _ = class;
        true
    }

    /// The snapshot as bytes, for other nodes to decide by; `None` where it cannot be sent.
    fn stored(&self) -> Option<StoredSnapshot> {
        None
    }

    /// The pattern of a canonical URL, spelt out.
    fn spell(&self, url: &str) -> Option<String> {
        let _ = url;
        None
    }
}

/// Where stages find the current snapshot.
pub type CurrentPolicy = Arc<ArcSwap<Arc<dyn PolicySnapshot>>>;
