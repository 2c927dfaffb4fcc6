//! The yield of a class: the number of new links worth following on a page of it, and their worth together.

use super::evidence::{Level, levels};
use harvestman_core::model::LinkClass;
use std::collections::HashMap;

use foldhash::fast::FixedState;
use serde::{Deserialize, Serialize};

/// Number of fetches that a level remembers: the yield of a hub shrinks as the site is exhausted.
const MEMORY: f64 = 15.0;
/// Number of observations that the less specific level counts as.
const STRENGTH: f64 = 1.0;
/// Maximum number of levels that are counted.
const LEVELS_MAX: usize = 200_000;

/// The good links of a page.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct Yield {
    /// Their number.
    pub links: f64,
    /// Their worth together.
    pub worth: f64,
    /// The expected number of wanted pages among their targets.
    pub wanted: f64,
}

impl Yield {
    fn times(self, share: f64) -> Self {
        Self { links: self.links * share, worth: self.worth * share, wanted: self.wanted * share }
    }
}

impl std::ops::Add for Yield {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self { links: self.links + other.links, worth: self.worth + other.worth, wanted: self.wanted + other.wanted }
    }
}

/// Yields by level, fading. Stored as a list of them, in the order of the levels.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(from = "Vec<(Level, f64, Yield)>", into = "Vec<(Level, f64, Yield)>")]
pub struct Yields {
    sums: HashMap<Level, (f64, Yield), FixedState>,
}

impl Yields {
    /// Counts the yield of a page that was fetched as `class`.
    pub fn add(&mut self, class: LinkClass, brought: Yield) {
        for level in levels(class) {
            if self.sums.len() >= LEVELS_MAX && !self.sums.contains_key(&level) {
                continue;
            }
            let (n, sum) = self.sums.entry(level).or_default();
            if *n >= MEMORY - 1.0 {
                let fade = 1.0 - 1.0 / MEMORY;
                *n *= fade;
                *sum = sum.times(fade);
            }
            *n += 1.0;
            *sum = *sum + brought;
        }
    }

    /// The expected yield of a page that waits as `class`.
    pub fn expected(&self, class: LinkClass) -> Yield {
        let mut expected = Yield::default();
        for level in levels(class) {
            let (n, sum) = self.sums.get(&level).copied().unwrap_or_default();
            let all = n + STRENGTH;
            expected = (sum + expected.times(STRENGTH)).times(1.0 / all);
        }
        expected
    }

    /// The same with levels of one model ([`Level::of_one_model`]).
    #[must_use]
    pub(super) fn of_one_model(self) -> Self {
        Self { sums: self.sums.into_iter().map(|(level, sum)| (level.of_one_model(), sum)).collect() }
    }

    /// Forgets everything.
    pub fn clear(&mut self) {
        self.sums.clear();
    }
}

impl From<Vec<(Level, f64, Yield)>> for Yields {
    fn from(stored: Vec<(Level, f64, Yield)>) -> Self {
        Self { sums: stored.into_iter().take(LEVELS_MAX).map(|(level, n, sum)| (level, (n, sum))).collect() }
    }
}

impl From<Yields> for Vec<(Level, f64, Yield)> {
    fn from(yields: Yields) -> Self {
        let mut stored: Self = yields.sums.into_iter().map(|(level, (n, sum))| (level, n, sum)).collect();
        stored.sort_unstable_by_key(|(level, ..)| *level);
        stored
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use harvestman_core::model::{Apath, ClusterId, PatternId, UrlPattern};

    fn class(pattern: u64) -> LinkClass {
        let pattern = UrlPattern { coarse: PatternId(pattern), fine: PatternId(pattern) };
        LinkClass::at(ClusterId(1), Apath(1)).with_pattern(pattern)
    }

    #[test]
    fn a_hub_is_expected_to_bring_what_its_like_brought() {
        let mut yields = Yields::default();
        for _ in 0..30 {
            yields.add(class(1), Yield { links: 20.0, worth: 10.0, wanted: 0.0 });
            yields.add(class(2), Yield::default());
        }
        let (hub, leaf) = (yields.expected(class(1)), yields.expected(class(2)));
        assert!((hub.links - 20.0).abs() < 1.0 && (hub.worth / hub.links - 0.5).abs() < 1e-9);
        assert!(leaf.links < 1.0);
    }

    #[test]
    fn an_exhausted_hub_is_soon_recognised() {
        let mut yields = Yields::default();
        (0..200).for_each(|_| yields.add(class(1), Yield { links: 20.0, worth: 10.0, wanted: 0.0 }));
        (0..40).for_each(|_| yields.add(class(1), Yield::default()));
        assert!(yields.expected(class(1)).links < 3.0);
    }

    #[test]
    fn what_was_never_fetched_is_expected_to_bring_what_its_place_brought() {
        let mut yields = Yields::default();
        assert_eq!(yields.expected(class(1)), Yield::default());
        (0..10).for_each(|_| yields.add(class(1), Yield { links: 8.0, worth: 4.0, wanted: 0.0 }));
        let new = yields.expected(class(2));
        assert!(new.links > 4.0 && (new.worth / new.links - 0.5).abs() < 1e-9, "{new:?}");
        yields.clear();
        assert_eq!(yields.expected(class(1)), Yield::default());
    }

    #[test]
    fn levels_beyond_the_bound_are_not_counted_and_known_ones_still_are() {
        let mut yields = Yields::default();
        for pattern in 0..LEVELS_MAX as u64 / 4 {
            yields.add(class(pattern), Yield::default());
        }
        assert_eq!(yields.sums.len(), LEVELS_MAX);
        (0..20).for_each(|_| yields.add(class(1), Yield { links: 9.0, worth: 1.0, wanted: 0.0 }));
        assert_eq!(yields.sums.len(), LEVELS_MAX);
        assert!(yields.expected(class(1)).links > 8.0);
    }
}
