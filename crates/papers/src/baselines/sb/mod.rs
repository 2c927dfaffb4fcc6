//! SB-CLASSIFIER: sleeping bandits over tag paths (Gauquier, Manolescu, Senellart: *Efficient Crawling for Scalable Web
//! Data Acquisition*, 2026, arXiv 2602.11874).
//!
//! An *arm* is a group of places with similar tag paths (bigrams of elements, hashed; cosine to the group's centroid at
//! least 0.75); it sleeps while no URL of it waits. Fetching a page is a pull of the arm that its link belongs to, and
//! its reward the number of new targets found on it. The awake arm with the highest AUER index is next, with any of its
//! URLs. An on-line classifier predicts by their URLs which links lead to targets (fetched first), to other pages, and
//! to neither.
//!
//! Parameters are the defaults of the authors' program (α = 2√2, θ = 0.75, bigrams in 2^12 dimensions, batches of 10
//! URLs).
//!
//! Different here: the authors' targets are data files, which have no links; here they are the pages that [`Wanted`]
//! describes, so each fetched page is a pull, and an arm is rewarded when a page that was found through it turns out to
//! be wanted (in the original: as soon as the page's links are classified and its targets fetched). The first batch
//! does not consist of HEAD requests but of the first pages fetched; until then every URL counts as a page's. Links to
//! neither come last instead of never, as a wrong guess could not be corrected. A centroid counts each distinct place
//! once, not each link. Waiting URLs are labelled again whenever the number of batches has doubled; the original labels
//! a link once. Where tag paths are not spelt out ([`Spelling`]), each place is an arm. The authors' early stopping is
//! left out. How they train the classifier could only be seen in outline: here it is stochastic gradient descent over
//! each batch.

mod arms;
mod urls;

use std::collections::HashMap;
use std::sync::Arc;

use foldhash::fast::FixedState;

pub use arms::Spelling;

use self::arms::{ArmOfPlace, Arms};
use self::urls::{Label, Learner, Model};
use super::random::{random_bucket, unit};
use super::versions::Versions;
use super::wanted::{Judge, Wanted};
use harvestman_core::model::{ClassOrder, LinkClass, PatternId, UrlPattern};
use harvestman_core::seed::Seed;
use harvestman_core::url::Fingerprint;
use harvestman_policy::{Needs, Observation, Outcome, Policy, PolicySnapshot};

/// Maximum number of pages whose arm is known; targets on later ones give no reward.
const PAGES_MAX: usize = 1 << 20;
/// Number of classes that the URLs of one arm and label are spread over, to draw one of them.
const BUCKETS: u64 = 16;
/// The score of URLs that are predicted as targets: above any arm's index.
const FIRST: f64 = 1e6;
/// Maximum difference between the scores of an arm's classes: less than the difference between arms.
const JITTER: f64 = 1e-6;

/// The parameters of [`SleepingBandit`].
#[derive(Debug, Clone, Copy)]
pub struct SbOptions {
    /// α: the weight of exploration.
    pub alpha: f64,
    /// θ: the cosine from which on tag paths are similar.
    pub similarity: f64,
}

impl Default for SbOptions {
    fn default() -> Self {
        Self { alpha: 2.0 * std::f64::consts::SQRT_2, similarity: 0.75 }
    }
}

/// The policy that pulls arms.
pub struct SleepingBandit {
    options: SbOptions,
    judge: Judge,
    seed: Seed,
    arms: Arms,
    learner: Learner,
    /// The arm that each page was fetched through.
    pages: HashMap<Fingerprint, u16, FixedState>,
    fetched: u64,
    generation: u64,
    versions: Versions,
}

impl SleepingBandit {
    /// The policy that looks for `wanted`. `spelling` spells tag paths out, where it can.
    pub fn new(wanted: Wanted, options: SbOptions, spelling: Option<Spelling>, seed: Seed) -> Self {
        Self {
            options,
            judge: Judge::new(wanted),
            seed: seed.child("policy-sb"),
            arms: Arms::new(options.similarity, spelling),
            learner: Learner::new(),
            pages: HashMap::default(),
            fetched: 0,
            generation: 0,
            versions: Versions::default(),
        }
    }

    fn pull(&mut self, seen: &Observation, wanted: bool) {
        let arm = self.arms.of(seen.class.apath);
        self.fetched += 1;
        self.arms.arms[usize::from(arm)].pulls += 1;
        if self.pages.len() < PAGES_MAX {
            self.pages.insert(seen.url.fingerprint(), arm);
        }
        let found_on = seen.via.as_deref().and_then(|via| self.pages.get(&Fingerprint::of(via)));
        if let Some(arm) = found_on.filter(|_| wanted) {
            self.arms.arms[usize::from(*arm)].reward += 1;
        }
    }

    fn learn(&mut self, url: &str, label: Label) {
        if self.learner.learn(url, label) && self.learner.batches().is_power_of_two() {
            self.generation += 1;
        }
    }
}

impl Policy for SleepingBandit {
    fn observe(&mut self, seen: Observation) {
        self.versions.outdate();
        for link in &seen.new {
            self.arms.of(link.class.apath);
        }
        match &seen.outcome {
            Outcome::Page(page) => {
                let wanted = self.judge.wants(page);
                self.pull(&seen, wanted);
                self.learn(seen.url.as_str(), if wanted { Label::Target } else { Label::Html });
            }
            Outcome::Document | Outcome::Failed | Outcome::Search(_) => self.learn(seen.url.as_str(), Label::Neither),
            // The target of the URL will be known by the redirect's own target.
            Outcome::Redirected => {}
        }
    }

    fn snapshot(&mut self) -> Arc<dyn PolicySnapshot> {
        let index = |arm: &arms::Arm| arm.index(self.options.alpha, self.fetched);
        Arc::new(ArmScores {
            version: self.versions.next(),
            generation: self.generation,
            seed: self.seed,
            indices: self.arms.arms.iter().map(index).collect(),
            untried: index(&arms::Arm::default()),
            places: Arc::clone(&self.arms.places),
            model: self.learner.model(),
        })
    }

    fn needs(&self) -> Needs {
        Needs { units: self.judge.needs_units(), ..Needs::default() }
    }
}

/// The current worth of each arm.
struct ArmScores {
    version: u64,
    generation: u64,
    seed: Seed,
    indices: Box<[f64]>,
    untried: f64,
    places: Arc<ArmOfPlace>,
    model: Option<Arc<Model>>,
}

impl ClassOrder for ArmScores {
    fn score(&self, class: LinkClass) -> f64 {
        let index = |arm: &u16| self.indices.get(usize::from(*arm)).copied();
        let index = self.places.get(&class.apath).and_then(index).unwrap_or(self.untried);
        let drawn = JITTER * unit(self.seed.nth(self.version).nth(class.pattern.fine.0));
        match label(class.pattern) {
            Label::Target => FIRST + index + drawn,
            Label::Html => index + drawn,
            Label::Neither => -1.0 + drawn,
        }
    }
}

/// The pattern of URLs with this label in this bucket.
fn pattern(label: Label, bucket: u64) -> UrlPattern {
    // 0 is the pattern of URLs that were not looked at.
    let coarse = 1 + label as u64;
    UrlPattern { coarse: PatternId(coarse), fine: PatternId(coarse * BUCKETS + bucket) }
}

fn label(pattern: UrlPattern) -> Label {
    Label::ALL.into_iter().find(|label| pattern.coarse.0 == 1 + *label as u64).unwrap_or(Label::Html)
}

impl PolicySnapshot for ArmScores {
    fn version(&self) -> u64 {
        self.version
    }

    fn pattern(&self, url: &str) -> UrlPattern {
        let label = self.model.as_ref().map_or(Label::Html, |model| model.predict(url));
        pattern(label, random_bucket(self.seed, url).fine.0 % BUCKETS)
    }

    fn generation(&self) -> u64 {
        self.generation
    }

    fn class_of(&self, class: LinkClass, url: &str, _: Option<&str>) -> LinkClass {
        class.with_pattern(self.pattern(url))
    }
}

#[cfg(test)]
mod tests;
