//! The policy: takes the sample, learns from it, and crawls by what was learnt.

use std::collections::HashSet;
use std::sync::Arc;

use foldhash::fast::FixedState;

use super::harvesting::Harvesting;
use super::options::{SampleOrder, SamplingOptions, SourceOptions, StopRule};
use super::sampling::{kept_links, one_per_apath};
use super::sitemap::{Clustering, SampledPage, TrainingSample, pages_without_a_new_place};
use super::snapshot::{Classes, SourceSnapshot, Stage, chosen_by};
use super::trained::Trained;
use crate::page::{Apath, LinkClass};
use crate::policy::{Needs, Observation, Outcome, PageFacts, Policy, PolicySnapshot};
use crate::seed::{Rng, Seed};
use crate::url::Fingerprint;

/// The growth of the sample after which [`StopRule::NoNewPlace`] is asked again.
const ASKED_GROWTH: f64 = 1.25;
/// URLs that are known to wait while the sample is taken; those beyond are never chosen.
const WAITING_MAX: usize = 1 << 20;

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

/// The sample as it is taken.
struct Sampling {
    options: SourceOptions,
    rng: Rng,
    sample: TrainingSample,
    /// URLs that wait and were not chosen.
    open: HashSet<Fingerprint, FixedState>,
    /// URLs that wait and were chosen, with their classes.
    chosen: Classes,
    /// The size of the sample at which the stop rule is asked again.
    asked_at: usize,
}

impl SourcePolicy {
    /// The policy that knows nothing yet. It samples first; those pages are part of the crawl.
    pub fn new(options: SourceOptions, seed: Seed) -> Self {
        let asked_at = match options.sampling.stop {
            StopRule::Pages => usize::MAX,
            StopRule::NoNewPlace { pages } => pages.max(1),
        };
        let sampling = Sampling {
            options,
            rng: seed.child("policy-source").rng(),
            sample: TrainingSample::default(),
            open: HashSet::default(),
            chosen: Classes::default(),
            asked_at,
        };
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
        let waiting = sampling.open.iter().chain(sampling.chosen.keys()).copied();
        let trained = Arc::new(Trained::learn(&sample, sampling.options.clone()));
        self.phase = match Harvesting::after(&trained, &sample, waiting) {
            Some(harvesting) => Phase::Harvesting(Box::new(harvesting)),
            None => Phase::BreadthFirst(trained),
        };
        self.put_anew();
    }

    /// Begins a generation of classes.
    fn put_anew(&mut self) {
        self.generation += 1;
        self.classes = Arc::new(match &mut self.phase {
            Phase::Sampling(sampling) => sampling.chosen.clone(),
            Phase::BreadthFirst(_) => Classes::default(),
            Phase::Harvesting(harvesting) => harvesting.put_anew(),
        });
    }
}

impl TrainingSample {
    /// Takes in a fetch. Gives the number of the page, where it is one.
    fn add(&mut self, seen: Observation) -> Option<usize> {
        let url = seen.url.fingerprint();
        match seen.outcome {
            Outcome::Page(facts) => {
                let PageFacts { bag, links, .. } = *facts;
                self.pages.push(SampledPage { url, bag, links: kept_links(url, links) });
                Some(self.pages.len() - 1)
            }
            Outcome::Redirected => {
                self.redirects.extend(seen.new.first().map(|target| (url, target.url.fingerprint())));
                None
            }
            Outcome::Document | Outcome::Failed => None,
        }
    }
}

impl Sampling {
    /// Takes in a fetch. True where links were chosen, which then come first.
    fn observe(&mut self, seen: Observation) -> bool {
        let url = seen.url.fingerprint();
        self.open.remove(&url);
        self.chosen.remove(&url);
        let redirected = matches!(seen.outcome, Outcome::Redirected);
        for link in &seen.new {
            if redirected {
                // It waits as a redirect and is followed at once, so it counts as chosen.
                self.chosen.insert(link.url.fingerprint(), link.class);
            } else if self.open.len() < WAITING_MAX {
                self.open.insert(link.url.fingerprint());
            }
        }
        let page = self.sample.add(seen);
        match self.options.sampling.order {
            SampleOrder::OnePerApath => page.is_some_and(|page| self.choose(page)),
            SampleOrder::BreadthFirst => false,
        }
    }

    fn choose(&mut self, page: usize) -> bool {
        let Self { sample, open, rng, .. } = self;
        let chosen = one_per_apath(&sample.pages[page].links, |url| open.contains(&url), rng);
        for link in &chosen {
            self.open.remove(&link.url);
            self.chosen.insert(link.url, LinkClass::unclassified(link.apath).with_pattern(chosen_by(page)));
        }
        !chosen.is_empty()
    }

    /// Whether the sample is complete, now that a URL of the class `last` was fetched.
    fn is_complete(&mut self, last: LinkClass) -> bool {
        let SamplingOptions { pages_max, order, .. } = self.options.sampling;
        let exhausted = last.apath != Apath::SEED
            && self.chosen.is_empty()
            && (order == SampleOrder::OnePerApath || self.open.is_empty());
        self.sample.pages.len() >= pages_max || exhausted || self.is_stopped()
    }

    fn is_stopped(&mut self) -> bool {
        let (StopRule::NoNewPlace { pages }, size) = (self.options.sampling.stop, self.sample.pages.len()) else {
            return false;
        };
        if size < self.asked_at {
            return false;
        }
        self.asked_at = ((size as f64 * ASKED_GROWTH) as usize).max(size + 1);
        let clustering = Clustering::of(&self.sample.pages, &self.options.eps);
        pages_without_a_new_place(&self.sample.pages, &clustering.labels) >= pages
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
