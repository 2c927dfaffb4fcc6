//! Near-duplicates by the units that two pages have in common.

use std::collections::{BTreeMap, HashMap, VecDeque};

use foldhash::fast::FixedState;

use super::sketch::Sketch;
use super::{NearDuplicates, PageNo};
use crate::site::content::ContentUnit;

/// When pages are alike, and how much is remembered.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct JaccardOptions {
    /// The similarity from which a page is a duplicate, 0 … 1.
    pub similarity_min: f64,
    /// The pages remembered at most; about 4 KB each.
    pub pages_max: usize,
    /// A unit on more pages than this is part of a template and counts only for pages that have no other.
    pub pages_of_unit_max: u32,
    /// Candidates that are compared in full at most, those with most words in common first.
    pub compared_max: usize,
}

impl Default for JaccardOptions {
    fn default() -> Self {
        Self { similarity_min: 0.9, pages_max: 20_000, pages_of_unit_max: 50, compared_max: 16 }
    }
}

/// The pages seen last, by unit.
#[derive(Debug)]
pub struct JaccardIndex {
    options: JaccardOptions,
    /// In the order of their insertion; the places of the pages are counted on, from `first` for the oldest.
    pages: VecDeque<(PageNo, Sketch)>,
    first: u64,
    units: HashMap<u64, Posting, FixedState>,
}

/// Where a unit was seen.
#[derive(Debug, Default)]
struct Posting {
    /// How many of the remembered pages have it.
    count: u32,
    /// The places of the first of them, ascending.
    places: Vec<u64>,
}

impl JaccardIndex {
    /// An index that has seen nothing.
    pub fn new(options: JaccardOptions) -> Self {
        Self { options, pages: VecDeque::new(), first: 0, units: HashMap::default() }
    }

    /// How many pages are remembered.
    pub fn len(&self) -> usize {
        self.pages.len()
    }

    /// Whether nothing is remembered.
    pub fn is_empty(&self) -> bool {
        self.pages.is_empty()
    }

    /// Whether so many pages have the unit that it tells nothing.
    fn is_template(&self, unit: u64) -> bool {
        self.units.get(&unit).is_some_and(|posting| posting.count > self.options.pages_of_unit_max)
    }

    /// Whether the page says nothing of its own.
    fn is_bare(&self, sketch: &Sketch) -> bool {
        sketch.units().iter().all(|(unit, words)| *words == 0 || self.is_template(*unit))
    }

    fn at(&self, place: u64) -> &(PageNo, Sketch) {
        &self.pages[(place - self.first) as usize]
    }

    /// The places of the pages that have words in common with `sketch`, over the units that `counts` lets in, most first.
    fn candidates(&self, sketch: &Sketch, counts: impl Fn(u64) -> bool) -> Vec<u64> {
        let mut common: BTreeMap<u64, u64> = BTreeMap::new();
        for (unit, words) in sketch.units().iter().filter(|(unit, _)| counts(*unit)) {
            for place in self.units.get(unit).into_iter().flat_map(|posting| &posting.places) {
                *common.entry(*place).or_default() += u64::from(*words);
            }
        }
        let mut ranked: Vec<(u64, u64)> = common.into_iter().collect();
        ranked.sort_by_key(|(place, words)| (std::cmp::Reverse(*words), *place));
        ranked.into_iter().map(|(place, _)| place).collect()
    }

    fn most_similar(
        &self,
        sketch: &Sketch,
        counts: impl Fn(u64) -> bool,
        eligible: impl Fn(&Sketch) -> bool,
    ) -> Option<(PageNo, f64)> {
        let mut candidates = self.candidates(sketch, &counts);
        candidates.retain(|place| eligible(&self.at(*place).1));
        let compared = candidates.iter().take(self.options.compared_max);
        let similarity = |place: &u64| (sketch.jaccard(&self.at(*place).1, &counts), *place);
        let similar = compared.map(similarity).filter(|(similarity, _)| *similarity >= self.options.similarity_min);
        let (similarity, place) = similar.max_by(|one, other| one.0.total_cmp(&other.0).then(other.1.cmp(&one.1)))?;
        Some((self.at(place).0, similarity))
    }

    fn forget_oldest(&mut self) {
        let Some((_, sketch)) = self.pages.pop_front() else { return };
        for (unit, _) in sketch.units() {
            let Some(posting) = self.units.get_mut(unit) else { continue };
            posting.count -= 1;
            posting.places.retain(|place| *place != self.first);
            if posting.count == 0 {
                self.units.remove(unit);
            }
        }
        self.first += 1;
    }
}

impl NearDuplicates for JaccardIndex {
    fn find(&self, units: &[ContentUnit]) -> Option<(PageNo, f64)> {
        let sketch = Sketch::of(units);
        if self.is_bare(&sketch) {
            // Nothing but template: a log-in form, the same under every address. It is only like others of that kind.
            self.most_similar(&sketch, |_| true, |other| self.is_bare(other))
        } else {
            self.most_similar(&sketch, |unit| !self.is_template(unit), |_| true)
        }
    }

    fn insert(&mut self, page: PageNo, units: &[ContentUnit]) {
        if self.options.pages_max == 0 {
            return;
        }
        while self.pages.len() >= self.options.pages_max {
            self.forget_oldest();
        }
        let sketch = Sketch::of(units);
        let place = self.first + self.pages.len() as u64;
        for (unit, _) in sketch.units() {
            let posting = self.units.entry(*unit).or_default();
            posting.count += 1;
            if posting.places.len() < self.options.pages_of_unit_max as usize {
                posting.places.push(place);
            }
        }
        self.pages.push_back((page, sketch));
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn units(texts: impl IntoIterator<Item = u64>) -> Vec<ContentUnit> {
        texts.into_iter().map(|hash| ContentUnit { hash, words: 4, in_anchor: false }).collect()
    }

    #[test]
    fn pages_that_share_only_their_template_are_no_duplicates() {
        let mut index = JaccardIndex::new(JaccardOptions { pages_of_unit_max: 5, ..JaccardOptions::default() });
        // Forty units of template, one of their own.
        let page = |number: u64| units((0..40).chain([1000 + number]));
        for number in 0..10 {
            index.insert(PageNo(number as u32), &page(number));
        }
        assert_eq!(index.find(&page(77)), None);
        assert_eq!(index.find(&page(9)), Some((PageNo(9), 1.0)));
        assert_eq!(
            index.find(&units(0..40)),
            None,
            "an empty page of the template is like no page that says something"
        );
    }

    #[test]
    fn pages_of_nothing_but_template_are_alike() {
        let mut index = JaccardIndex::new(JaccardOptions { pages_of_unit_max: 5, ..JaccardOptions::default() });
        (0..10).for_each(|number| index.insert(PageNo(number), &units(0..10)));
        assert_eq!(index.find(&units(0..10)), Some((PageNo(0), 1.0)));
    }

    #[test]
    fn what_was_template_tells_again_when_its_pages_are_forgotten() {
        let options = JaccardOptions { pages_of_unit_max: 2, pages_max: 3, ..JaccardOptions::default() };
        let mut index = JaccardIndex::new(options);
        (0..3).for_each(|number| index.insert(PageNo(number), &units([1, 2, 3])));
        assert!(index.is_template(1));
        (3..6).for_each(|number| index.insert(PageNo(number), &units([100 + u64::from(number)])));
        assert!(!index.is_template(1));
        assert_eq!((index.len(), index.units.len()), (3, 3), "nothing is left of forgotten pages");
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn the_index_finds_what_comparing_with_every_page_finds(
            pages in proptest::collection::vec(proptest::collection::btree_set(0..12_u64, 0..8), 1..20), similarity_min in 0.1..1.0_f64,
        ) {
            let unlimited = JaccardOptions { similarity_min, pages_max: 15, pages_of_unit_max: 1000, compared_max: 1000 };
            let mut index = JaccardIndex::new(unlimited);
            let mut seen: Vec<(PageNo, Sketch)> = Vec::new();
            for (number, page) in (0..).zip(&pages) {
                let page = units(page.iter().copied());
                let sketch = Sketch::of(&page);
                let mut wanted = None;
                for (other, its) in &seen[seen.len().saturating_sub(15)..] {
                    let similarity = its.jaccard(&sketch, |_| true);
                    if similarity >= similarity_min && wanted.is_none_or(|(_, best)| similarity > best) {
                        wanted = Some((*other, similarity));
                    }
                }
                prop_assert_eq!(index.find(&page), wanted);
                index.insert(PageNo(number), &page);
                seen.push((PageNo(number), sketch));
            }
        }
    }
}
