//! What is kept of a page's content: a sample of its units that is the same for the same units (bottom-k, Broder 1997).

use std::cmp::Ordering;

use crate::site::content::ContentUnit;

/// The units kept of a page at most.
pub const SKETCH_UNITS: usize = 64;

/// The units of smallest hash, ascending, each once, with their words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sketch {
    units: Box<[(u64, u16)]>,
    /// Whether the page has more units than are kept.
    cut: bool,
}

impl Sketch {
    /// The sketch of a page.
    pub fn of(units: &[ContentUnit]) -> Self {
        let mut kept: Vec<(u64, u16)> = units.iter().map(|unit| (unit.hash, unit.words)).collect();
        kept.sort_unstable();
        kept.dedup_by_key(|(hash, _)| *hash);
        let cut = kept.len() > SKETCH_UNITS;
        kept.truncate(SKETCH_UNITS);
        Self { units: kept.into(), cut }
    }

    /// Hash and words of each unit that is kept.
    pub fn units(&self) -> &[(u64, u16)] {
        &self.units
    }

    /// The words in common by the words of both together, over the units that `counts` lets in: 0 … 1, 0 where there are none.
    ///
    /// Exact for pages of no more than [`SKETCH_UNITS`] units. Of larger ones only the range of hashes that both sketches know
    /// whole is compared, which is an unbiased sample of their units.
    pub fn jaccard(&self, other: &Self, counts: impl Fn(u64) -> bool) -> f64 {
        let limit = self.limit().min(other.limit());
        let (mut i, mut j) = (0, 0);
        let (mut common, mut all) = (0_u64, 0_u64);
        loop {
            let (one, two) = (self.units.get(i), other.units.get(j));
            let order = match (one, two) {
                (None, None) => break,
                (Some(_), None) => Ordering::Less,
                (None, Some(_)) => Ordering::Greater,
                (Some(one), Some(two)) => one.0.cmp(&two.0),
            };
            let Some((hash, words)) = (if order == Ordering::Greater { two } else { one }).copied() else { break };
            i += usize::from(order != Ordering::Greater);
            j += usize::from(order != Ordering::Less);
            if hash <= limit && counts(hash) {
                all += u64::from(words);
                common += if order == Ordering::Equal { u64::from(words) } else { 0 };
            }
        }
        if all == 0 { 0.0 } else { common as f64 / all as f64 }
    }

    /// The largest hash up to which all units of the page are kept.
    fn limit(&self) -> u64 {
        if self.cut { self.units.last().map_or(u64::MAX, |(hash, _)| *hash) } else { u64::MAX }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn units(texts: impl IntoIterator<Item = (u64, u16)>) -> Vec<ContentUnit> {
        texts.into_iter().map(|(hash, words)| ContentUnit { hash, words, in_anchor: false }).collect()
    }

    fn jaccard(one: &[ContentUnit], other: &[ContentUnit]) -> f64 {
        Sketch::of(one).jaccard(&Sketch::of(other), |_| true)
    }

    #[test]
    fn similarity_is_words_in_common_by_all_words() {
        let (one, two) = (units([(1, 10), (2, 5), (2, 5)]), units([(3, 5), (2, 5)]));
        assert_eq!(jaccard(&one, &two), 0.25);
        assert_eq!(Sketch::of(&one).jaccard(&Sketch::of(&two), |hash| hash != 1), 0.5);
        assert_eq!((jaccard(&one, &one), jaccard(&one, &[]), jaccard(&[], &[])), (1.0, 0.0, 0.0));
    }

    #[test]
    fn large_pages_are_compared_by_a_sample_that_both_know() {
        let hash = |text: u64| xxhash_rust::xxh3::xxh3_64(&text.to_le_bytes());
        let page = |texts: std::ops::Range<u64>| units(texts.map(|text| (hash(text), 3)));
        let found = jaccard(&page(0..1000), &page(100..1100));
        let exact = 900.0 / 1100.0;
        assert!((found - exact).abs() < 0.15, "{found} is far from {exact}");
        assert_eq!(Sketch::of(&page(0..1000)).units().len(), SKETCH_UNITS);
        assert_eq!(jaccard(&page(0..1000), &page(0..1000)), 1.0);
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn similarity_is_that_of_the_sets(
            one in proptest::collection::btree_set(0..40_u64, 0..30), two in proptest::collection::btree_set(0..40_u64, 0..30)
        ) {
            let words = |hash: u64| (hash % 7) as u16;
            let weight = |hashes: Vec<&u64>| hashes.into_iter().map(|hash| u64::from(words(*hash))).sum::<u64>() as f64;
            let (common, all) = (weight(one.intersection(&two).collect()), weight(one.union(&two).collect()));
            let wanted = if all == 0.0 { 0.0 } else { common / all };
            let with_words = |set: &std::collections::BTreeSet<u64>| units(set.iter().map(|hash| (*hash, words(*hash))));
            prop_assert_eq!(jaccard(&with_words(&one), &with_words(&two)), wanted);
        }
    }
}
