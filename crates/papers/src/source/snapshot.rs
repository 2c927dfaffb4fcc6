//! The snapshots of the policy.

use std::cell::RefCell;
use std::collections::HashMap;
use std::sync::Arc;

use foldhash::fast::FixedState;

use super::places::{Sets, set_of};
use super::sitemap::{cluster_id, label};
use super::trained::LearnedScores;
use crate::site::{Balance, LinkPlace};
use harvestman_core::model::{Apath, ClassOrder, ClusterId, LeafPath, LinkClass, PatternId, UrlPattern};
use harvestman_core::url::Fingerprint;
use harvestman_policy::PolicySnapshot;
use harvestman_structure::classify::Scratch;

/// Number of classifications that a thread caches by the page's signature.
const ANSWERS_MAX: usize = 8192;
/// The score of redirects: following one belongs to the fetch that met it.
const REDIRECTS: f64 = 3e9;
/// The score of seeds.
const SEEDS: f64 = 2e9;
/// The score of URLs that the first page of a sample chose; those of each later page score one less.
const CHOSEN: f64 = 1e9;

thread_local! {
    static SCRATCH: RefCell<Scratch> = RefCell::new(Scratch::new(ANSWERS_MAX));
}

/// The class of each waiting URL, if it differs from the class that the URL was discovered with.
pub type UrlClasses = HashMap<Fingerprint, LinkClass, FixedState>;

/// The state of the policy at one moment.
pub struct SourceSnapshot {
    pub(super) version: u64,
    pub(super) generation: u64,
    pub(super) classes: Arc<UrlClasses>,
    pub(super) stage: SourceStage,
}

/// The phase of the crawl.
pub enum SourceStage {
    /// The sample is being taken.
    Sampling,
    /// The sample gave no scores.
    BreadthFirst,
    /// The crawl follows the scores.
    ScoredCrawl {
        /// The scores and the clusters.
        learned: Arc<LearnedScores>,
        /// The pages that were crawled so far, by cluster.
        balance: Balance,
        /// The sets of places that classes refer to.
        sets: Arc<Sets>,
    },
}

/// The pattern that marks URLs chosen by the `page`-th page of a sample.
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
        if matches!(self.stage, SourceStage::BreadthFirst) {
            return 0.0;
        }
        match class.apath {
            Apath::REDIRECT => return REDIRECTS,
            Apath::SEED => return SEEDS,
            _ => {}
        }
        let SourceStage::ScoredCrawl { learned, balance, sets } = &self.stage else {
            return Self::sampling_score(class);
        };
        match set_of(class, sets) {
            Some(set) => set.iter().map(|place| learned.score(*place, balance)).fold(0.0, f64::max),
            None => learned.score(LinkPlace { source: label(class.cluster), apath: class.apath }, balance),
        }
    }
}

impl PolicySnapshot for SourceSnapshot {
    fn version(&self) -> u64 {
        self.version
    }

    fn cluster(&self, bag: &[LeafPath]) -> ClusterId {
        match &self.stage {
            SourceStage::ScoredCrawl { learned, .. } => {
                SCRATCH.with_borrow_mut(|scratch| cluster_id(learned.label(bag, scratch)))
            }
            SourceStage::Sampling | SourceStage::BreadthFirst => ClusterId::UNKNOWN,
        }
    }

    fn generation(&self) -> u64 {
        self.generation
    }

    fn class_of(&self, class: LinkClass, url: &str, _: Option<&str>) -> LinkClass {
        let stays = matches!(class.apath, Apath::REDIRECT | Apath::SEED);
        let given = self.classes.get(&Fingerprint::of(url)).filter(|_| !stays);
        // The patterns that marked chosen URLs have no meaning after the sample.
        given.copied().unwrap_or(class.with_pattern(UrlPattern::NONE))
    }
}
