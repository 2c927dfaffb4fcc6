//! What a sample teaches: clusters, where their links lead, what they are worth.

use std::fmt;
use std::sync::Arc;

use xxhash_rust::xxh3::xxh3_64_with_seed;

use super::options::{SourceGoal, SourceOptions};
use super::sitemap::{Clustering, TrainingSample, navigation};
use harvestman_core::model::LeafPath;
use harvestman_structure::classify::{Classifier, Sample, Scratch, signature};
use harvestman_structure::site::{
    Balance, ClusterScores, Hits, Label, LinkPlace, MIN_PTS, NavigationTable, dsim, hits, nearest_cluster, target_hits,
};

/// Why a sample teaches nothing, so that the crawl goes on breadth-first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Untrained {
    /// No cluster can have so few members.
    #[error("the site gave {0} pages to learn from, fewer than a cluster has; the crawl goes on breadth-first")]
    TooFewPages(usize),
    /// Every page is made its own way.
    #[error("none of the {0} pages of the sample is like others, all are outliers; the crawl goes on breadth-first")]
    AllOutliers(usize),
    /// There is nothing to choose between.
    #[error("all pages of the sample have one template; the crawl goes on breadth-first")]
    OneCluster,
}

/// The trained policy, but for what changes while it crawls.
#[derive(Debug, Clone)]
pub struct Trained {
    /// The options that it was trained with.
    pub options: SourceOptions,
    /// What was learnt, or why nothing was.
    pub learnt: Result<Arc<Learnt>, Untrained>,
}

/// What was learnt.
#[derive(Debug, Clone)]
pub struct Learnt {
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
        let learnt = Learnt::learn(sample, &options).map(Arc::new);
        Self { options, learnt }
    }

    /// What was learnt, in one line; or why the crawl is breadth-first.
    pub fn note(&self) -> String {
        match &self.learnt {
            Ok(learnt) => learnt.to_string(),
            Err(untrained) => untrained.to_string(),
        }
    }
}

impl fmt::Display for Learnt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Clustering { vocabulary, labels, radius, clusters, .. } = &self.clustering;
        let outliers = labels.iter().filter(|label| label.is_none()).count();
        let (pages, paths, places) = (labels.len(), vocabulary.len(), self.navigation.len());
        write!(f, "learnt from {pages} pages: {paths} paths, {places} places of links, ")?;
        write!(f, "{clusters} clusters and {outliers} outliers at a radius of {radius:.4}")
    }
}

impl Learnt {
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

    /// Whether anything is known of where links at `place` lead.
    pub fn knows(&self, place: LinkPlace) -> bool {
        self.navigation.shares(place).next().is_some()
    }
}

/// Names a classifier by what it was learnt from, so that a thread's cache of answers never answers for another one.
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

/// The cluster of the example: its own, where it is in the sample, or that of its neighbours; for an outlier the nearest.
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
