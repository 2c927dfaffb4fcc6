//! The URL patterns whose pages other pages repeat: whether such another page is new depends on what these show.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use foldhash::fast::FixedState;

use harvestman_core::model::PatternId;

/// Minimum number of pages of one pattern that pages of another repeat, and their minimum number relative to all pages
/// of the other. Where each page has so many repetitions that they are fewer, the repetitions are alike without it.
const REPETITIONS_MIN: u32 = 3;
const SHARE_MIN: f64 = 0.02;
/// Maximum number of patterns that are counted, and of pairs of them.
const PATTERNS_MAX: usize = 10_000;
const PAIRS_MAX: usize = 10_000;
/// Number of pages after which the patterns are determined again.
const REFRESH: u64 = 64;

/// Counts of repetitions by pattern. They are kept when pages are assigned to their templates again.
#[derive(Debug, Clone, Default)]
pub struct Repetitions {
    seen: u64,
    pages: HashMap<PatternId, u32, FixedState>,
    pairs: HashMap<(PatternId, PatternId), u32, FixedState>,
    repeated: Arc<HashSet<PatternId, FixedState>>,
}

impl Repetitions {
    /// Counts a page.
    pub fn see(&mut self, pattern: PatternId) {
        if self.pages.len() < PATTERNS_MAX || self.pages.contains_key(&pattern) {
            *self.pages.entry(pattern).or_default() += 1;
        }
        self.seen += 1;
        if self.seen.is_multiple_of(REFRESH) {
            self.refresh();
        }
    }

    /// Counts that a page of `other` is repeated by one of `one`, each page of `other` once.
    pub fn repeat(&mut self, one: PatternId, other: PatternId) {
        if self.pairs.len() < PAIRS_MAX || self.pairs.contains_key(&(one, other)) {
            *self.pairs.entry((one, other)).or_default() += 1;
        }
    }

    fn refresh(&mut self) {
        let is_enough = |one: PatternId, count: u32| {
            let pages = self.pages.get(&one).copied().unwrap_or(0);
            count >= REPETITIONS_MIN && f64::from(count) >= SHARE_MIN * f64::from(pages)
        };
        let enough = self.pairs.iter().filter(|((one, _), count)| is_enough(*one, **count));
        let repeated: HashSet<_, _> = enough.map(|((_, other), _)| *other).collect();
        if repeated != *self.repeated {
            self.repeated = Arc::new(repeated);
        }
    }

    /// Returns the patterns whose pages others repeat.
    pub const fn repeated(&self) -> &Arc<HashSet<PatternId, FixedState>> {
        &self.repeated
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TOPIC: PatternId = PatternId(8);
    const POST: PatternId = PatternId(12);

    /// Counts pages until the patterns are determined again.
    fn refreshed(mut repetitions: Repetitions, pattern: PatternId) -> bool {
        (0..REFRESH).for_each(|page| repetitions.see(PatternId(1_000 + 4 * page)));
        repetitions.repeated().contains(&pattern)
    }

    #[test]
    fn some_repetitions_among_few_pages_are_enough() {
        let mut repetitions = Repetitions::default();
        (0..1_000).for_each(|_| repetitions.see(TOPIC));
        for _ in 0..3 {
            assert!(!refreshed(repetitions.clone(), TOPIC));
            repetitions.see(POST);
            repetitions.repeat(POST, TOPIC);
        }
        assert!(refreshed(repetitions, TOPIC));
    }

    #[test]
    fn few_repetitions_among_many_pages_are_not() {
        let mut repetitions = Repetitions::default();
        (0..20).for_each(|_| repetitions.see(POST));
        (0..8).for_each(|_| repetitions.repeat(POST, TOPIC));
        assert!(refreshed(repetitions.clone(), TOPIC));
        (0..400).for_each(|_| repetitions.see(POST));
        assert!(!refreshed(repetitions, TOPIC));
    }

    #[test]
    fn the_numbers_of_counted_patterns_and_pairs_are_bounded() {
        let mut repetitions = Repetitions::default();
        (0..2 * PATTERNS_MAX as u64).for_each(|pattern| repetitions.see(PatternId(4 * pattern)));
        assert_eq!(repetitions.pages.len(), PATTERNS_MAX);
        (0..3 * PAIRS_MAX as u64).for_each(|other| repetitions.repeat(POST, PatternId(4 * other)));
        assert_eq!(repetitions.pairs.len(), PAIRS_MAX);
    }
}
