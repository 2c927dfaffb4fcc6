//! The policy: takes the sample, learns from it, and crawls by the scores.

use std::sync::Arc;

use super::options::SourceOptions;
use super::sample_state::PageSampling;
use super::scored_crawl::ScoredCrawl;
use super::sitemap::TrainingSample;
use super::snapshot::{SourceSnapshot, SourceStage, UrlClasses};
use super::trained::Trained;
use harvestman_core::seed::Seed;
use harvestman_policy::{Needs, Observation, Policy, PolicySnapshot};

/// SOUrCe, as printed.
pub struct SourcePolicy {
    phase: Phase,
    version: u64,
    generation: u64,
    classes: Arc<UrlClasses>,
}

enum Phase {
    Sampling(Box<PageSampling>),
    BreadthFirst(Arc<Trained>),
    ScoredCrawl(Box<ScoredCrawl>),
}

impl SourcePolicy {
    /// A policy that knows nothing yet. It takes a sample first; these pages are part of the crawl.
    pub fn new(options: SourceOptions, seed: Seed) -> Self {
        let sampling = PageSampling::new(options, seed.child("policy-source").rng());
        Self::in_phase(Phase::Sampling(Box::new(sampling)))
    }

    /// Learns from all pages of `observed`, whichever way they were chosen.
    pub fn train(observed: impl IntoIterator<Item = Observation>, options: SourceOptions) -> Trained {
        let mut sample = TrainingSample::default();
        for seen in observed {
            sample.add(seen);
        }
        Trained::learn(&sample, options)
    }

    /// The policy of a crawl that starts at its seeds after training on another sample: the way the paper measures.
    pub fn from_trained(trained: Arc<Trained>) -> Self {
        Self::in_phase(match ScoredCrawl::restarted(&trained) {
            Some(harvesting) => Phase::ScoredCrawl(Box::new(harvesting)),
            None => Phase::BreadthFirst(trained),
        })
    }

    fn in_phase(phase: Phase) -> Self {
        Self { phase, version: 0, generation: 0, classes: Arc::default() }
    }

    /// The result of the training; `None` while the sample is taken.
    pub fn trained(&self) -> Option<&Arc<Trained>> {
        match &self.phase {
            Phase::Sampling(_) => None,
            Phase::BreadthFirst(trained) => Some(trained),
            Phase::ScoredCrawl(harvesting) => Some(harvesting.trained()),
        }
    }

    /// Learns from the sample as it is, and moves waiting URLs to the classes of the training.
    fn end_sampling(&mut self) {
        let Phase::Sampling(sampling) = &mut self.phase else { return };
        let sample = std::mem::take(&mut sampling.sample);
        let trained = Arc::new(Trained::learn(&sample, sampling.options.clone()));
        self.phase = match ScoredCrawl::after(&trained, &sample, sampling.waiting()) {
            Some(harvesting) => Phase::ScoredCrawl(Box::new(harvesting)),
            None => Phase::BreadthFirst(trained),
        };
        self.reclassify();
    }

    /// Begins a generation of classes.
    fn reclassify(&mut self) {
        self.generation += 1;
        self.classes = Arc::new(match &mut self.phase {
            Phase::Sampling(sampling) => sampling.classes(),
            Phase::BreadthFirst(_) => UrlClasses::default(),
            Phase::ScoredCrawl(harvesting) => harvesting.reclassify(),
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
                    self.reclassify();
                }
            }
            Phase::BreadthFirst(_) => {}
            Phase::ScoredCrawl(harvesting) => {
                if harvesting.observe(seen) {
                    self.reclassify();
                }
            }
        }
    }

    fn snapshot(&mut self) -> Arc<dyn PolicySnapshot> {
        let stage = match &self.phase {
            Phase::Sampling(_) => SourceStage::Sampling,
            Phase::BreadthFirst(_) => SourceStage::BreadthFirst,
            Phase::ScoredCrawl(harvesting) => harvesting.stage(),
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

    fn restarted(&mut self) -> Option<Box<dyn Policy>> {
        self.end_sampling();
        Some(Box::new(Self::from_trained(Arc::clone(self.trained()?))))
    }

    fn note(&self) -> Option<String> {
        self.trained().map(|trained| trained.note())
    }
}
