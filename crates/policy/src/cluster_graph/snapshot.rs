//! The snapshots of the policy.

use std::sync::Arc;

use super::learned::{LearnedGraph, class_cluster};
use super::memory::Clusters;
use super::places::ClosedPlaces;
use super::sampling::ChosenClasses;
use crate::{Link, PolicySnapshot};
use harvestman_core::model::{
    Admission, Apath, ClassOrder, ClassTokens, ClusterId, LeafPath, LinkClass, PageCluster, PatternId, PolicyRefusal,
    UrlPattern,
};
use harvestman_core::url::Fingerprint;

/// The score of redirects: following one belongs to the fetch that met it.
const REDIRECTS: f64 = 3e9;
/// The score of seeds.
const SEEDS: f64 = 2e9;
/// The score of the URL that was chosen first; each later one scores one less.
const CHOSEN: f64 = 1e9;
/// One page in this many is a probe.
const PROBES: u128 = 32;

/// The phase of the crawl.
pub enum GraphStage {
    /// The sample is being taken.
    Sampling,
    /// The sample gave no graph.
    BreadthFirst,
    /// Links are rejected by the graph.
    Filtering {
        /// The graph.
        learned: Arc<LearnedGraph>,
        /// Places that have long led to nothing new, and places where the graph rejects all links.
        closed: Arc<ClosedPlaces>,
        /// Clusters of the remembered pages.
        clusters: Arc<Clusters>,
    },
}

/// The state of the policy at one moment.
pub struct ClusterGraphSnapshot {
    pub(super) version: u64,
    pub(super) generation: u64,
    pub(super) patterns_version: u64,
    /// The chosen URLs while the sample is being taken.
    pub(super) chosen: Arc<ChosenClasses>,
    pub(super) stage: GraphStage,
    /// Whether a share of pages are probes ([`PageCluster::probe`]).
    pub(super) probes: bool,
    /// The rejected page type that a waiting URL is to be fetched of.
    pub(super) due: Option<PatternId>,
    /// Whether waiting URLs of rejected page types wait on, behind all others.
    pub(super) retains: bool,
}

impl ClusterGraphSnapshot {
    fn learned(&self) -> Option<&LearnedGraph> {
        match &self.stage {
            GraphStage::Filtering { learned, .. } => Some(learned),
            GraphStage::Sampling | GraphStage::BreadthFirst => None,
        }
    }

    /// Why all links at a place are rejected. The links of probes are judged one by one. Inlined, because
    /// with a call the benchmark of links refused by place took a fifth longer.
    #[inline(always)]
    fn place_refusal(&self, page: PageCluster, apath: Apath) -> Option<PolicyRefusal> {
        let GraphStage::Filtering { closed, .. } = &self.stage else { return None };
        let is_place = !page.probe && !matches!(apath, Apath::SEED | Apath::REDIRECT);
        if is_place { closed.refusal(page.cluster, apath) } else { None }
    }

    /// Decides about a link whose URL, or its pattern, is known.
    #[inline(never)]
    fn admit_class(&self, link: &Link<'_>) -> Admission {
        let of_place = |class: &LinkClass| self.place_refusal(class.page(), class.apath);
        link.unless(match link {
            Link::Place(page, apath) => self.place_refusal(*page, *apath),
            Link::Class(class) if class.pattern == UrlPattern::NONE => of_place(class),
            Link::Waiting { .. } if self.retains => None,
            Link::Class(class) | Link::Waiting { class, .. } => self.class_refusal(class),
            Link::New { class, .. } => of_place(class).or_else(|| self.class_refusal(class)),
        })
    }

    /// Why links of a class with a known pattern are rejected.
    fn class_refusal(&self, class: &LinkClass) -> Option<PolicyRefusal> {
        self.learned()?.refusal(class).filter(|_| class.pattern != UrlPattern::NONE)
    }
}

impl ClassOrder for ClusterGraphSnapshot {
    fn score(&self, class: LinkClass) -> f64 {
        match (&self.stage, class.apath) {
            (GraphStage::BreadthFirst, _) => 0.0,
            (GraphStage::Sampling, Apath::REDIRECT) => REDIRECTS,
            (GraphStage::Sampling, Apath::SEED) => SEEDS,
            (GraphStage::Sampling, _) if class.pattern == UrlPattern::NONE => 0.0,
            (GraphStage::Sampling, _) => CHOSEN - class.pattern.fine.0 as f64,
            // Only a link that was accepted by an older snapshot can be rejected and wait.
            (GraphStage::Filtering { .. }, _) => -f64::from(u8::from(self.class_refusal(&class).is_some())),
        }
    }

    fn curiosity(&self, class: LinkClass) -> f64 {
        f64::from(u8::from(self.due == Some(class.pattern.fine)))
    }
}

impl PolicySnapshot for ClusterGraphSnapshot {
    fn version(&self) -> u64 {
        self.version
    }

    fn admit(&self, link: &Link<'_>) -> Admission {
        // Most questions are about places: they are answered first, without a copy of a class.
        if let Link::Place(page, apath) = *link {
            let refusal = self.place_refusal(page, apath);
            return refusal.map_or_else(|| page.links_at(apath).into(), Admission::Reject);
        }
        self.admit_class(link)
    }

    fn cluster(&self, bag: &[LeafPath]) -> ClusterId {
        self.learned().map_or(ClusterId::UNKNOWN, |learned| learned.kinds().template(bag))
    }

    fn page_cluster(&self, waited: LinkClass, url: &str, bag: &[LeafPath]) -> PageCluster {
        let Some(learned) = self.learned() else { return PageCluster::default() };
        let cluster = class_cluster(learned.kinds().of_fetched(waited.pattern.fine, url, bag));
        PageCluster { cluster, probe: self.probes && Fingerprint::of(url).0.is_multiple_of(PROBES) }
    }

    fn class_tokens(&self) -> Option<Arc<ClassTokens>> {
        self.learned()?.kinds().templates.as_ref().map(|templates| Arc::clone(templates.tokens()))
    }

    fn pattern(&self, url: &str) -> UrlPattern {
        self.learned().map_or(UrlPattern::NONE, |learned| learned.kinds().urls.of(url))
    }

    fn generation(&self) -> u64 {
        self.generation
    }

    fn patterns_version(&self) -> u64 {
        self.patterns_version
    }

    fn class_of(&self, class: LinkClass, url: &str, via: Option<&str>) -> LinkClass {
        let given = match &self.stage {
            GraphStage::Sampling => self.chosen.get(&Fingerprint::of(url)).copied(),
            GraphStage::BreadthFirst => None,
            GraphStage::Filtering { learned, clusters, .. } => {
                let cluster = via.and_then(|via| clusters.get(&Fingerprint::of(via)).copied());
                let pattern = learned.kinds().urls.of(url);
                return class.on(cluster.map_or(class.page(), PageCluster::from)).with_pattern(pattern);
            }
        };
        let stays = matches!(class.apath, Apath::REDIRECT | Apath::SEED);
        // The patterns that marked chosen URLs have no meaning after the sample.
        given.filter(|_| !stays).unwrap_or(class.with_pattern(UrlPattern::NONE))
    }

    fn explain(&self, class: LinkClass) -> Option<serde_json::Value> {
        self.learned()?.explain(class)
    }

    fn describe(&self) -> Option<serde_json::Value> {
        Some(self.learned()?.describe())
    }

    fn spell(&self, url: &str) -> Option<String> {
        self.learned()?.kinds().urls.spell(url)
    }
}
