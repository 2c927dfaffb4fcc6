//! Near-duplicates by fingerprints (Charikar 2002; Manku et al. 2007).

use std::collections::{HashMap, VecDeque};

use foldhash::fast::FixedState;

use super::{NearDuplicates, PageNo};
use crate::site::content::ContentUnit;

/// The fingerprint is looked up by each of so many bands.
const BANDS: u32 = 4;
const BAND_BITS: u32 = u64::BITS / BANDS;

/// When pages are alike, and how much is remembered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SimhashOptions {
    /// Bits in which the fingerprints of duplicates may differ. Up to 3, all of them are found.
    pub bits_max: u32,
    /// The pages remembered at most; about 60 bytes each.
    pub pages_max: usize,
    /// The pages remembered for one value of a band at most; the newer ones give way.
    pub pages_of_band_max: usize,
}

impl Default for SimhashOptions {
    fn default() -> Self {
        Self { bits_max: 3, pages_max: 100_000, pages_of_band_max: 256 }
    }
}

/// The fingerprint of a page: each bit is what most of its words say. None for a page without words.
pub fn simhash(units: &[ContentUnit]) -> Option<u64> {
    let mut votes = [0_i64; u64::BITS as usize];
    let mut words = 0;
    for unit in units {
        words += u64::from(unit.words);
        for (bit, votes) in votes.iter_mut().enumerate() {
            let word_votes = i64::from(unit.words);
            *votes += if unit.hash >> bit & 1 == 1 { word_votes } else { -word_votes };
        }
    }
    let fingerprint = votes.iter().enumerate().map(|(bit, votes)| u64::from(*votes > 0) << bit).sum();
    (words > 0).then_some(fingerprint)
}

/// The pages seen last, by the bands of their fingerprints.
#[derive(Debug)]
pub struct SimhashIndex {
    options: SimhashOptions,
    pages: VecDeque<(PageNo, Option<u64>)>,
    /// The place of the oldest page.
    first: u64,
    /// The places of pages by band and its value, ascending.
    bands: HashMap<(u32, u16), Vec<u64>, FixedState>,
}

impl SimhashIndex {
    /// An index that has seen nothing.
    pub fn new(options: SimhashOptions) -> Self {
        Self { options, pages: VecDeque::new(), first: 0, bands: HashMap::default() }
    }

    /// How many pages are remembered.
    pub fn len(&self) -> usize {
        self.pages.len()
    }

    /// Whether nothing is remembered.
    pub fn is_empty(&self) -> bool {
        self.pages.is_empty()
    }

    fn forget_oldest(&mut self) {
        let Some((_, fingerprint)) = self.pages.pop_front() else { return };
        for band in fingerprint.into_iter().flat_map(bands) {
            let Some(places) = self.bands.get_mut(&band) else { continue };
            places.retain(|place| *place != self.first);
            if places.is_empty() {
                self.bands.remove(&band);
            }
        }
        self.first += 1;
    }
}

fn bands(fingerprint: u64) -> impl Iterator<Item = (u32, u16)> {
    (0..BANDS).map(move |band| (band, (fingerprint >> (band * BAND_BITS)) as u16))
}

impl NearDuplicates for SimhashIndex {
    fn find(&self, units: &[ContentUnit]) -> Option<(PageNo, f64)> {
        let fingerprint = simhash(units)?;
        let places = bands(fingerprint).filter_map(|band| self.bands.get(&band)).flatten();
        let compared = places.filter_map(|place| {
            let (page, other) = self.pages[(place - self.first) as usize];
            Some(((fingerprint ^ other?).count_ones(), *place, page))
        });
        let (bits, _, page) = compared.filter(|(bits, ..)| *bits <= self.options.bits_max).min()?;
        Some((page, 1.0 - f64::from(bits) / f64::from(u64::BITS)))
    }

    fn insert(&mut self, page: PageNo, units: &[ContentUnit]) {
        if self.options.pages_max == 0 {
            return;
        }
        while self.pages.len() >= self.options.pages_max {
            self.forget_oldest();
        }
        let fingerprint = simhash(units);
        let place = self.first + self.pages.len() as u64;
        for band in fingerprint.into_iter().flat_map(bands) {
            let places = self.bands.entry(band).or_default();
            if places.len() < self.options.pages_of_band_max {
                places.push(place);
            }
        }
        self.pages.push_back((page, fingerprint));
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn unit(hash: u64, words: u16) -> ContentUnit {
        ContentUnit { hash, words, in_anchor: false }
    }

    #[test]
    fn each_bit_is_what_most_words_say() {
        let units = [unit(0b1100, 2), unit(0b1010, 2), unit(0b0011, 3)];
        // Bits 0 … 3: 3 : 4, 5 : 2, 2 : 5, 4 : 3.
        assert_eq!(simhash(&units), Some(0b1010));
        assert_eq!((simhash(&[]), simhash(&[unit(5, 0)])), (None, None));
        assert_eq!(simhash(&[unit(u64::MAX, 1)]), Some(u64::MAX));
    }

    #[test]
    fn a_full_band_remembers_no_more_pages() {
        let mut index = SimhashIndex::new(SimhashOptions { pages_of_band_max: 2, ..SimhashOptions::default() });
        (0..5).for_each(|page| index.insert(PageNo(page), &[unit(1, 1)]));
        assert_eq!(index.bands.values().map(Vec::len).max(), Some(2));
        assert_eq!(index.find(&[unit(1, 1)]), Some((PageNo(0), 1.0)));
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn the_index_finds_what_comparing_with_every_fingerprint_finds(
            base in any::<u64>(), flips in proptest::collection::vec(proptest::collection::vec(0..64_u32, 0..5), 1..30),
        ) {
            let mut index = SimhashIndex::new(SimhashOptions { pages_max: 20, ..SimhashOptions::default() });
            let mut seen: Vec<(u32, PageNo, u64)> = Vec::new();
            for (number, flips) in (0..).zip(&flips) {
                // A page of one unit has that unit's hash for a fingerprint.
                let fingerprint = flips.iter().fold(base, |hash, bit| hash ^ (1 << bit));
                let last = &seen[seen.len().saturating_sub(20)..];
                let near = last.iter().map(|(order, page, other)| ((fingerprint ^ other).count_ones(), *order, *page));
                let wanted = near.filter(|(bits, ..)| *bits <= 3).min();
                let wanted = wanted.map(|(bits, _, page)| (page, 1.0 - f64::from(bits) / 64.0));
                prop_assert_eq!(index.find(&[unit(fingerprint, 1)]), wanted);
                index.insert(PageNo(number), &[unit(fingerprint, 1)]);
                seen.push((number, PageNo(number), fingerprint));
            }
        }
    }
}
