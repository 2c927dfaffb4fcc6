//! Which pages are probably duplicates whose text is not read: those of a class most of whose pages were, when they
//! were read.

use std::collections::HashMap;

use foldhash::fast::FixedState;

use super::text::Kin;

/// Maximum number of classes that are counted; of others, no page is taken for a duplicate.
const CLASSES_MAX: usize = 1 << 12;
/// Counts are halved from this number on, so that they follow a site that changes.
const MEMORY: u32 = 1 << 8;

/// Wanted pages that were read, and the duplicates among them, by class.
#[derive(Debug, Default)]
pub struct DuplicateShare {
    classes: HashMap<Kin, Counts, FixedState>,
}

#[derive(Debug, Clone, Copy, Default)]
struct Counts {
    pages: u32,
    duplicates: u32,
}

impl DuplicateShare {
    /// Counts a wanted page whose text was read.
    pub fn see(&mut self, class: Kin, is_duplicate: bool) {
        if self.classes.len() >= CLASSES_MAX && !self.classes.contains_key(&class) {
            return;
        }
        let counts = self.classes.entry(class).or_default();
        counts.pages += 1;
        counts.duplicates += u32::from(is_duplicate);
        if counts.pages >= MEMORY {
            *counts = Counts { pages: counts.pages / 2, duplicates: counts.duplicates / 2 };
        }
    }

    /// Whether most wanted pages of a class were duplicates.
    pub fn is_likely(&self, class: Kin) -> bool {
        let counts = self.classes.get(&class).copied().unwrap_or_default();
        2 * counts.duplicates > counts.pages
    }

    /// Forgets everything: classes have changed their meaning.
    pub fn clear(&mut self) {
        self.classes.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use harvestman_core::model::{ClusterId, PatternId};

    fn class(number: u64) -> Kin {
        Kin { cluster: ClusterId(3), pattern: PatternId(4 * number) }
    }

    #[test]
    fn pages_are_taken_for_duplicates_where_most_were() {
        let mut share = DuplicateShare::default();
        assert!(!share.is_likely(class(1)), "nothing is known");
        for number in 0..100 {
            share.see(class(1), number % 10 > 0);
            share.see(class(2), number % 10 == 0);
        }
        assert!(share.is_likely(class(1)) && !share.is_likely(class(2)) && !share.is_likely(class(3)));
        (0..1_000).for_each(|_| share.see(class(1), false));
        assert!(!share.is_likely(class(1)), "the site has changed");
        share.clear();
        share.see(class(1), true);
        assert!(share.is_likely(class(1)));
    }

    #[test]
    fn classes_are_bounded() {
        let mut share = DuplicateShare::default();
        (0..CLASSES_MAX as u64 + 10).for_each(|number| share.see(class(number), true));
        assert_eq!(share.classes.len(), CLASSES_MAX);
        assert!(share.is_likely(class(0)) && !share.is_likely(class(CLASSES_MAX as u64 + 1)));
    }
}
