//! How the sample is taken, fetch by fetch, while the frontier keeps the queue.

use std::collections::HashSet;

use foldhash::fast::FixedState;

use super::options::{SampleOrder, SamplingOptions, SourceOptions, StopRule};
use super::sampling::{kept_links, one_per_apath};
use super::sitemap::{Clustering, SampledPage, TrainingSample, pages_without_a_new_place};
use super::snapshot::{Classes, chosen_by};
use crate::{Observation, Outcome, PageFacts};
use harvestman_core::model::{Apath, LinkClass};
use harvestman_core::seed::Rng;
use harvestman_core::url::Fingerprint;

/// The growth of the sample after which [`StopRule::NoNewPlace`] is asked again.
const ASKED_GROWTH: f64 = 1.25;
/// URLs that are known to wait while the sample is taken; those beyond are never chosen.
const WAITING_MAX: usize = 1 << 20;

/// The sample as it is taken.
pub struct Sampling {
    pub options: SourceOptions,
    rng: Rng,
    pub sample: TrainingSample,
    /// URLs that wait and were not chosen.
    open: HashSet<Fingerprint, FixedState>,
    /// URLs that wait and were chosen, with their classes.
    chosen: Classes,
    /// The size of the sample at which the stop rule is asked again.
    asked_at: usize,
}

impl TrainingSample {
    /// Takes in a fetch. Gives the number of the page, where it is one.
    pub(super) fn add(&mut self, seen: Observation) -> Option<usize> {
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
    pub fn new(options: SourceOptions, rng: Rng) -> Self {
        let asked_at = match options.sampling.stop {
            StopRule::Pages => usize::MAX,
            StopRule::NoNewPlace { pages } => pages.max(1),
        };
        let (open, chosen) = (HashSet::default(), Classes::default());
        Self { options, rng, sample: TrainingSample::default(), open, chosen, asked_at }
    }

    /// The URLs that wait.
    pub fn waiting(&self) -> impl Iterator<Item = Fingerprint> + '_ {
        self.open.iter().chain(self.chosen.keys()).copied()
    }

    /// The classes of what was chosen.
    pub fn classes(&self) -> Classes {
        self.chosen.clone()
    }

    /// Takes in a fetch. True where links were chosen, which then come first.
    pub fn observe(&mut self, seen: Observation) -> bool {
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
    pub fn is_complete(&mut self, last: LinkClass) -> bool {
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
