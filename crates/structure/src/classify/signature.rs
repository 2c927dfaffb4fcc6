//! A cache of classification results by the hash of a page's bag of leaf paths.

use super::vote::Classified;
use harvestman_core::model::LeafPath;

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

    fn answer(nearest: u32) -> Classified {
        Classified { cluster: Some(nearest), distance: 0.5, nearest }
    }

    fn bag(paths: &[(u64, u32)]) -> Vec<LeafPath> {
        paths.iter().map(|&(path, count)| LeafPath { path, count, text: None }).collect()
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
