//! The features of a page: its leaf paths, weighted by their rarity (SOUrCe 2018, section 3.2).

use std::collections::{BTreeMap, HashMap};

use foldhash::fast::FixedState;

use super::vector::{SparseVector, normalise_l1};
use harvestman_core::model::LeafPath;

/// Minimum number of pages with a leaf path for it to be a feature (θ = minPts).
pub const THETA: u32 = 4;

/// The leaf paths that distinguish the pages of a sample, each with its inverse document frequency.
///
/// It is learned once: the document frequencies and |D| of the sample apply to every later page.
#[derive(Debug, Clone, Default, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(from = "Stored", into = "Stored")]
pub struct Vocabulary {
    /// Leaf path to feature. Features are numbered by ascending path, independent of the order of the pages.
    features: HashMap<u64, u32, FixedState>,
    /// ln(|D| / df + 1) of each feature.
    rarity: Box<[f64]>,
    pages: u32,
}

/// The stored form of a vocabulary: |D|, and the path and rarity of each feature in the order of their numbers.
#[derive(serde::Serialize, serde::Deserialize)]
struct Stored {
    pages: u32,
    features: Vec<(u64, f64)>,
}

impl From<Stored> for Vocabulary {
    fn from(stored: Stored) -> Self {
        Self {
            features: stored.features.iter().map(|(path, _)| *path).zip(0..).collect(),
            rarity: stored.features.iter().map(|(_, rarity)| *rarity).collect(),
            pages: stored.pages,
        }
    }
}

impl From<Vocabulary> for Stored {
    fn from(vocabulary: Vocabulary) -> Self {
        let rarity = |feature: u32| vocabulary.rarity.get(feature as usize).copied().unwrap_or(0.0);
        let mut features: Vec<(u32, u64)> =
            vocabulary.features.iter().map(|(path, feature)| (*feature, *path)).collect();
        features.sort_unstable();
        let features = features.into_iter().map(|(feature, path)| (path, rarity(feature))).collect();
        Self { pages: vocabulary.pages, features }
    }
}

impl Vocabulary {
    /// Learns the paths that occur on at least `theta` of the pages.
    pub fn learn<'a>(bags: impl IntoIterator<Item = &'a [LeafPath]>, theta: u32) -> Self {
        let mut document_frequency: BTreeMap<u64, u32> = BTreeMap::new();
        let (mut pages, mut on_page) = (0_u32, Vec::new());
        for bag in bags {
            pages += 1;
            on_page.clear();
            on_page.extend(bag.iter().map(|leaf| leaf.path));
            on_page.sort_unstable();
            on_page.dedup();
            on_page.iter().for_each(|path| *document_frequency.entry(*path).or_default() += 1);
        }
        document_frequency.retain(|_, frequency| *frequency >= theta);
        let rarity = |frequency: &u32| (f64::from(pages) / f64::from(*frequency)).ln_1p();
        Self {
            rarity: document_frequency.values().map(rarity).collect(),
            features: document_frequency.into_keys().zip(0..).collect(),
            pages,
        }
    }

    /// Returns the number of features.
    pub fn len(&self) -> usize {
        self.rarity.len()
    }

    /// Returns whether no path occurred often enough.
    pub fn is_empty(&self) -> bool {
        self.rarity.is_empty()
    }

    /// Returns the number of pages that it was learned from (|D|).
    pub const fn pages(&self) -> u32 {
        self.pages
    }

    /// Returns the share of a page's paths that are features, from 0 to 1; 1 for a page without paths.
    pub fn familiarity(&self, bag: &[LeafPath]) -> f64 {
        let known = bag.iter().filter(|leaf| self.features.contains_key(&leaf.path)).count();
        if bag.is_empty() { 1.0 } else { known as f64 / bag.len() as f64 }
    }

    /// Returns the vector of a page: ln(tf + 1) · ln(|D| / df + 1) for each known path (eq. 1), divided by their sum
    /// (eq. 2). A page without a known path has the zero vector.
    pub fn weigh(&self, bag: &[LeafPath]) -> SparseVector {
        let mut entries = Vec::new();
        self.weigh_into(bag, &mut entries);
        SparseVector::from_sorted(&entries)
    }

    /// Computes the entries of [`Self::weigh`] in a reused buffer.
    pub fn weigh_into(&self, bag: &[LeafPath], entries: &mut Vec<(u32, f32)>) {
        entries.clear();
        let known = |leaf: &LeafPath| Some((*self.features.get(&leaf.path)?, leaf.count as f32));
        entries.extend(bag.iter().filter_map(known));
        entries.sort_unstable_by_key(|(feature, _)| *feature);
        // A parser yields each path once; a bag from another source may not.
        entries.dedup_by(|next, kept| {
            let same = next.0 == kept.0;
            kept.1 += if same { next.1 } else { 0.0 };
            same
        });
        for (feature, weight) in entries.iter_mut() {
            *weight = (f64::from(*weight).ln_1p() * self.rarity[*feature as usize]) as f32;
        }
        normalise_l1(entries);
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn bag(paths: &[(u64, u32)]) -> Vec<LeafPath> {
        paths.iter().map(|&(path, count)| LeafPath { path, count, text: None }).collect()
    }

    fn learn(bags: &[Vec<LeafPath>], theta: u32) -> Vocabulary {
        Vocabulary::learn(bags.iter().map(Vec::as_slice), theta)
    }

    #[test]
    fn weights_are_those_of_equations_1_and_2() {
        // |D| = 4; path 10 is on all pages, path 20 on two of them.
        let bags = [bag(&[(10, 1), (20, 3)]), bag(&[(10, 5), (20, 1)]), bag(&[(10, 1)]), bag(&[(10, 1)])];
        let vocabulary = learn(&bags, 2);
        let (common, rare) = (2.0_f64.ln() * 2.0_f64.ln(), 4.0_f64.ln() * 3.0_f64.ln());
        let expected = [(0, (common / (common + rare)) as f32), (1, (rare / (common + rare)) as f32)];
        let weights: Vec<_> = vocabulary.weigh(&bags[0]).iter().collect();
        for ((feature, weight), (wanted_feature, wanted)) in weights.iter().zip(expected) {
            assert_eq!(*feature, wanted_feature);
            assert!((weight - wanted).abs() < 1e-6, "{weight} is not {wanted}");
        }
        assert_eq!((weights.len(), vocabulary.len(), vocabulary.pages()), (2, 2, 4));
    }

    #[test]
    fn paths_on_fewer_than_theta_pages_are_no_features() {
        let bags = [bag(&[(1, 9), (2, 1)]), bag(&[(1, 1)]), bag(&[(1, 1)]), bag(&[(1, 1), (2, 1)])];
        assert_eq!((learn(&bags, 4).len(), learn(&bags, 2).len(), learn(&bags, 5).len()), (1, 2, 0));
        // A path that is named twice on one page is on one page.
        assert!(learn(&[bag(&[(1, 1), (1, 1)])], 2).is_empty());
    }

    #[test]
    fn a_page_is_familiar_by_the_share_of_its_paths_that_are_features() {
        let vocabulary = learn(&[bag(&[(1, 1), (2, 5)])], 1);
        let of = |paths: &[(u64, u32)]| vocabulary.familiarity(&bag(paths));
        assert_eq!((of(&[(1, 9), (2, 1)]), of(&[(1, 1), (8, 70)]), of(&[(8, 1)]), of(&[])), (1.0, 0.5, 0.0, 1.0));
    }

    #[test]
    fn unknown_paths_are_ignored_and_a_page_of_nothing_else_is_the_zero_vector() {
        let vocabulary = learn(&[bag(&[(1, 1)]), bag(&[(1, 2)])], 1);
        assert!(vocabulary.weigh(&bag(&[(2, 7)])).is_empty());
        assert_eq!(vocabulary.weigh(&bag(&[(2, 7), (1, 1)])).iter().collect::<Vec<_>>(), [(0, 1.0)]);
        assert!(Vocabulary::default().weigh(&bag(&[(1, 1)])).is_empty());
    }

    #[test]
    fn the_vocabulary_does_not_depend_on_the_order_of_pages() {
        let mut bags = vec![bag(&[(5, 1), (1, 1)]), bag(&[(3, 2), (1, 4)]), bag(&[(5, 1), (3, 1)])];
        let before = learn(&bags, 1).weigh(&bags[1]);
        bags.rotate_left(1);
        assert_eq!(learn(&bags, 1).weigh(&bags[0]), before);
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn a_pages_weights_sum_to_one_or_there_are_none(
            pages in proptest::collection::vec(proptest::collection::vec((0..9_u64, 1..1000_u32), 0..9), 0..9)
        ) {
            let bags: Vec<_> = pages.iter().map(|page| bag(page)).collect();
            let vocabulary = learn(&bags, 2);
            for page in &bags {
                let vector = vocabulary.weigh(page);
                let sum: f32 = vector.iter().map(|(_, weight)| weight).sum();
                prop_assert!(vector.is_empty() || (sum - 1.0).abs() < 1e-5);
            }
        }

        #[test]
        fn a_vocabulary_that_was_stored_weighs_pages_as_before(
            pages in proptest::collection::vec(proptest::collection::vec((any::<u64>(), 1..1000_u32), 0..9), 0..9)
        ) {
            let bags: Vec<_> = pages.iter().map(|page| bag(page)).collect();
            let vocabulary = learn(&bags, 1);
            let stored = serde_json::to_string(&vocabulary).unwrap();
            let read: Vocabulary = serde_json::from_str(&stored).unwrap();
            prop_assert_eq!(&read, &vocabulary);
            for page in &bags {
                prop_assert_eq!(read.weigh(page), vocabulary.weigh(page));
            }
        }
    }
}
