//! The entry point of classification: from a bag of leaf paths to a cluster.

use super::index::{Buffers, Index};
use super::sample::Sample;
use super::signature::{SignatureCache, signature};
use super::vote::{Classified, KnnOptions};
use crate::site::Vocabulary;
use harvestman_core::model::LeafPath;

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

#[cfg(test)]
mod tests {
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
}
