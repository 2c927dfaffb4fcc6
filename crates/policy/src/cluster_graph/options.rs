//! Settings: choices that the paper leaves open, and deviations of the default form.

use serde::{Deserialize, Serialize};

use harvestman_core::config::ClusterBy;
use harvestman_structure::site::{NodeRule, PruneOptions, RandomPagesOptions, UrlClusterOptions};

/// The settings of [`ClusterGraphPolicy`](super::ClusterGraphPolicy).
#[derive(Debug, Clone, PartialEq)]
pub struct ClusterGraphOptions {
    /// What clusters are formed by.
    pub by: ClusterBy,
    /// How URLs are clustered.
    pub urls: UrlRule,
    /// How the sample is taken.
    pub sample: SamplePlan,
    /// How the graph is pruned.
    pub prune: PruneOptions,
    /// How links are treated that the sample did not show, and whether learning continues after the sample.
    pub later: Later,
    /// Whether links are rejected by their place alone, before they are resolved, where all of them would be rejected
    /// or have long led to nothing new. This saves work and hardly changes what is fetched.
    pub by_place: bool,
}

/// How URLs are clustered.
#[derive(Debug, Clone, PartialEq)]
pub enum UrlRule {
    /// By their patterns ([`UrlPatterns`](harvestman_structure::site::UrlPatterns)): each pattern is a cluster, however
    /// rare.
    Patterns,
    /// By frequent itemsets of URL tokens (Algorithm 2).
    Itemsets(UrlClusterOptions),
}

/// How the sample is taken.
#[derive(Debug, Clone, PartialEq)]
pub struct SamplePlan {
    /// Maximum number of fetches.
    pub fetches_max: usize,
    /// Number of fetches of URLs of one pattern beyond which no more are chosen. `None`: no limit.
    pub per_pattern: Option<u32>,
    /// The same for patterns whose pages the sample so far shows to be worthless; not used without `per_pattern`.
    pub per_rejected: u32,
    /// Number of links of a drawn page that are chosen with it, each of another pattern: pages that repeat a page are
    /// linked from it, and two random pages of a large site seldom repeat each other.
    pub neighbours: usize,
    /// Number of draws under way at once.
    pub ahead: usize,
    /// Algorithm 1.
    pub draws: RandomPagesOptions,
}

/// What happens after the sample.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Later {
    /// The graph does not change, and links that it does not know are rejected (section 4.4).
    AsTrained,
    /// Each fetch extends the sample and the graph is learned again from time to time. Links that it does not know are
    /// followed.
    LearnsOn,
}

impl ClusterGraphOptions {
    /// The settings as printed, with a sample of this many fetches.
    pub fn paper(fetches: usize) -> Self {
        Self {
            by: ClusterBy::Url,
            urls: UrlRule::Itemsets(UrlClusterOptions::paper()),
            sample: SamplePlan {
                fetches_max: fetches,
                per_pattern: None,
                per_rejected: 0,
                neighbours: 0,
                ahead: 1,
                draws: RandomPagesOptions::default(),
            },
            prune: PruneOptions::paper(),
            later: Later::AsTrained,
            by_place: true,
        }
    }

    /// The settings that measured best: clusters are formed by `by`, with at most this many fetches for the sample.
    pub fn default_form(by: ClusterBy, fetches: usize) -> Self {
        Self {
            by,
            urls: UrlRule::Patterns,
            sample: SamplePlan {
                fetches_max: fetches,
                per_pattern: Some(PER_PATTERN),
                per_rejected: PER_REJECTED,
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

/// The share of a cluster's pages that must be distinct. A template often serves several URL patterns, good and bad
/// ones: it is then rejected only where hardly any page is distinct.
const fn distinct_min(by: ClusterBy) -> f64 {
    match by {
        ClusterBy::Url | ClusterBy::Both => 0.7,
        ClusterBy::Structure => 0.3,
    }
}

/// After this many pages of a cluster, with most of them distinct or most of them not, another one adds no evidence.
const PER_PATTERN: u32 = 20;
/// Two pages without anything new suffice for a verdict; a few more, since the pages that they repeat are not known
/// yet.
const PER_REJECTED: u32 = 5;
/// The first link of a page to each of this many other patterns is chosen with the page.
const NEIGHBOURS: usize = 6;
/// Enough for a host that is sent one request after the other while the next snapshot is being published.
const AHEAD: usize = 8;
/// 95 % (one-sided).
const SURE: f64 = 1.645;
