//! What the policy publishes.

use std::collections::HashMap;
use std::sync::Arc;

use foldhash::fast::FixedState;

use super::learnt::{Learnt, class_cluster};
use super::places::Closed;
use super::sampling::Classes;
use crate::{Link, PolicySnapshot};
use harvestman_core::model::{
    Admission, Apath, ClassOrder, ClassTokens, ClusterId, LeafPath, LinkClass, PageCluster, PolicyRefusal, UrlPattern,
};
use harvestman_core::url::Fingerprint;

/// The score of redirects: following one belongs to the fetch that met it.
const REDIRECTS: f64 = 3e9;
/// The score of seeds.
const SEEDS: f64 = 2e9;
/// The score of what was chosen first; what was chosen later follows, each one less.
const CHOSEN: f64 = 1e9;
/// Of so many pages one has all its links looked at.
const PROBES: u128 = 32;

/// Clusters of the pages that are remembered.
pub type Clusters = HashMap<Fingerprint, ClusterId, FixedState>;

/// Which part of the crawl this is.
pub enum Stage {
    /// The sample is taken.
    Sampling,
    /// The sample was of no use.
    BreadthFirst,
    /// Links are refused by what was learnt.
    Filtering {
        /// What was learnt.
        learnt: Arc<Learnt>,
        /// Places that have long led to nothing new, and those where all links are refused by what was learnt.
        closed: Arc<Closed>,
        /// Clusters of the pages that are remembered.
        clusters: Arc<Clusters>,
    },
}

/// The state of the policy at one moment.
pub struct ClusterGraphSnapshot {
    pub(super) version: u64,
    pub(super) generation: u64,
    pub(super) patterns_version: u64,
    /// What is chosen while the sample is taken.
    pub(super) chosen: Arc<Classes>,
    pub(super) stage: Stage,
    /// Whether some pages have all their links looked at.
    pub(super) probes: bool,
}

impl ClusterGraphSnapshot {
    fn learnt(&self) -> Option<&Learnt> {
        match &self.stage {
            Stage::Filtering { learnt, .. } => Some(learnt),
            Stage::Sampling | Stage::BreadthFirst => None,
        }
    }

    /// Why all links at the place of a class are rejected. Those of probes are looked at one by one.
    fn place_refusal(&self, class: LinkClass) -> Option<PolicyRefusal> {
        let Stage::Filtering { closed, .. } = &self.stage else { return None };
        let is_place = !class.probe && !matches!(class.apath, Apath::SEED | Apath::REDIRECT);
        if is_place { closed.refusal(class.cluster, class.apath) } else { None }
    }

    /// Why links of a class whose pattern is known are rejected.
    fn class_refusal(&self, class: LinkClass) -> Option<PolicyRefusal> {
        self.learnt()?.refusal(class).filter(|_| class.pattern != UrlPattern::NONE)
    }
}

impl ClassOrder for ClusterGraphSnapshot {
    fn score(&self, class: LinkClass) -> f64 {
        match (&self.stage, class.apath) {
            (Stage::BreadthFirst, _) => 0.0,
            (Stage::Sampling, Apath::REDIRECT) => REDIRECTS,
            (Stage::Sampling, Apath::SEED) => SEEDS,
            (Stage::Sampling, _) if class.pattern == UrlPattern::NONE => 0.0,
            (Stage::Sampling, _) => CHOSEN - class.pattern.fine.0 as f64,
            // Only what was accepted by an older snapshot can be refused and wait.
            (Stage::Filtering { .. }, _) => -f64::from(u8::from(self.class_refusal(class).is_some())),
        }
    }
}

impl PolicySnapshot for ClusterGraphSnapshot {
    fn version(&self) -> u64 {
        self.version
    }

    fn admit(&self, link: &Link<'_>) -> Admission {
        let class = link.class();
        link.unless(match link {
            Link::Place(_) => self.place_refusal(class),
            Link::Class(_) if class.pattern == UrlPattern::NONE => self.place_refusal(class),
            Link::Class(_) | Link::Waiting { .. } => self.class_refusal(class),
            Link::New { .. } => self.place_refusal(class).or_else(|| self.class_refusal(class)),
        })
    }

    fn cluster(&self, bag: &[LeafPath]) -> ClusterId {
        self.learnt().map_or(ClusterId::UNKNOWN, |learnt| learnt.kinds().template(bag))
    }

    fn page_cluster(&self, waited: LinkClass, url: &str, bag: &[LeafPath]) -> PageCluster {
        let Some(learnt) = self.learnt() else { return PageCluster::default() };
        let cluster = class_cluster(learnt.kinds().of_fetched(waited.pattern.fine, url, bag));
        PageCluster { cluster, probe: self.probes && Fingerprint::of(url).0.is_multiple_of(PROBES) }
    }

    fn class_tokens(&self) -> Option<Arc<ClassTokens>> {
        self.learnt()?.kinds().templates.as_ref().map(|templates| Arc::clone(templates.tokens()))
    }

    fn pattern(&self, url: &str) -> UrlPattern {
        self.learnt().map_or(UrlPattern::NONE, |learnt| learnt.kinds().urls.of(url))
    }

    fn generation(&self) -> u64 {
        self.generation
    }

    fn patterns_version(&self) -> u64 {
        self.patterns_version
    }

    fn class_of(&self, class: LinkClass, url: &str, via: Option<&str>) -> LinkClass {
        let given = match &self.stage {
            Stage::Sampling => self.chosen.get(&Fingerprint::of(url)).copied(),
            Stage::BreadthFirst => None,
            Stage::Filtering { learnt, clusters, .. } => {
                let cluster = via.and_then(|via| clusters.get(&Fingerprint::of(via)).copied());
                let pattern = learnt.kinds().urls.of(url);
                return class.on(cluster.map_or(class.page(), PageCluster::from)).with_pattern(pattern);
            }
        };
        let stays = matches!(class.apath, Apath::REDIRECT | Apath::SEED);
        // What the sample's marks meant is over with it.
        given.filter(|_| !stays).unwrap_or(LinkClass { pattern: UrlPattern::NONE, ..class })
    }

    fn explain(&self, class: LinkClass) -> Option<serde_json::Value> {
        self.learnt()?.explain(class)
    }

    fn describe(&self) -> Option<serde_json::Value> {
        Some(self.learnt()?.describe())
    }

    fn spell(&self, url: &str) -> Option<String> {
        self.learnt()?.kinds().urls.spell(url)
    }
}
