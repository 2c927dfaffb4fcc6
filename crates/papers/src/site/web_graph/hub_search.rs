//! When the search for hubs ends (xCrawl 2009, section 4, `noNewHubsFound`).

use super::WebGraph;

/// Counts the walks that ended, by a restart, without a new hub.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HubSearch {
    max_iterations: u32,
    hubs: usize,
    fruitless: u32,
}

impl HubSearch {
    /// Begins a search that ends after `max_iterations` walks in succession without a new hub. 50 are enough according
    /// to the paper (section 5.3).
    pub const fn new(max_iterations: u32) -> Self {
        Self { max_iterations, hubs: 0, fruitless: 0 }
    }

    /// Records that a walk has ended.
    pub fn walk_ended(&mut self, graph: &WebGraph) {
        let hubs = graph.hubs_found();
        self.fruitless = if hubs > self.hubs { 0 } else { self.fruitless.saturating_add(1) };
        self.hubs = hubs;
    }

    /// Returns whether the search has ended.
    pub const fn has_ended(&self) -> bool {
        self.fruitless >= self.max_iterations
    }

    /// Begins another search in the same graph: hubs that are known are not new.
    pub fn begin_again(&mut self, graph: &WebGraph) {
        *self = Self { max_iterations: self.max_iterations, hubs: graph.hubs_found(), fruitless: 0 };
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::site::web_graph::made::{Made, add};

    #[test]
    fn it_ends_after_as_many_walks_without_a_new_hub_as_set() {
        let mut graph = Made::new(&[(1, &[]), (2, &[]), (0, &[1, 2])], &[1, 2]).whole();
        let mut search = HubSearch::new(2);
        search.walk_ended(&graph);
        search.walk_ended(&graph);
        assert!(!search.has_ended(), "one walk found a hub");
        add(&mut graph, &(3, vec![1, 2], false));
        search.walk_ended(&graph);
        search.walk_ended(&graph);
        assert!(!search.has_ended());
        search.walk_ended(&graph);
        assert!(search.has_ended());
        search.begin_again(&graph);
        search.walk_ended(&graph);
        assert!(!search.has_ended());
        search.walk_ended(&graph);
        assert!(search.has_ended(), "known hubs are not new");
    }
}
