//! The policy: takes the sample, learns from it, and crawls by what was learnt.

use std::sync::Arc;

use super::harvesting::Harvesting;
use super::options::SourceOptions;
use super::sitemap::TrainingSample;
use super::snapshot::{Classes, SourceSnapshot, Stage};
use super::taking::Sampling;
use super::trained::Trained;
use crate::{Needs, Observation, Policy, PolicySnapshot};
use harvestman_core::seed::Seed;

/// SOUrCe, as printed.
pub struct SourcePolicy {
    phase: Phase,
    version: u64,
    generation: u64,
    classes: Arc<Classes>,
}

enum Phase {
    Sampling(Box<Sampling>),
    BreadthFirst(Arc<Trained>),
    Harvesting(Box<Harvesting>),
}

impl SourcePolicy {
    /// The policy that knows nothing yet. It samples first; those pages are part of the crawl.
    pub fn new(options: SourceOptions, seed: Seed) -> Self {
        let sampling = Sampling::new(options, seed.child("policy-source").rng());
        Self::in_phase(Phase::Sampling(Box::new(sampling)))
    }

    /// Learns from the pages of `observed`, all of them, whoever chose them.
    pub fn train(observed: impl IntoIterator<Item = Observation>, options: SourceOptions) -> Trained {
        let mut sample = TrainingSample::default();
        for seen in observed {
            sample.add(seen);
        }
        Trained::learn(&sample, options)
    }

    /// The policy of a crawl that starts at its seeds and has been trained elsewhere: the way the paper measures.
    pub fn from_trained(trained: Arc<Trained>) -> Self {
        Self::in_phase(match Harvesting::afresh(&trained) {
            Some(harvesting) => Phase::Harvesting(Box::new(harvesting)),
            None => Phase::BreadthFirst(trained),
        })
    }

    fn in_phase(phase: Phase) -> Self {
        Self { phase, version: 0, generation: 0, classes: Arc::default() }
    }

    /// What was learnt; none while the sample is taken.
    pub fn trained(&self) -> Option<&Arc<Trained>> {
        match &self.phase {
            Phase::Sampling(_) => None,
            Phase::BreadthFirst(trained) => Some(trained),
            Phase::Harvesting(harvesting) => Some(harvesting.trained()),
        }
    }

    /// Learns from the sample as it is, and puts what waits under the classes of what was learnt.
    fn end_sampling(&mut self) {
        let Phase::Sampling(sampling) = &mut self.phase else { return };
        let sample = std::mem::take(&mut sampling.sample);
        let trained = Arc::new(Trained::learn(&sample, sampling.options.clone()));
        self.phase = match Harvesting::after(&trained, &sample, sampling.waiting()) {
            Some(harvesting) => Phase::Harvesting(Box::new(harvesting)),
            None => Phase::BreadthFirst(trained),
        };
        self.put_anew();
    }

    /// Begins a generation of classes.
    fn put_anew(&mut self) {
        self.generation += 1;
        self.classes = Arc::new(match &mut self.phase {
            Phase::Sampling(sampling) => sampling.classes(),
            Phase::BreadthFirst(_) => Classes::default(),
            Phase::Harvesting(harvesting) => harvesting.put_anew(),
        });
    }
}

impl Policy for SourcePolicy {
    fn observe(&mut self, seen: Observation) {
        self.version += 1;
        match &mut self.phase {
            Phase::Sampling(sampling) => {
                let class = seen.class;
                let chose = sampling.observe(seen);
                if sampling.is_complete(class) {
                    self.end_sampling();
                } else if chose {
                    self.put_anew();
                }
            }
            Phase::BreadthFirst(_) => {}
            Phase::Harvesting(harvesting) => {
                if harvesting.observe(seen) {
                    self.put_anew();
                }
            }
        }
    }

    fn snapshot(&mut self) -> Arc<dyn PolicySnapshot> {
        let stage = match &self.phase {
            Phase::Sampling(_) => Stage::Sampling,
            Phase::BreadthFirst(_) => Stage::BreadthFirst,
            Phase::Harvesting(harvesting) => harvesting.stage(),
        };
        let classes = Arc::clone(&self.classes);
        Arc::new(SourceSnapshot { version: self.version, generation: self.generation, classes, stage })
    }

    fn needs(&self) -> Needs {
        Needs { links: !matches!(self.phase, Phase::BreadthFirst(_)), ..Needs::default() }
    }

    fn is_sampling(&self) -> bool {
        matches!(self.phase, Phase::Sampling(_))
    }

    fn afresh(&mut self) -> Option<Box<dyn Policy>> {
        self.end_sampling();
        Some(Box::new(Self::from_trained(Arc::clone(self.trained()?))))
    }

    fn note(&self) -> Option<String> {
        self.trained().map(|trained| trained.note())
    }
}
