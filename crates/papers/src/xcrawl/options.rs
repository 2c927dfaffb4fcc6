//! The parameters of the paper, and choices that it leaves open.

use crate::site::{
    GraphLimits, HubForm, HubOptions, LinkChoice, RESTART_PROBABILITY, RankForm, RankOptions, SubTreeRule,
};

/// What the weight of a page consists of (section 5.2 compares the three).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Proximity {
    /// Topic-sensitive PageRank from authorities and hubs.
    #[default]
    TopicRank,
    /// The initial weights of that: 1 for authorities, the hub weight of HITS, 1/n.
    Hits,
    /// The harmonic mean of these and PageRank without a topic, each divided by its largest value.
    HitsWithPageRank,
}

/// What follows when the links of the hubs have been fetched.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Phases {
    /// Everything else in breadth-first order. The paper's crawl ends here.
    #[default]
    Once,
    /// Walks begin again.
    Repeat,
}

/// The settings of the policy.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct XCrawlOptions {
    /// Number of walks at a time, at least 1.
    pub walkers: usize,
    /// Maximum number of waiting URLs that are looked at per fetch, on average: where more wait, there are more walks
    /// at a time. 0: the number of walks does not grow.
    pub moved_per_fetch: usize,
    /// The probability that a walk returns to a random authority after a page.
    pub restart: f64,
    /// Number of walks in succession without a new hub after which the links of the hubs are fetched (`maxIterations`).
    pub max_iterations: u32,
    /// Number of downloads after which weights are computed again.
    pub weighed_every: u32,
    /// What the weight of a page consists of.
    pub proximity: Proximity,
    /// How weights are propagated.
    pub rank: RankOptions,
    /// How hub weights are computed.
    pub hubs: HubOptions,
    /// How a walk chooses a link.
    pub choice: LinkChoice,
    /// Which links of a hub are fetched.
    pub sub_trees: SubTreeRule,
    /// What follows then.
    pub phases: Phases,
    /// Number of fetches after which a chosen URL that was not among them is given up. It waits on.
    pub patience: u32,
    /// The bounds of the web graph. Links that do not fit are fetched in breadth-first order.
    pub limits: GraphLimits,
}

impl Default for XCrawlOptions {
    fn default() -> Self {
        Self {
            walkers: 10,
            moved_per_fetch: 1_000,
            restart: RESTART_PROBABILITY,
            max_iterations: 50,
            weighed_every: 10,
            proximity: Proximity::default(),
            rank: RankOptions::default(),
            hubs: HubOptions::default(),
            choice: LinkChoice::default(),
            sub_trees: SubTreeRule::default(),
            phases: Phases::default(),
            patience: 1_000,
            limits: GraphLimits::default(),
        }
    }
}

impl XCrawlOptions {
    /// The choices as printed: both operators of HITS sum over predecessors, PageRank has no initial weights after its
    /// first step, a walk takes the best link, and a hub's links are those beside links to authorities.
    pub fn paper() -> Self {
        let defaults = Self::default();
        Self {
            rank: RankOptions { form: RankForm::Printed, ..defaults.rank },
            hubs: HubOptions { form: HubForm::Printed, ..defaults.hubs },
            choice: LinkChoice::Best,
            sub_trees: SubTreeRule::Parent,
            ..defaults
        }
    }
}
