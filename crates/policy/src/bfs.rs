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
