//! The snapshots of the policy.

use std::sync::Arc;

use super::learned::LearnedGraph;
use super::sampling::ChosenClasses;
use harvestman_core::model::{Admission, Apath, ClassOrder, LeafPath, LinkClass, PageCluster, UrlPattern};
use harvestman_core::url::Fingerprint;
use harvestman_policy::{Link, PolicySnapshot};

/// The score of redirects: following one belongs to the fetch that met it.
const REDIRECTS: f64 = 3e9;
/// The score of seeds.
const SEEDS: f64 = 2e9;
/// The score of the URL that was chosen first; each later one scores one less.
const CHOSEN: f64 = 1e9;

/// The phase of the crawl.
pub(super) enum GraphStage {
    /// The sample is being taken: the chosen URLs.
    Sampling(Arc<ChosenClasses>),
    /// The sample gave no graph.
    BreadthFirst,
    /// Links are rejected by the graph.
    Filtering(Arc<LearnedGraph>),
}

/// The state of the policy at one moment.
pub(super) struct ClusterGraphSnapshot {
    pub version: u64,
    pub generation: u64,
    pub stage: GraphStage,
}

impl ClusterGraphSnapshot {
    fn learned(&self) -> Option<&LearnedGraph> {
        match &self.stage {
            GraphStage::Filtering(learned) => Some(learned),
            GraphStage::Sampling(_) | GraphStage::BreadthFirst => None,
        }
    }
}

impl ClassOrder for ClusterGraphSnapshot {
    fn score(&self, class: LinkClass) -> f64 {
        match (&self.stage, class.apath) {
            (GraphStage::BreadthFirst, _) => 0.0,
            (GraphStage::Sampling(_), Apath::REDIRECT) => REDIRECTS,
            (GraphStage::Sampling(_), Apath::SEED) => SEEDS,
            (GraphStage::Sampling(_), _) if class.pattern == UrlPattern::NONE => 0.0,
            (GraphStage::Sampling(_), _) => CHOSEN - class.pattern.fine.0 as f64,
            // Only a link that was accepted by an older snapshot can be rejected and wait.
            (GraphStage::Filtering(learned), _) => -f64::from(u8::from(learned.refusal(class).is_some())),
        }
    }
}

impl PolicySnapshot for ClusterGraphSnapshot {
    fn version(&self) -> u64 {
        self.version
    }

    fn admit(&self, link: &Link<'_>) -> Admission {
        link.unless(self.learned().and_then(|learned| learned.refusal(link.class())))
    }

    fn page_cluster(&self, _: LinkClass, url: &str, _: &[LeafPath]) -> PageCluster {
        self.learned().map_or_else(PageCluster::default, |learned| learned.page_cluster(url).into())
    }

    fn pattern(&self, url: &str) -> UrlPattern {
        self.learned().map_or(UrlPattern::NONE, |learned| learned.pattern(url))
    }

    fn generation(&self) -> u64 {
        self.generation
    }

    fn class_of(&self, class: LinkClass, url: &str, via: Option<&str>) -> LinkClass {
        let chosen = match &self.stage {
            GraphStage::Sampling(chosen) => chosen.get(&Fingerprint::of(url)).copied(),
            GraphStage::BreadthFirst => None,
            GraphStage::Filtering(learned) => {
                let cluster = via.and_then(|via| learned.sampled_cluster(via));
                return class.on(cluster.map_or(class.page(), PageCluster::from)).with_pattern(learned.pattern(url));
            }
        };
        let stays = matches!(class.apath, Apath::REDIRECT | Apath::SEED);
        // The patterns that marked chosen URLs have no meaning after the sample.
        chosen.filter(|_| !stays).unwrap_or(class.with_pattern(UrlPattern::NONE))
    }

    fn spell(&self, url: &str) -> Option<String> {
        self.learned()?.spell(url)
    }
}
