//! What the paper leaves open, and what its experiments vary.

use harvestman_core::model::LeafPath;
use harvestman_core::url::Fingerprint;
use harvestman_structure::classify::KnnOptions;
use harvestman_structure::site::{EpsOptions, EpsRule, NavigationOptions, Norm, ScoreOptions};

/// Everything that may be chosen about the policy.
#[derive(Debug, Clone)]
pub struct SourceOptions {
    /// What is wanted.
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
    /// Which factors make a cluster's score, and α.
    pub score: ScoreOptions,
    /// How many waiting URLs may move to another class for each fetch, on average, because a page showed them at a
    /// further place; 0: a URL stays where it was discovered.
    pub moved_per_fetch: usize,
}

/// What is wanted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SourceGoal {
    /// Pages that users made.
    Content,
    /// Pages like this one.
    Like {
        /// Its URL.
        url: Fingerprint,
        /// Its bag of plain leaf paths: used where the page is not in the sample.
        bag: Vec<LeafPath>,
    },
}

/// How the sample is taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SamplingOptions {
    /// In which order.
    pub order: SampleOrder,
    /// Pages it has at most; their bags and links are kept in memory until there are so many.
    pub pages_max: usize,
    /// When it ends before.
    pub stop: StopRule,
}

/// In which order the pages of the sample are fetched.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SampleOrder {
    /// Breadth-first, of all links at one Apath of a page only one (the paper, section 4.1).
    OnePerApath,
    /// Breadth-first, all links: what the paper compares with.
    BreadthFirst,
}

/// When sampling ends, if not with [`SamplingOptions::pages_max`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StopRule {
    /// Not before.
    Pages,
    /// When none of the last so many pages of a cluster had a link at a place, a pair of cluster and Apath, that was new. What
    /// the clusters are is found anew whenever the sample has grown by a quarter, so it ends a little late.
    NoNewPlace {
        /// How many pages.
        pages: usize,
    },
}

impl Default for SamplingOptions {
    fn default() -> Self {
        Self { order: SampleOrder::OnePerApath, pages_max: 1000, stop: StopRule::Pages }
    }
}

impl SourceOptions {
    /// The paper's, for `goal`: [`ScoreOptions::UCC`] or [`ScoreOptions::TARGET`], and eps by the printed rule over distinct
    /// vectors, which comes nearest to the paper's own examples.
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
