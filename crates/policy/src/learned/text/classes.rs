//! Classes of pages by the pattern of their URLs: which of two classes that show the same text could be left out.

use std::collections::HashMap;
use std::num::NonZeroU32;

use foldhash::fast::FixedState;

use harvestman_core::model::PatternId;

/// A class whose pages number fewer is not judged by the share of its own text.
const PAGES_MIN: f64 = 20.0;
/// The difference between two shares from which on one is higher.
const MARGIN: f64 = 0.1;
/// Pages of a class are smaller than those of another if they have at most this share of their text.
const SMALLER: f64 = 0.9;
/// Pages of a class can be left out for those of another if at least this share of their text is on pages that are
/// within such pages, and at most this share of that on pages within several.
const WITHIN: f64 = 0.5;
const WITHIN_SEVERAL: f64 = 0.5;

/// The number of a class, from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct PageClass(NonZeroU32);

impl PageClass {
    const fn at(self) -> usize {
        self.0.get() as usize - 1
    }
}

/// Sums over the pages of a class.
#[derive(Debug, Clone, Copy, Default)]
struct Sums {
    pages: f64,
    /// Shingles.
    content: f64,
    /// Those that pages of no other class show.
    exclusive: f64,
}

impl Sums {
    fn exclusive_share(self) -> f64 {
        (self.exclusive + 1.0) / (self.content + 2.0)
    }

    fn mean(self) -> f64 {
        self.content / self.pages.max(1.0)
    }
}

/// The shingles of the pages of one class that are within pages of another, and of those that are within several pages.
#[derive(Debug, Clone, Copy, Default)]
struct Containment {
    within: f64,
    within_several: f64,
}

/// The classes of an index.
#[derive(Debug, Default)]
pub struct PageClasses {
    numbers: HashMap<PatternId, PageClass, FixedState>,
    sums: Vec<Sums>,
    containments: HashMap<(PageClass, PageClass), Containment, FixedState>,
}

impl PageClasses {
    /// Returns the class of pages whose URLs have this pattern.
    pub fn of(&mut self, pattern: PatternId) -> PageClass {
        let sums = &mut self.sums;
        *self.numbers.entry(pattern).or_insert_with(|| {
            let number = NonZeroU32::MIN.saturating_add(sums.len() as u32);
            sums.push(Sums::default());
            PageClass(number)
        })
    }

    /// Counts a page: the number of its shingles, and of those that no page of another class shows so far.
    pub fn add_page(&mut self, class: PageClass, shingles: usize, exclusive: usize) {
        let sums = self.at(class);
        sums.pages += 1.0;
        sums.content += shingles as f64;
        sums.exclusive += exclusive as f64;
    }

    /// Counts that a page of another class shows a shingle that only pages of `class` showed.
    pub fn share_shingle(&mut self, class: PageClass) {
        let sums = self.at(class);
        sums.exclusive = (sums.exclusive - 1.0).max(0.0);
    }

    /// Returns whether text that pages of both classes show counts for `one`: the pages of the other could be left out,
    /// or it has more text that the other does not show. As long as few pages of either are known, or the shares are
    /// alike, it counts for the smaller pages: a list of excerpts is larger than the pages that they are taken from.
    pub fn outranks(&self, one: PageClass, other: PageClass) -> bool {
        match (self.could_be_left_out(other, one), self.could_be_left_out(one, other)) {
            (true, false) => return true,
            (false, true) => return false,
            _ => {}
        }
        let (one, other) = (self.sums[one.at()], self.sums[other.at()]);
        let (mine, theirs) = (one.exclusive_share(), other.exclusive_share());
        let certain = one.pages.min(other.pages) >= PAGES_MIN && (mine - theirs).abs() > MARGIN;
        if certain { mine > theirs } else { one.mean() < SMALLER * other.mean() }
    }

    /// Counts that a page of `inner` is within a page of `outer`: one of so many shingles.
    pub fn see_within(&mut self, inner: PageClass, outer: PageClass, shingles: usize) {
        self.containments.entry((inner, outer)).or_default().within += shingles as f64;
    }

    /// Counts that such a page is within several pages: these are lists of them.
    pub fn see_several(&mut self, inner: PageClass, outer: PageClass, shingles: usize) {
        self.containments.entry((inner, outer)).or_default().within_several += shingles as f64;
    }

    /// Returns whether pages of `inner` that are within pages of `outer` could be left out.
    pub fn could_be_left_out(&self, inner: PageClass, outer: PageClass) -> bool {
        let Some(seen) = self.containments.get(&(inner, outer)).filter(|_| inner != outer) else { return false };
        let all = self.sums[inner.at()].content;
        seen.within >= WITHIN * all && seen.within_several <= WITHIN_SEVERAL * seen.within
    }

    /// Forgets everything.
    pub fn clear(&mut self) {
        *self = Self::default();
    }

    fn at(&mut self, class: PageClass) -> &mut Sums {
        &mut self.sums[class.at()]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn two() -> (PageClasses, PageClass, PageClass) {
        let mut classes = PageClasses::default();
        let (one, other) = (classes.of(PatternId(1)), classes.of(PatternId(2)));
        assert_eq!(classes.of(PatternId(1)), one);
        (classes, one, other)
    }

    #[test]
    fn text_of_two_classes_counts_for_the_smaller_pages_until_enough_is_known() {
        let (mut classes, list, article) = two();
        for _ in 0..10 {
            classes.add_page(list, 500, 480);
            classes.add_page(article, 100, 50);
        }
        assert!(classes.outranks(article, list) && !classes.outranks(list, article));
        for _ in 0..10 {
            classes.add_page(list, 500, 480);
            classes.add_page(article, 100, 50);
        }
        assert!(classes.outranks(list, article) && !classes.outranks(article, list));
        (0..19_000).for_each(|_| classes.share_shingle(list));
        assert!(classes.outranks(article, list));
    }

    #[test]
    fn pages_that_are_mostly_within_one_other_page_could_be_left_out() {
        let (mut classes, revision, question) = two();
        for _ in 0..20 {
            classes.add_page(revision, 100, 0);
            classes.add_page(question, 300, 200);
        }
        (0..9).for_each(|_| classes.see_within(revision, question, 100));
        assert!(!classes.could_be_left_out(revision, question), "most are not");
        classes.see_within(revision, question, 100);
        assert!(classes.could_be_left_out(revision, question) && classes.outranks(question, revision));
        assert!(!classes.could_be_left_out(question, revision) && !classes.outranks(revision, question));
        (0..6).for_each(|_| classes.see_several(revision, question, 100));
        assert!(!classes.could_be_left_out(revision, question), "the others are lists of them");
    }
}
