//! What the policy publishes.

use std::cell::RefCell;
use std::collections::HashMap;
use std::sync::Arc;

use foldhash::fast::FixedState;

use super::places::{Sets, set_of};
use super::sitemap::{cluster_id, label};
use super::trained::Learnt;
use crate::PolicySnapshot;
use harvestman_core::model::{Apath, ClassOrder, ClusterId, LeafPath, LinkClass, PatternId, UrlPattern};
use harvestman_core::url::Fingerprint;
use harvestman_structure::classify::Scratch;
use harvestman_structure::site::{Balance, LinkPlace};

/// Answers that a thread remembers by the page's signature.
const ANSWERS_MAX: usize = 8192;
/// The score of redirects: following one belongs to the fetch that met it.
const REDIRECTS: f64 = 3e9;
/// The score of seeds.
const SEEDS: f64 = 2e9;
/// The score of what the first page of a sample chose; what later pages chose follows, each one less.
const CHOSEN: f64 = 1e9;

thread_local! {
    static SCRATCH: RefCell<Scratch> = RefCell::new(Scratch::new(ANSWERS_MAX));
}

/// The class that each URL waits under, as far as it isn't the one that it was discovered as.
pub type Classes = HashMap<Fingerprint, LinkClass, FixedState>;

/// The state of the policy at one moment.
pub struct SourceSnapshot {
    pub(super) version: u64,
    pub(super) generation: u64,
    pub(super) classes: Arc<Classes>,
    pub(super) stage: Stage,
}

/// Which part of the crawl this is.
pub enum Stage {
    /// The sample is taken.
    Sampling,
    /// The sample was of no use.
    BreadthFirst,
    /// The crawl goes by scores.
    Harvesting {
        /// What was learnt.
        learnt: Arc<Learnt>,
        /// What was crawled so far.
        balance: Balance,
        /// The sets of places that classes name.
        sets: Arc<Sets>,
    },
}

/// The mark of what the `page`-th page of a sample chose.
pub fn chosen_by(page: usize) -> UrlPattern {
    let id = PatternId(page as u64 + 1);
    UrlPattern { coarse: id, fine: id }
}

impl SourceSnapshot {
    fn sampling_score(class: LinkClass) -> f64 {
        if class.pattern == UrlPattern::NONE { 0.0 } else { CHOSEN - class.pattern.fine.0 as f64 }
    }
}

impl ClassOrder for SourceSnapshot {
    fn score(&self, class: LinkClass) -> f64 {
        if matches!(self.stage, Stage::BreadthFirst) {
            return 0.0;
        }
        match class.apath {
            Apath::REDIRECT => return REDIRECTS,
            Apath::SEED => return SEEDS,
            _ => {}
        }
        let Stage::Harvesting { learnt, balance, sets } = &self.stage else { return Self::sampling_score(class) };
        match set_of(class, sets) {
            Some(set) => set.iter().map(|place| learnt.score(*place, balance)).fold(0.0, f64::max),
            None => learnt.score(LinkPlace { source: label(class.cluster), apath: class.apath }, balance),
        }
    }
}

impl PolicySnapshot for SourceSnapshot {
    fn version(&self) -> u64 {
        self.version
    }

    fn cluster(&self, bag: &[LeafPath]) -> ClusterId {
        match &self.stage {
            Stage::Harvesting { learnt, .. } => {
                SCRATCH.with_borrow_mut(|scratch| cluster_id(learnt.label(bag, scratch)))
            }
            Stage::Sampling | Stage::BreadthFirst => ClusterId::UNKNOWN,
        }
    }

    fn generation(&self) -> u64 {
        self.generation
    }

    fn class_of(&self, class: LinkClass, url: &str, _: Option<&str>) -> LinkClass {
        let stays = matches!(class.apath, Apath::REDIRECT | Apath::SEED);
        let given = self.classes.get(&Fingerprint::of(url)).filter(|_| !stays);
        // What the sample's marks meant is over with it.
        given.copied().unwrap_or(LinkClass { pattern: UrlPattern::NONE, ..class })
    }
}
