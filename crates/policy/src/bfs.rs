//! Breadth-first order: every link is wanted, those nearest to the seeds first. The baseline of every comparison.

use std::sync::Arc;

use super::{Observation, Policy, PolicySnapshot};
use harvestman_core::model::{ClassOrder, LinkClass};

/// The breadth-first policy. It learns nothing: all classes score the same, which leaves depth and the order of
/// discovery.
#[derive(Debug, Clone, Copy)]
pub struct BreadthFirst;

impl ClassOrder for BreadthFirst {
    fn score(&self, _: LinkClass) -> f64 {
        0.0
    }
}

impl PolicySnapshot for BreadthFirst {
    fn version(&self) -> u64 {
        0
    }

    fn has_patterns(&self) -> bool {
        false
    }
}

impl Policy for BreadthFirst {
    fn observe(&mut self, _: Observation) {}

    fn snapshot(&mut self) -> Arc<dyn PolicySnapshot> {
        Arc::new(*self)
    }

    fn learns(&self) -> bool {
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{UrlPattern, consulted};
    use harvestman_core::config::FilterOrder;

    #[test]
    fn without_patterns_all_urls_have_the_same() {
        for order in [FilterOrder::GraphDup, FilterOrder::DupOnly] {
            let snapshot = consulted(Arc::new(BreadthFirst), order);
            assert!(!snapshot.has_patterns());
            assert_eq!(snapshot.pattern("http://a.test/topic/5"), UrlPattern::NONE);
        }
    }
}
