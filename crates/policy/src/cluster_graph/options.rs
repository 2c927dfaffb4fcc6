//! What the paper leaves open, and what the default does differently.

use serde::{Deserialize, Serialize};

use harvestman_core::config::ClusterBy;
use harvestman_structure::site::{NodeRule, PruneOptions, RandomPagesOptions, UrlClusterOptions};

/// The settings of [`ClusterGraphPolicy`](super::ClusterGraphPolicy).
#[derive(Debug, Clone, PartialEq)]
pub struct ClusterGraphOptions {
    /// What clusters are made of.
    pub by: ClusterBy,
    /// How URLs are clustered.
    pub urls: UrlRule,
    /// How the sample is taken.
    pub sample: SamplePlan,
    /// How the graph is pruned.
    pub prune: PruneOptions,
    /// What is done with links of which the sample says nothing, and with what is learnt after the sample.
    pub later: Later,
    /// Whether links are refused by their place alone, before one is resolved, where all of them would be refused, or where they
    /// have long led to nothing new. It saves work and changes next to nothing of what is fetched.
    pub by_place: bool,
}

/// How URLs are clustered.
#[derive(Debug, Clone, PartialEq)]
pub enum UrlRule {
    /// By their patterns ([`UrlPatterns`](harvestman_structure::site::UrlPatterns)), each a cluster, however few have it.
    Patterns,
    /// By frequent itemsets of what they are made of (Algorithm 2).
    Itemsets(UrlClusterOptions),
}

/// How the sample is taken.
#[derive(Debug, Clone, PartialEq)]
pub struct SamplePlan {
    /// Fetches that it has at most.
    pub fetches_max: usize,
    /// Fetches of URLs of one pattern beyond which no more are chosen. None: as many as are drawn.
    pub per_pattern: Option<u32>,
    /// Links of a page that was drawn which are chosen with it, each of another pattern: what repeats a page is linked to by it,
    /// and two random pages of a large site seldom repeat each other.
    pub neighbours: usize,
    /// Draws that are under way at once.
    pub ahead: usize,
    /// Algorithm 1.
    pub draws: RandomPagesOptions,
}

/// What is done after the sample.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Later {
    /// The graph stays what it is, and links that it does not know are refused (section 4.4).
    AsTrained,
    /// Each fetch is one more of the sample: the graph is learnt anew now and then. Links that it does not know are followed.
    LearnsOn,
}

impl ClusterGraphOptions {
    /// As printed. The sample has `fetches` fetches.
    pub fn paper(fetches: usize) -> Self {
        Self {
            by: ClusterBy::Url,
            urls: UrlRule::Itemsets(UrlClusterOptions::paper()),
            sample: SamplePlan {
                fetches_max: fetches,
                per_pattern: None,
                neighbours: 0,
                ahead: 1,
                draws: RandomPagesOptions::default(),
            },
            prune: PruneOptions::paper(),
            later: Later::AsTrained,
            by_place: true,
        }
    }

    /// What measures best: `by` clusters, with at most so many fetches for the sample.
    pub fn default_form(by: ClusterBy, fetches: usize) -> Self {
        Self {
            by,
            urls: UrlRule::Patterns,
            sample: SamplePlan {
                fetches_max: fetches,
                per_pattern: Some(PER_PATTERN),
                neighbours: NEIGHBOURS,
                ahead: AHEAD,
                draws: RandomPagesOptions::default(),
            },
            prune: PruneOptions { nodes: NodeRule::Content(distinct_min(by)), sure: SURE, ..PruneOptions::default() },
            later: Later::LearnsOn,
            by_place: true,
        }
    }
}

/// The share of a kind's pages that must be distinct. A template often serves several kinds of addresses, good ones among bad: then
/// it is refused only where hardly anything is distinct.
const fn distinct_min(by: ClusterBy) -> f64 {
    match by {
        ClusterBy::Url | ClusterBy::Both => 0.7,
        ClusterBy::Structure => 0.3,
    }
}

/// Of so many pages of a kind, most of them different or most of them not, one more tells nothing.
const PER_PATTERN: u32 = 20;
/// With a page, its first link of each of so many other patterns.
const NEIGHBOURS: usize = 6;
/// Enough for a host that is asked for one page after the other while the next snapshot is being published.
const AHEAD: usize = 8;
/// 95 of 100 (one-sided).
const SURE: f64 = 1.645;
