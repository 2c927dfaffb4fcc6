//! The weights that walks follow (`CalculateWeights`).

use super::options::{Proximity, XCrawlOptions};
use crate::site::{
    HubWeights, RankForm, RankOptions, TopicRank, WebGraph, hub_weights, topic_rank, topic_weights, uniform_weights,
};
use harvestman_structure::site::harmonic_mean;

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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::site::WebLink;
    use harvestman_core::model::Apath;
    use harvestman_core::url::Fingerprint;

    /// The list 0 links to the authorities 1 and 2 and to 3; 1 links back to it.
    fn graph() -> WebGraph {
        let mut graph = WebGraph::default();
        let link = |to: u128| WebLink { url: Fingerprint(to), apath: Apath(10), parent: 0, grandparent: 0 };
        graph.visit(Fingerprint(0), [1, 2, 3].map(link));
        graph.visit(Fingerprint(1), [link(0)]);
        [1, 2].into_iter().for_each(|node| graph.accept(node));
        graph
    }

    fn of(proximity: Proximity, options: XCrawlOptions) -> Vec<f64> {
        let mut weights = Weights::new(options.rank);
        weights.update(&graph(), &XCrawlOptions { proximity, ..options });
        weights.get().to_vec()
    }

    #[test]
    fn hits_alone_gives_the_initial_weights() {
        // The only hub has weight 1; of four nodes the fourth has 1/4.
        assert_eq!(of(Proximity::Hits, XCrawlOptions::default()), [1.0, 1.0, 1.0, 0.25]);
    }

    #[test]
    fn page_rank_propagates_them() {
        let tight = RankOptions { tolerance: 1e-12, ..RankOptions::default() };
        let found = of(Proximity::TopicRank, XCrawlOptions { rank: tight, ..XCrawlOptions::default() });
        // x0 = 0.15 + 0.85 x1, x1 = x2 = 0.15 + 0.85 x0 / 3, x3 = 0.15 / 4 + 0.85 x0 / 3.
        let list = (0.15 + 0.85 * 0.15) / (1.0 - 0.85 * 0.85 / 3.0);
        let wanted = [list, 0.15 + 0.85 * list / 3.0, 0.15 + 0.85 * list / 3.0, 0.0375 + 0.85 * list / 3.0];
        assert!(found.iter().zip(wanted).all(|(one, other)| (one - other).abs() < 1e-9), "{found:?} is not {wanted:?}");
    }

    #[test]
    fn with_plain_page_rank_both_weights_count_the_same() {
        let found = of(Proximity::HitsWithPageRank, XCrawlOptions::default());
        assert!((found[0] - 1.0).abs() < 1e-3, "the largest of both: {found:?}");
        assert!(found[1] == found[2] && found[1] < 1.0 && found[3] < found[2] && found[3] > 0.0, "{found:?}");
    }

    #[test]
    fn nodes_that_were_added_since_weigh_one_nth() {
        let mut weights = Weights::new(RankOptions::default());
        weights.extend(&graph());
        assert_eq!(weights.get(), [0.25; 4]);
    }
}
