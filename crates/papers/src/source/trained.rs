//! The result of the training: clusters, where their links lead, and their scores.

use std::fmt;
use std::sync::Arc;

use xxhash_rust::xxh3::xxh3_64_with_seed;

use super::options::{SourceGoal, SourceOptions};
use super::sitemap::{Clustering, TrainingSample, navigation};
use crate::site::{Balance, ClusterScores, Hits, LinkPlace, NavigationTable, dsim, hits, target_hits};
use harvestman_core::model::LeafPath;
use harvestman_structure::classify::{Classifier, Sample, Scratch, signature};
use harvestman_structure::site::{Label, MIN_PTS, nearest_cluster};

/// The reason why a sample gives no scores, so that the crawl continues breadth-first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Untrained {
    /// The sample is too small for a cluster.
    #[error("the sample has only {0} pages, fewer than a cluster; the crawl continues breadth-first")]
    TooFewPages(usize),
    /// No two pages are alike.
    #[error("all {0} pages of the sample are outliers; the crawl continues breadth-first")]
    AllOutliers(usize),
    /// There is only one cluster.
    #[error("all pages of the sample have one template; the crawl continues breadth-first")]
    OneCluster,
}

/// The trained policy without the state that changes while it crawls.
#[derive(Debug, Clone)]
pub struct Trained {
    /// The options that it was trained with.
    pub options: SourceOptions,
    /// The result, or the reason why there is none.
    pub learned: Result<Arc<LearnedScores>, Untrained>,
}

/// The clusters and their scores.
#[derive(Debug, Clone)]
pub struct LearnedScores {
    /// The clusters of the sample, in the order of its pages.
    pub clustering: Clustering,
    /// Classifies later pages.
    pub classifier: Classifier,
    /// Where links lead.
    pub navigation: NavigationTable,
    /// Hubs and authorities.
    pub hits: Hits,
    /// Dsim of each cluster.
    pub dsim: Vec<f64>,
    /// The example's cluster.
    pub target: Option<u32>,
    scores: ClusterScores,
}

impl Trained {
    /// Learns from `sample` (SOUrCe 2018, sections 4.2 to 4.4).
    pub fn learn(sample: &TrainingSample, options: SourceOptions) -> Self {
        let learned = LearnedScores::learn(sample, &options).map(Arc::new);
        Self { options, learned }
    }

    /// The result in one line, or why the crawl is breadth-first.
    pub fn note(&self) -> String {
        match &self.learned {
            Ok(learned) => learned.to_string(),
            Err(untrained) => untrained.to_string(),
        }
    }
}

impl fmt::Display for LearnedScores {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Clustering { vocabulary, labels, radius, clusters, .. } = &self.clustering;
        let outliers = labels.iter().filter(|label| label.is_none()).count();
        let (pages, paths, places) = (labels.len(), vocabulary.len(), self.navigation.len());
        write!(f, "learned from {pages} pages: {paths} paths, {places} places of links, ")?;
        write!(f, "{clusters} clusters and {outliers} outliers at a radius of {radius:.4}")
    }
}

impl LearnedScores {
    fn learn(sample: &TrainingSample, options: &SourceOptions) -> Result<Self, Untrained> {
        let pages = sample.pages.len();
        if pages < MIN_PTS as usize {
            return Err(Untrained::TooFewPages(pages));
        }
        let clustering = Clustering::of(&sample.pages, &options.eps);
        match clustering.clusters {
            0 => return Err(Untrained::AllOutliers(pages)),
            1 => return Err(Untrained::OneCluster),
            _ => {}
        }
        let Clustering { vectors, labels, clusters, .. } = &clustering;
        let classifier = Classifier::new(
            clustering.vocabulary.clone(),
            &Sample::new(vectors, labels),
            options.knn,
            name(sample, labels),
        );
        let navigation = navigation(sample, labels, options);
        let adjacency = navigation.adjacency(&sizes(labels, *clusters));
        let target = match &options.goal {
            SourceGoal::Content => None,
            SourceGoal::Like { url, bag } => {
                let sampled = sample.pages.iter().position(|page| page.url == *url);
                example_cluster(sampled, bag, &clustering, &classifier)
            }
        };
        let hits = match target {
            Some(target) => target_hits(&adjacency, target, options.norm),
            None => hits(&adjacency, options.norm),
        };
        let dsim = dsim(vectors, labels, *clusters);
        let scores = ClusterScores::new(&hits, &dsim, &options.score);
        Ok(Self { clustering, classifier, navigation, hits, dsim, target, scores })
    }

    /// The cluster of a page.
    pub fn label(&self, bag: &[LeafPath], scratch: &mut Scratch) -> Label {
        self.classifier.classify(bag, scratch).cluster
    }

    /// Score(C) (eq. 11).
    pub fn cluster_score(&self, cluster: u32, balance: &Balance) -> f64 {
        self.scores.of(cluster, balance)
    }

    /// Score(u) of a link at `place` (eq. 12).
    pub fn score(&self, place: LinkPlace, balance: &Balance) -> f64 {
        self.navigation.expected(place, |cluster| self.cluster_score(cluster, balance))
    }

    /// Whether the navigation table has links at `place`.
    pub fn knows(&self, place: LinkPlace) -> bool {
        self.navigation.shares(place).next().is_some()
    }
}

/// Names a classifier by the data it was learned from, so that a thread's cache of classifications is never used for
/// another one.
fn name(sample: &TrainingSample, labels: &[Label]) -> u64 {
    sample.pages.iter().zip(labels).fold(0, |hash, (page, label)| {
        let label = label.map_or(u64::MAX, u64::from);
        xxh3_64_with_seed(&signature(&page.bag).to_le_bytes(), hash ^ label)
    })
}

fn sizes(labels: &[Label], clusters: usize) -> Vec<u64> {
    let mut sizes = vec![0; clusters];
    labels.iter().flatten().for_each(|cluster| sizes[*cluster as usize] += 1);
    sizes
}

/// The cluster of the example: its own if it is in the sample, otherwise that of its neighbours; for an outlier the
/// nearest one.
fn example_cluster(
    sampled: Option<usize>,
    bag: &[LeafPath],
    clustering: &Clustering,
    classifier: &Classifier,
) -> Option<u32> {
    let own = match sampled {
        Some(at) => clustering.labels[at],
        None => classifier.classify_uncached(bag, &mut Scratch::new(1)).cluster,
    };
    own.or_else(|| {
        let looked_up = sampled.map(|at| clustering.vectors[at].clone());
        let vector = looked_up.unwrap_or_else(|| clustering.vocabulary.weigh(bag));
        nearest_cluster(&clustering.vectors, &clustering.labels, &vector)
    })
}
