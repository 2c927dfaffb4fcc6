//! The weights that walks follow (`CalculateWeights`).

use super::options::{Proximity, XCrawlOptions};
use harvestman_structure::site::{
    HubWeights, RankForm, RankOptions, TopicRank, WebGraph, harmonic_mean, hub_weights, topic_rank, topic_weights,
    uniform_weights,
};

/// Computes and holds the weights of all nodes.
#[derive(Debug, Clone)]
pub(super) struct Weights {
    hubs: HubWeights,
    /// PageRank, with or without a topic, where it is updated.
    rank: TopicRank,
    weights: Vec<f64>,
}

impl Weights {
    pub const fn new(rank: RankOptions) -> Self {
        let hubs = HubWeights { hub: Vec::new(), authority: Vec::new(), steps: 0 };
        Self { hubs, rank: TopicRank::new(rank), weights: Vec::new() }
    }

    /// The weights by node, as of the last update.
    pub fn get(&self) -> &[f64] {
        &self.weights
    }

    /// Gives nodes that were added since the last update the weight 1/n, so that walks find them.
    pub fn extend(&mut self, graph: &WebGraph) {
        self.weights.resize(graph.nodes() as usize, 1.0 / f64::from(n(graph)));
    }

    /// Computes all weights, from the previous ones where that saves time.
    pub fn update(&mut self, graph: &WebGraph, options: &XCrawlOptions) {
        self.hubs = hub_weights(graph, Some(&self.hubs), &options.hubs);
        let initial = topic_weights(graph, &self.hubs.hub, n(graph));
        self.weights = match options.proximity {
            Proximity::Hits => initial,
            Proximity::TopicRank => self.ranked(graph, &initial, &options.rank),
            Proximity::HitsWithPageRank => {
                let plain = self.ranked(graph, &uniform_weights(graph, n(graph)), &options.rank);
                let (one, other) = (relative(&initial), relative(&plain));
                one.zip(other).map(|(one, other)| harmonic_mean(one, other)).collect()
            }
        };
    }

    fn ranked(&mut self, graph: &WebGraph, initial: &[f64], options: &RankOptions) -> Vec<f64> {
        match options.form {
            RankForm::Printed => topic_rank(graph, initial, None, options),
            RankForm::Teleport => {
                self.rank.update(graph, initial);
                self.rank.weights().to_vec()
            }
        }
    }
}

/// n, rounded up so that weights seldom change all at once.
fn n(graph: &WebGraph) -> u32 {
    graph.nodes().max(1).checked_next_power_of_two().unwrap_or(u32::MAX)
}

fn relative(weights: &[f64]) -> impl Iterator<Item = f64> {
    let largest = weights.iter().copied().fold(f64::MIN_POSITIVE, f64::max);
    weights.iter().map(move |weight| weight / largest)
}
