//! Pages that say the same under another address: permalinks, sort orders, print views.
//!
//! Two measures over a page's [`ContentUnit`]s, each with an index over the pages seen last: [`JaccardIndex`] compares the
//! sets of units and leaves out what is part of the template; [`SimhashIndex`] compares 64-bit fingerprints and is
//! smaller and coarser.

mod jaccard;
mod simhash;
mod sketch;

pub use jaccard::{JaccardIndex, JaccardOptions};
pub use simhash::{SimhashIndex, SimhashOptions, simhash};
pub use sketch::{SKETCH_UNITS, Sketch};

use super::content::ContentUnit;

/// Names a page among those that an index has seen; numbers are given by whoever inserts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PageNo(pub u32);

/// What finds near-duplicates among the pages seen.
pub trait NearDuplicates {
    /// The page most like the one with these units, and how like it is (0 … 1), where that is enough to be a duplicate.
    /// Of equally similar ones the one seen first.
    fn find(&self, units: &[ContentUnit]) -> Option<(PageNo, f64)>;

    /// Remembers a page; the oldest is forgotten where there are too many.
    fn insert(&mut self, page: PageNo, units: &[ContentUnit]);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn units(texts: impl IntoIterator<Item = u64>) -> Vec<ContentUnit> {
        let hash = |text: u64| xxhash_rust::xxh3::xxh3_64(&text.to_le_bytes());
        texts.into_iter().map(|text| ContentUnit { hash: hash(text), words: 9, in_anchor: false }).collect()
    }

    /// What every index must do, whatever its measure.
    fn keeps_its_promises(mut index: impl NearDuplicates, pages_max: u32) {
        assert_eq!(index.find(&units(0..30)), None, "nothing was seen");
        index.insert(PageNo(7), &units(0..30));
        index.insert(PageNo(8), &units(1000..1030));
        assert_eq!(index.find(&units(0..30)), Some((PageNo(7), 1.0)));
        assert_eq!(index.find(&units((0..30).rev())), Some((PageNo(7), 1.0)), "order does not matter");
        assert_eq!(index.find(&units(2000..2030)), None);
        index.insert(PageNo(9), &units(0..30));
        assert_eq!(index.find(&units(0..30)), Some((PageNo(7), 1.0)), "the first of equals");
        index.insert(PageNo(10), &[]);
        assert_eq!(index.find(&[]), None, "pages that say nothing are not alike");
        for page in 0..u64::from(pages_max) {
            index.insert(PageNo(100 + page as u32), &units(10_000 + 100 * page..10_030 + 100 * page));
        }
        assert_eq!(index.find(&units(0..30)), None, "the oldest are forgotten");
        assert!(index.find(&units(10_000..10_030)).is_some());
    }

    #[test]
    fn both_indexes_find_what_was_seen_and_forget_the_oldest() {
        keeps_its_promises(JaccardIndex::new(JaccardOptions { pages_max: 20, ..JaccardOptions::default() }), 20);
        keeps_its_promises(SimhashIndex::new(SimhashOptions { pages_max: 20, ..SimhashOptions::default() }), 20);
    }
}
