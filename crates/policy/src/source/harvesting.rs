//! The crawl by what was learnt (SOUrCe 2018, section 4.4).

use std::sync::Arc;

use super::places::{Places, Sets};
use super::sitemap::TrainingSample;
use super::snapshot::{Classes, Stage};
use super::trained::{Learnt, Trained};
use crate::{NewLink, Observation, Outcome, PageFacts};
use harvestman_core::url::Fingerprint;
use harvestman_structure::classify::Scratch;
use harvestman_structure::site::{Balance, Label, LinkPlace};

/// Answers that are remembered by a page's signature.
const ANSWERS_MAX: usize = 1024;

/// What changes while the policy crawls.
pub struct Harvesting {
    trained: Arc<Trained>,
    learnt: Arc<Learnt>,
    balance: Balance,
    places: Places,
    sets: Arc<Sets>,
    scratch: Scratch,
    fetches_since_put: usize,
}

impl Harvesting {
    /// For a crawl that starts now; none where nothing was learnt.
    pub fn afresh(trained: &Arc<Trained>) -> Option<Self> {
        let learnt = Arc::clone(trained.learnt.as_ref().ok()?);
        Some(Self {
            trained: Arc::clone(trained),
            balance: Balance::new(learnt.clustering.clusters),
            learnt,
            places: Places::default(),
            sets: Arc::default(),
            scratch: Scratch::new(ANSWERS_MAX),
            fetches_since_put: 0,
        })
    }

    /// For the crawl that `sample` was taken by, where the URLs of `waiting` still wait.
    pub fn after(
        trained: &Arc<Trained>,
        sample: &TrainingSample,
        waiting: impl Iterator<Item = Fingerprint>,
    ) -> Option<Self> {
        let mut harvesting = Self::afresh(trained)?;
        waiting.for_each(|url| harvesting.places.begin(url));
        let learnt = Arc::clone(&harvesting.learnt);
        for (page, source) in sample.pages.iter().zip(&learnt.clustering.labels) {
            harvesting.balance.count(*source);
            for link in &page.links {
                harvesting.see(link.url, LinkPlace { source: *source, apath: link.apath });
            }
        }
        Some(harvesting)
    }

    /// What was learnt.
    pub const fn trained(&self) -> &Arc<Trained> {
        &self.trained
    }

    /// Takes in a fetch. True where what waits is to be put under other classes.
    pub fn observe(&mut self, seen: Observation) -> bool {
        let url = seen.url.fingerprint();
        self.places.end(url);
        self.fetches_since_put += 1;
        if let Outcome::Page(facts) = seen.outcome {
            let label = self.learnt.label(&facts.bag, &mut self.scratch);
            self.balance.count(label);
            self.take_in(label, &facts, &seen.new);
        }
        // A generation costs a look at every URL that waits.
        self.places.have_moved()
            && self.fetches_since_put.saturating_mul(self.trained.options.moved_per_fetch) >= self.places.len()
    }

    fn take_in(&mut self, source: Label, facts: &PageFacts, new: &[NewLink]) {
        if self.trained.options.moved_per_fetch == 0 {
            return;
        }
        // A new URL waits at its first place, whatever is known of that.
        for link in new {
            let url = link.url.fingerprint();
            self.places.begin(url);
            self.places.see(url, LinkPlace { source, apath: link.class.apath });
        }
        for link in &facts.links {
            self.see(link.url, LinkPlace { source, apath: link.apath });
        }
    }

    /// Notes a place of a URL, if it may be worth anything.
    fn see(&mut self, url: Fingerprint, place: LinkPlace) {
        if self.learnt.knows(place) {
            self.places.see(url, place);
        }
    }

    /// The classes of a new generation.
    pub fn put_anew(&mut self) -> Classes {
        let (classes, sets) = self.places.classes();
        self.sets = Arc::new(sets);
        self.fetches_since_put = 0;
        classes
    }

    /// What a snapshot holds of it.
    pub fn stage(&self) -> Stage {
        Stage::Harvesting {
            learnt: Arc::clone(&self.learnt),
            balance: self.balance.clone(),
            sets: Arc::clone(&self.sets),
        }
    }
}
