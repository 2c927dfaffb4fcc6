//! Choices that the paper leaves open, and parameters that its experiments vary.

use crate::site::{NavigationOptions, Norm, ScoreOptions};
use harvestman_core::model::LeafPath;
use harvestman_core::url::Fingerprint;
use harvestman_structure::classify::KnnOptions;
use harvestman_structure::site::{EpsOptions, EpsRule};

/// The settings of the policy.
#[derive(Debug, Clone)]
pub struct SourceOptions {
    /// The wanted pages.
    pub goal: SourceGoal,
    /// How the sample is taken.
    pub sampling: SamplingOptions,
    /// How DBSCAN's radius is chosen.
    pub eps: EpsOptions,
    /// How later pages are classified.
    pub knn: KnnOptions,
    /// How links are counted in the navigation table.
    pub navigation: NavigationOptions,
    /// How hubs and authorities are normalised.
    pub norm: Norm,
    /// The factors of a cluster's score, and α.
    pub score: ScoreOptions,
    /// Number of waiting URLs that may move to another class per fetch, on average, because a page showed them at a
    /// further place; 0: a URL stays in the class that it was discovered in.
    pub moved_per_fetch: usize,
}

/// The wanted pages.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SourceGoal {
    /// Pages with content that users wrote.
    Content,
    /// Pages like this one.
    Like {
        /// Its URL.
        url: Fingerprint,
        /// Its bag of plain leaf paths, used where the page is not in the sample.
        bag: Vec<LeafPath>,
    },
}

/// How the sample is taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SamplingOptions {
    /// The order of its pages.
    pub order: SampleOrder,
    /// Maximum number of pages; their bags and links are kept in memory until the sample is complete.
    pub pages_max: usize,
    /// The condition for an earlier end.
    pub stop: StopRule,
}

/// The order in which the pages of the sample are fetched.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SampleOrder {
    /// Breadth-first, with only one of all links at one Apath of a page (the paper, section 4.1).
    OnePerApath,
    /// Breadth-first with all links, which the paper compares with.
    BreadthFirst,
}

/// When sampling ends before [`SamplingOptions::pages_max`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StopRule {
    /// Never.
    Pages,
    /// When none of the latest pages of clusters had a link at a new place, which is a pair of cluster and Apath. The
    /// clusters are computed again whenever the sample has grown by a quarter, so that sampling ends somewhat late.
    NoNewPlace {
        /// The number of pages.
        pages: usize,
    },
}

impl Default for SamplingOptions {
    fn default() -> Self {
        Self { order: SampleOrder::OnePerApath, pages_max: 1000, stop: StopRule::Pages }
    }
}

impl SourceOptions {
    /// The paper's settings for `goal`: [`ScoreOptions::UCC`] or [`ScoreOptions::TARGET`], and eps by the printed rule
    /// over distinct vectors, which comes nearest to the paper's own examples.
    pub fn paper(goal: SourceGoal) -> Self {
        let score = match goal {
            SourceGoal::Content => ScoreOptions::UCC,
            SourceGoal::Like { .. } => ScoreOptions::TARGET,
        };
        Self {
            goal,
            sampling: SamplingOptions::default(),
            eps: EpsOptions { rule: EpsRule::PaperDistinct, ..EpsOptions::default() },
            knn: KnnOptions::default(),
            navigation: NavigationOptions::default(),
            norm: Norm::L2,
            score,
            moved_per_fetch: 1024,
        }
    }
}
