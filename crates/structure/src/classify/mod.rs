//! Classification: which cluster a page belongs to (SOUrCe 2018, section 3.4).
//!
//! Input: the bag of leaf paths from the parser. Output: [`Classified`], by the nearest pages of the training
//! [`Sample`]. The [`Classifier`] answers repeated bags from a cache by signature and all others through an inverted
//! [`Index`], which gives exactly the result of a comparison with every page ([`classify_naively`]). [`condense()`]
//! makes the sample smaller.

mod condense;
mod index;
mod training_sample;

use crate::site::Vocabulary;
use harvestman_core::model::LeafPath;

pub use condense::condense;
pub use index::{Buffers, Index, classify_naively};
pub use training_sample::{Classified, Entry, KnnOptions, NEIGHBOURS, Neighbour, Outliers, Sample};

/// Classifies pages by a trained sample. It is immutable, so all workers can share one.
#[derive(Debug, Clone)]
pub struct Classifier {
    vocabulary: Vocabulary,
    index: Index,
    version: u64,
}

/// The state that a worker reuses from page to page, so that classification does not allocate.
#[derive(Debug)]
pub struct Scratch {
    page: Vec<(u32, f32)>,
    buffers: Buffers,
    cache: SignatureCache,
    /// The classifier whose answers are in the cache.
    version: Option<u64>,
    hits: u64,
}

impl Scratch {
    /// Creates the buffers, with a cache of `answers` answers.
    pub fn new(answers: usize) -> Self {
        let (page, buffers, cache) = (Vec::new(), Buffers::default(), SignatureCache::new(answers));
        Self { page, buffers, cache, version: None, hits: 0 }
    }

    /// Returns the number of pages that were answered from the cache.
    pub const fn hits(&self) -> u64 {
        self.hits
    }
}

impl Classifier {
    /// Creates a classifier from the vocabulary and sample that were learned together. `version` identifies it among
    /// all classifiers that a scratch is used with: cached answers of another version are dropped.
    pub fn new(vocabulary: Vocabulary, sample: &Sample, options: KnnOptions, version: u64) -> Self {
        Self { vocabulary, index: Index::new(sample, options), version }
    }

    /// Returns the features that distinguish pages.
    pub const fn vocabulary(&self) -> &Vocabulary {
        &self.vocabulary
    }

    /// Classifies the page with this bag of leaf paths.
    pub fn classify(&self, bag: &[LeafPath], scratch: &mut Scratch) -> Classified {
        if scratch.version != Some(self.version) {
            scratch.cache.clear();
            scratch.version = Some(self.version);
        }
        let signature = signature(bag);
        if let Some(answer) = scratch.cache.get(signature) {
            scratch.hits += 1;
            return answer;
        }
        let answer = self.classify_uncached(bag, scratch);
        scratch.cache.insert(signature, answer);
        answer
    }

    /// Does the same without the cache.
    pub fn classify_uncached(&self, bag: &[LeafPath], scratch: &mut Scratch) -> Classified {
        self.vocabulary.weigh_into(bag, &mut scratch.page);
        self.index.classify(&scratch.page, &mut scratch.buffers)
    }
}

/// Number of answers per set; the least recently used one is replaced.
const WAYS: usize = 4;

/// Returns a 64-bit hash of a bag, independent of the order of its paths.
pub fn signature(bag: &[LeafPath]) -> u64 {
    // A sum of well-mixed terms does not depend on the order, so nothing needs to be sorted.
    bag.iter().fold(bag.len() as u64, |sum, leaf| sum.wrapping_add(mix(leaf.path ^ mix(u64::from(leaf.count)))))
}

/// Applies the finaliser of SplitMix64: every bit of the result depends on every bit of the value.
const fn mix(value: u64) -> u64 {
    let value = value.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let value = (value ^ (value >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let value = (value ^ (value >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    value ^ (value >> 31)
}

/// Answers by signature: a table of fixed size, in sets of four in the order of their last use.
///
/// Two bags with one signature count as the same: among a million bags that happens with probability 3 · 10⁻⁸.
#[derive(Debug)]
pub struct SignatureCache {
    sets: Box<[Set]>,
}

/// Signatures with their answers, most recently used first.
type Set = [Option<(u64, Classified)>; WAYS];

impl SignatureCache {
    /// Creates a cache for at least `answers` answers (24 bytes each).
    pub fn new(answers: usize) -> Self {
        let sets = answers.div_ceil(WAYS).max(1).next_power_of_two();
        Self { sets: vec![[None; WAYS]; sets].into() }
    }

    /// Returns the cached answer for `signature`.
    pub fn get(&mut self, signature: u64) -> Option<Classified> {
        let set = self.set(signature);
        let way = set.iter().position(|kept| kept.is_some_and(|(other, _)| other == signature))?;
        set[..=way].rotate_right(1);
        set[0].map(|(_, answer)| answer)
    }

    /// Caches the answer for `signature`, which is not in the cache yet.
    pub fn insert(&mut self, signature: u64, answer: Classified) {
        let set = self.set(signature);
        set.rotate_right(1);
        set[0] = Some((signature, answer));
    }

    /// Drops all answers.
    pub fn clear(&mut self) {
        self.sets.fill([None; WAYS]);
    }

    fn set(&mut self, signature: u64) -> &mut Set {
        let place = signature as usize & (self.sets.len() - 1);
        &mut self.sets[place]
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::site::Label;

    fn bag(paths: &[(u64, u32)]) -> Vec<LeafPath> {
        paths.iter().map(|&(path, count)| LeafPath { path, count, text: None }).collect()
    }

    fn trained(bags: &[Vec<LeafPath>], labels: &[Label], version: u64) -> Classifier {
        let vocabulary = Vocabulary::learn(bags.iter().map(Vec::as_slice), 1);
        let vectors: Vec<_> = bags.iter().map(|bag| vocabulary.weigh(bag)).collect();
        let options = KnnOptions { neighbours: 1, ..KnnOptions::default() };
        Classifier::new(vocabulary, &Sample::new(&vectors, labels), options, version)
    }

    #[test]
    fn a_page_is_of_the_cluster_of_the_page_it_resembles() {
        let bags = [bag(&[(1, 1), (2, 9)]), bag(&[(1, 1), (3, 9)])];
        let classifier = trained(&bags, &[Some(0), Some(1)], 1);
        let mut scratch = Scratch::new(16);
        let found = classifier.classify(&bag(&[(3, 7), (1, 1), (99, 5)]), &mut scratch);
        assert_eq!((found.cluster, found.nearest), (Some(1), 1));
    }

    #[test]
    fn the_same_bag_is_answered_from_the_cache_until_the_classifier_changes() {
        let bags = [bag(&[(1, 1)]), bag(&[(2, 1)])];
        let (old, new) = (trained(&bags, &[Some(0), Some(1)], 1), trained(&bags, &[Some(5), Some(6)], 2));
        let mut scratch = Scratch::new(16);
        let mut ask = |classifier: &Classifier| {
            let answer = classifier.classify(&bags[1], &mut scratch).cluster;
            (answer, scratch.hits())
        };
        assert_eq!([ask(&old), ask(&old), ask(&new)], [(Some(1), 0), (Some(1), 1), (Some(6), 1)]);
    }

    fn answer(nearest: u32) -> Classified {
        Classified { cluster: Some(nearest), distance: 0.5, nearest }
    }

    #[test]
    fn bags_that_differ_have_different_signatures() {
        let bags = [&[][..], &[(1, 1)], &[(1, 2)], &[(2, 1)], &[(1, 1), (2, 2)], &[(1, 2), (2, 1)], &[(0, 0)]];
        let signatures: std::collections::BTreeSet<_> = bags.iter().map(|paths| signature(&bag(paths))).collect();
        assert_eq!(signatures.len(), bags.len());
    }

    #[test]
    fn the_least_recently_used_of_four_gives_way() {
        let mut cache = SignatureCache::new(1);
        (0..4).for_each(|key| cache.insert(key, answer(key as u32)));
        assert_eq!(cache.get(0), Some(answer(0)), "used again");
        cache.insert(4, answer(4));
        assert_eq!((cache.get(1), cache.get(0), cache.get(4)), (None, Some(answer(0)), Some(answer(4))));
        cache.clear();
        assert_eq!(cache.get(4), None);
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn a_signature_depends_on_no_order(paths in proptest::collection::vec((any::<u64>(), any::<u32>()), 0..20)) {
            let reversed: Vec<_> = paths.iter().rev().copied().collect();
            prop_assert_eq!(signature(&bag(&paths)), signature(&bag(&reversed)));
        }

        #[test]
        fn what_the_cache_answers_was_put_there(keys in proptest::collection::vec(0..40_u64, 0..200)) {
            let mut cache = SignatureCache::new(16);
            for key in keys {
                match cache.get(key) {
                    Some(kept) => prop_assert_eq!(kept, answer(key as u32)),
                    None => cache.insert(key, answer(key as u32)),
                }
                prop_assert!(cache.get(key).is_some());
            }
        }
    }
}
