//! The sample, taken fetch by fetch while the frontier keeps the queue.

use std::collections::HashSet;

use foldhash::fast::FixedState;

use super::options::{SampleOrder, SamplingOptions, SourceOptions, StopRule};
use super::sampling::{kept_links, one_per_apath};
use super::sitemap::{Clustering, SampledPage, TrainingSample, pages_without_a_new_place};
use super::snapshot::{UrlClasses, chosen_by};
use harvestman_core::model::{Apath, LinkClass};
use harvestman_core::seed::Rng;
use harvestman_core::url::Fingerprint;
use harvestman_policy::{Observation, Outcome, PageFacts};

/// The growth of the sample after which [`StopRule::NoNewPlace`] is checked again.
const ASKED_GROWTH: f64 = 1.25;
/// Maximum number of URLs that are known to wait while the sample is taken; further ones are never chosen.
const WAITING_MAX: usize = 1 << 20;

/// The state of the sample.
pub struct PageSampling {
    pub options: SourceOptions,
    rng: Rng,
    pub sample: TrainingSample,
    /// Waiting URLs that were not chosen.
    open: HashSet<Fingerprint, FixedState>,
    /// Waiting URLs that were chosen, with their classes.
    chosen: UrlClasses,
    /// The size of the sample at which the stop rule is checked again.
    asked_at: usize,
}

impl TrainingSample {
    /// Adds a fetch. Returns the number of the page, if it is one.
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
            Outcome::Document | Outcome::Failed | Outcome::Search(_) => None,
        }
    }
}

impl PageSampling {
    pub fn new(options: SourceOptions, rng: Rng) -> Self {
        let asked_at = match options.sampling.stop {
            StopRule::Pages => usize::MAX,
            StopRule::NoNewPlace { pages } => pages.max(1),
        };
        let (open, chosen) = (HashSet::default(), UrlClasses::default());
        Self { options, rng, sample: TrainingSample::default(), open, chosen, asked_at }
    }

    /// The waiting URLs.
    pub fn waiting(&self) -> impl Iterator<Item = Fingerprint> + '_ {
        self.open.iter().chain(self.chosen.keys()).copied()
    }

    /// The classes of the chosen URLs.
    pub fn classes(&self) -> UrlClasses {
        self.chosen.clone()
    }

    /// Adds a fetch. Returns true where links were chosen, which then come first.
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

    /// Whether the sample is complete after the fetch of a URL of the class `last`.
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
