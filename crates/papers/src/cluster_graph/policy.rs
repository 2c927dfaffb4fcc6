//! The policy: takes the sample, learns the graph, and crawls by it.

use std::sync::Arc;

use super::learned::{LearnedGraph, NoGraph};
use super::sampling::GraphSampling;
use super::snapshot::{ClusterGraphSnapshot, GraphStage};
use harvestman_core::seed::Seed;
use harvestman_policy::{Needs, Observation, Policy, PolicyFacts, PolicySnapshot};

/// The settings of [`ClusterGraphPolicy`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ClusterGraphOptions {
    /// Maximum number of fetches for the sample.
    pub fetches_max: usize,
}

impl ClusterGraphOptions {
    /// The settings as printed, with a sample of this many fetches.
    pub const fn paper(fetches: usize) -> Self {
        Self { fetches_max: fetches }
    }
}

/// The crawler of Jiang and Lv (2009).
pub struct ClusterGraphPolicy {
    seed: Seed,
    phase: Phase,
    model_updates: u64,
    version: u64,
    generation: u64,
}

enum Phase {
    Sampling(Box<GraphSampling>),
    /// Links are rejected by the graph, if the sample gave one.
    Trained(Result<Arc<LearnedGraph>, NoGraph>),
}

impl ClusterGraphPolicy {
    /// A policy that knows nothing yet. It takes a sample first; these fetches are part of the crawl.
    pub fn new(options: ClusterGraphOptions, seed: Seed) -> Self {
        let sampling = GraphSampling::new(options.fetches_max, seed.child("cluster-graph-sample").rng());
        Self { seed, phase: Phase::Sampling(Box::new(sampling)), model_updates: 0, version: 0, generation: 0 }
    }

    /// Learns from the sample as it is, and moves waiting URLs to the classes of the graph.
    fn end_sampling(&mut self) {
        if let Phase::Sampling(sampling) = &self.phase {
            let learned = LearnedGraph::learn(sampling.memory(), &mut self.seed.child("cluster-graph").rng());
            self.phase = Phase::Trained(learned.map(Arc::new));
            self.generation += 1;
            self.model_updates += 1;
        }
    }
}

impl Policy for ClusterGraphPolicy {
    fn observe(&mut self, seen: Observation) {
        self.version += 1;
        let Phase::Sampling(sampling) = &mut self.phase else { return };
        let changed = sampling.observe(&seen);
        if sampling.is_complete() {
            self.end_sampling();
        } else if changed {
            self.generation += 1;
        }
    }

    fn snapshot(&mut self) -> Arc<dyn PolicySnapshot> {
        let stage = match &self.phase {
            Phase::Sampling(sampling) => GraphStage::Sampling(sampling.classes()),
            Phase::Trained(Err(_)) => GraphStage::BreadthFirst,
            Phase::Trained(Ok(learned)) => GraphStage::Filtering(Arc::clone(learned)),
        };
        Arc::new(ClusterGraphSnapshot { version: self.version, generation: self.generation, stage })
    }

    fn needs(&self) -> Needs {
        Needs { links: self.is_sampling(), ..Needs::default() }
    }

    fn is_sampling(&self) -> bool {
        matches!(self.phase, Phase::Sampling(_))
    }

    fn restarted(&mut self) -> Option<Box<dyn Policy>> {
        self.end_sampling();
        let Phase::Trained(learned) = &self.phase else { return None };
        Some(Box::new(Self { phase: Phase::Trained(learned.clone()), version: 0, generation: 0, ..*self }))
    }

    fn facts(&self) -> PolicyFacts {
        let clusters = match &self.phase {
            Phase::Trained(Ok(learned)) => learned.graph().nodes().len() as u64,
            Phase::Sampling(_) | Phase::Trained(Err(_)) => 0,
        };
        PolicyFacts { model_updates: self.model_updates, clusters, ..PolicyFacts::default() }
    }

    fn note(&self) -> Option<String> {
        match &self.phase {
            Phase::Sampling(_) => None,
            Phase::Trained(Ok(learned)) => Some(learned.to_string()),
            Phase::Trained(Err(why)) => Some(why.to_string()),
        }
    }
}
