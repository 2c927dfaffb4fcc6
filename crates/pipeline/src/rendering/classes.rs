//! The classes of pages that a crawl met: pure.

use std::cmp::Reverse;
use std::collections::HashMap;

use foldhash::fast::FixedState;
use serde::{Deserialize, Serialize};

use super::page::RenderClass;

/// Maximum number of classes; pages of others are counted only in total.
const CLASSES_MAX: usize = 16_384;
/// Maximum length of an example.
const EXAMPLE_MAX: usize = 2_048;

/// A class that was met.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct MetClass {
    /// The URL of its first page, or the start of it.
    pub(super) example: String,
    pub(super) pages: u64,
    pub(super) rendered: u64,
    pub(super) replayed: u64,
}

/// All classes that were met.
#[derive(Debug, Default)]
pub(super) struct MetClasses {
    classes: HashMap<RenderClass, MetClass, FixedState>,
    /// The numbers of pages of all classes.
    pub(super) rendered: u64,
    pub(super) replayed: u64,
}

impl MetClasses {
    /// Counts a page.
    pub(super) fn meet(&mut self, class: RenderClass, url: &str) {
        if let Some(met) = self.classes.get_mut(&class) {
            met.pages += 1;
        } else if self.classes.len() < CLASSES_MAX {
            let example = url.chars().take(EXAMPLE_MAX).collect();
            self.classes.insert(class, MetClass { example, pages: 1, ..MetClass::default() });
        }
    }

    /// Moves a page that was counted to another class.
    pub(super) fn move_page(&mut self, from: RenderClass, to: RenderClass, url: &str) {
        if let Some(met) = self.classes.get_mut(&from) {
            met.pages = met.pages.saturating_sub(1);
        }
        self.meet(to, url);
    }

    /// Counts a page that a browser rendered.
    pub(super) fn count_rendered(&mut self, class: RenderClass) {
        self.rendered += 1;
        self.classes.entry(class).and_modify(|met| met.rendered += 1);
    }

    /// Counts a page that plain requests completed.
    pub(super) fn count_replayed(&mut self, class: RenderClass) {
        self.replayed += 1;
        self.classes.entry(class).and_modify(|met| met.replayed += 1);
    }

    /// Restores a class of an earlier run.
    pub(super) fn restore(&mut self, class: RenderClass, met: MetClass) {
        if self.classes.len() < CLASSES_MAX {
            self.classes.insert(class, met);
        }
    }

    /// Returns the number of classes.
    pub(super) fn len(&self) -> usize {
        self.classes.len()
    }

    /// Returns the classes with the most pages, the largest first.
    pub(super) fn largest(&self, max: usize) -> Vec<(RenderClass, MetClass)> {
        let mut all: Vec<(&RenderClass, &MetClass)> = self.classes.iter().collect();
        all.sort_unstable_by_key(|(class, met)| (Reverse(met.pages), **class));
        all.into_iter().take(max).map(|(class, met)| (*class, met.clone())).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use harvestman_core::url::CanonicalUrl;

    fn class(form: u64) -> RenderClass {
        RenderClass::of(&CanonicalUrl::from_canonical("http://h.test/"), form)
    }

    #[test]
    fn pages_are_counted_by_class() {
        let mut met = MetClasses::default();
        ["/1", "/2", "/3"].iter().for_each(|url| met.meet(class(1), url));
        met.meet(class(2), "/other");
        met.count_rendered(class(1));
        met.count_replayed(class(1));
        met.count_rendered(class(9));
        met.move_page(class(1), class(1).apart(), "/3");
        let largest = met.largest(1);
        let expected = MetClass { example: "/1".to_owned(), pages: 2, rendered: 1, replayed: 1 };
        assert_eq!(largest, [(class(1), expected)]);
        assert_eq!((met.rendered, met.replayed, met.len()), (2, 1, 3));
    }

    #[test]
    fn classes_and_their_examples_are_bounded() {
        let mut met = MetClasses::default();
        (0..=CLASSES_MAX as u64).for_each(|form| met.meet(class(form), &"ä".repeat(3_000)));
        assert_eq!((met.len(), met.largest(1)[0].1.example.chars().count()), (CLASSES_MAX, EXAMPLE_MAX));
    }
}
