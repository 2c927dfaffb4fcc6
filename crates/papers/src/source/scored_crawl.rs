//! The crawl after training (SOUrCe 2018, section 4.4).

use std::sync::Arc;

use super::places::{Sets, WaitingPlaces};
use super::sitemap::TrainingSample;
use super::snapshot::{SourceStage, UrlClasses};
use super::trained::{LearnedScores, Trained};
use crate::site::{Balance, LinkPlace};
use harvestman_core::url::Fingerprint;
use harvestman_policy::{NewLink, Observation, Outcome, PageFacts};
use harvestman_structure::classify::Scratch;
use harvestman_structure::site::Label;

/// Number of classifications that are cached by a page's signature.
const ANSWERS_MAX: usize = 1024;

/// The state that changes while the policy crawls.
pub struct ScoredCrawl {
    trained: Arc<Trained>,
    learned: Arc<LearnedScores>,
    balance: Balance,
    places: WaitingPlaces,
    sets: Arc<Sets>,
    scratch: Scratch,
    fetches_since_put: usize,
}

impl ScoredCrawl {
    /// The state of a crawl that starts now; `None` where the sample gave no scores.
    pub fn restarted(trained: &Arc<Trained>) -> Option<Self> {
        let learned = Arc::clone(trained.learned.as_ref().ok()?);
        Some(Self {
            trained: Arc::clone(trained),
            balance: Balance::new(learned.clustering.clusters),
            learned,
            places: WaitingPlaces::default(),
            sets: Arc::default(),
            scratch: Scratch::new(ANSWERS_MAX),
            fetches_since_put: 0,
        })
    }

    /// The state of the crawl that took the sample, where the URLs of `waiting` still wait.
    pub fn after(
        trained: &Arc<Trained>,
        sample: &TrainingSample,
        waiting: impl Iterator<Item = Fingerprint>,
    ) -> Option<Self> {
        let mut harvesting = Self::restarted(trained)?;
        waiting.for_each(|url| harvesting.places.begin(url));
        let learned = Arc::clone(&harvesting.learned);
        for (page, source) in sample.pages.iter().zip(&learned.clustering.labels) {
            harvesting.balance.count(*source);
            for link in &page.links {
                harvesting.see(link.url, LinkPlace { source: *source, apath: link.apath });
            }
        }
        Some(harvesting)
    }

    /// The result of the training.
    pub const fn trained(&self) -> &Arc<Trained> {
        &self.trained
    }

    /// Adds a fetch. Returns true where waiting URLs are to be moved to other classes.
    pub fn observe(&mut self, seen: Observation) -> bool {
        let url = seen.url.fingerprint();
        self.places.end(url);
        self.fetches_since_put += 1;
        if let Outcome::Page(facts) = seen.outcome {
            let label = self.learned.label(&facts.bag, &mut self.scratch);
            self.balance.count(label);
            self.take_in(label, &facts, &seen.new);
        }
        // A new generation makes the frontier check every waiting URL.
        self.places.have_moved()
            && self.fetches_since_put.saturating_mul(self.trained.options.moved_per_fetch) >= self.places.len()
    }

    fn take_in(&mut self, source: Label, facts: &PageFacts, new: &[NewLink]) {
        if self.trained.options.moved_per_fetch == 0 {
            return;
        }
        // A new URL waits at its first place, whether or not that has a score.
        for link in new {
            let url = link.url.fingerprint();
            self.places.begin(url);
            self.places.see(url, LinkPlace { source, apath: link.class.apath });
        }
        for link in &facts.links {
            self.see(link.url, LinkPlace { source, apath: link.apath });
        }
    }

    /// Records a place of a URL, unless its links are worthless.
    fn see(&mut self, url: Fingerprint, place: LinkPlace) {
        if self.learned.knows(place) {
            self.places.see(url, place);
        }
    }

    /// The classes of a new generation.
    pub fn reclassify(&mut self) -> UrlClasses {
        let (classes, sets) = self.places.classes();
        self.sets = Arc::new(sets);
        self.fetches_since_put = 0;
        classes
    }

    /// The phase as a snapshot contains it.
    pub fn stage(&self) -> SourceStage {
        SourceStage::ScoredCrawl {
            learned: Arc::clone(&self.learned),
            balance: self.balance.clone(),
            sets: Arc::clone(&self.sets),
        }
    }
}
