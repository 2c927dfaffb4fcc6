//! Estimates of a link class's worth by counting, with less specific levels in place of what was seen too seldom.
//!
//! The levels of a class, from the least to the most specific: all links; the place (cluster, Apath); the URL's
//! pattern; Apath and pattern; all three; the finer pattern. The estimate at a level is smoothed by that of the
//! previous one as if it had been observed `strength` times (hierarchical smoothing, MacKay and Bauman Peto 1995).

use std::collections::HashMap;

use foldhash::fast::FixedState;
use serde::{Deserialize, Serialize};

use super::worth::Worth;
use harvestman_core::model::{Apath, ClusterId, LinkClass, PatternId};

/// A level of a class.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Level {
    /// All classes.
    All,
    /// All links at one place of one cluster's pages.
    Place(ClusterId, Apath),
    /// All links whose URLs have one pattern.
    Pattern(PatternId),
    /// Those of them at one Apath.
    ApathPattern(Apath, PatternId),
    /// Those of them on one cluster's pages.
    Class(ClusterId, Apath, PatternId),
    /// All links whose URLs have one pattern at the finer resolution, and which have the same prediction.
    Fine(PatternId),
}

/// The levels of `class`, the least specific first.
pub fn levels(class: LinkClass) -> [Level; 6] {
    let LinkClass { cluster, apath, .. } = class;
    let pattern = class.stored_pattern();
    [
        Level::All,
        Level::Place(cluster, apath),
        Level::Pattern(pattern.coarse),
        Level::ApathPattern(apath, pattern.coarse),
        Level::Class(cluster, apath, pattern.coarse),
        Level::Fine(pattern.fine),
    ]
}

impl Level {
    /// The same level, whatever model its pattern was under: files of earlier versions have other bits there.
    #[must_use]
    pub(super) const fn of_one_model(self) -> Self {
        match self {
            Self::All | Self::Place(..) => self,
            Self::Pattern(pattern) => Self::Pattern(pattern.under(0)),
            Self::ApathPattern(apath, pattern) => Self::ApathPattern(apath, pattern.under(0)),
            Self::Class(cluster, apath, pattern) => Self::Class(cluster, apath, pattern.under(0)),
            Self::Fine(pattern) => Self::Fine(pattern.under(0)),
        }
    }
}

/// Sums over the observations of a level. `n` is a weight: older observations fade.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct Sums {
    /// The number of observations.
    pub n: f64,
    /// The sum of the observed values.
    pub sum: f64,
    /// The sum of their squares.
    pub squares: f64,
    /// Fetches that returned a wanted, new page.
    pub wanted: f64,
}

impl Sums {
    fn fade(&mut self, share: f64) {
        self.n *= share;
        self.sum *= share;
        self.squares *= share;
        self.wanted *= share;
    }
}

/// The estimate for a class.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Estimate {
    /// The expected value.
    pub mean: f64,
    /// The number of observations behind it; those of unspecific levels count half.
    pub weight: f64,
    /// The variance among the links of its pattern: whether a closer look can teach anything.
    pub variance: f64,
    /// The standard error of the mean.
    pub uncertainty: f64,
    /// The chance of a wanted, new page.
    pub wanted: f64,
}

/// The parameters of estimates.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Smoothing {
    /// The expected value before any observation.
    pub prior: f64,
    /// The number of observations that this expectation counts as.
    pub prior_weight: f64,
    /// The expected variance before any observation.
    pub prior_variance: f64,
    /// The number of own observations that outweigh the less specific level.
    pub strength: f64,
    /// The number of observations that a level remembers; older ones fade.
    pub memory: f64,
}

/// Sums by level. Stored as a list of them, in the order of the levels.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(from = "Vec<(Level, Sums)>", into = "Vec<(Level, Sums)>")]
pub struct Evidence {
    sums: HashMap<Level, Sums, FixedState>,
}

/// Maximum number of levels that are counted: beyond it only known ones are.
const LEVELS_MAX: usize = 200_000;

impl Evidence {
    /// Counts the worth of a link of `class`.
    pub fn add(&mut self, class: LinkClass, worth: Worth, memory: f64) {
        let value = worth.value;
        for level in levels(class) {
            let Some(sums) = self.entry(level) else { continue };
            sums.n += 1.0;
            sums.sum += value;
            sums.squares += value * value;
            sums.wanted += worth.count();
            if sums.n > memory && level != Level::All {
                sums.fade(memory / sums.n);
            }
        }
    }

    /// Corrects an earlier observation from `old` to `new`.
    pub fn correct(&mut self, class: LinkClass, old: Worth, new: Worth) {
        let more = new.count() - old.count();
        let (old, new) = (old.value, new.value);
        for level in levels(class) {
            if let Some(sums) = self.sums.get_mut(&level) {
                // An observation that has faded meanwhile is corrected by too much; the bounds keep the sums possible.
                sums.sum = (sums.sum + new - old).clamp(0.0, sums.n.max(sums.sum));
                sums.squares = (sums.squares + new * new - old * old).max(0.0);
                sums.wanted = (sums.wanted + more).clamp(0.0, sums.n);
            }
        }
    }

    fn entry(&mut self, level: Level) -> Option<&mut Sums> {
        if self.sums.len() >= LEVELS_MAX && !self.sums.contains_key(&level) {
            return None;
        }
        Some(self.sums.entry(level).or_default())
    }

    /// The observations of a level.
    pub fn at(&self, level: Level) -> Sums {
        self.sums.get(&level).copied().unwrap_or_default()
    }

    /// The estimate for a link of `class`.
    pub fn estimate(&self, class: LinkClass, by: &Smoothing) -> Estimate {
        let all = self.at(Level::All);
        let smoothed = |sum: f64| (sum + by.prior * by.prior_weight) / (all.n + by.prior_weight);
        let (mut mean, mut wanted) = (smoothed(all.sum), smoothed(all.wanted));
        let (mut weight, mut variance) = (0.0_f64, by.prior_variance);
        let mut place = f64::INFINITY;
        for level in levels(class).into_iter().skip(1) {
            let sums = self.at(level);
            match level {
                Level::Place(..) => place = spread(sums, mean, by.prior_variance) / (1.0 + sums.n),
                Level::Pattern(_) => {
                    weight = weight.max(sums.n);
                    variance = spread(sums, mean, by.prior_variance);
                }
                _ => weight += 0.5 * sums.n,
            }
            mean = (sums.sum + by.strength * mean) / (sums.n + by.strength);
            wanted = (sums.wanted + by.strength * wanted) / (sums.n + by.strength);
        }
        let uncertainty = (variance / (1.0 + weight)).min(place).sqrt();
        Estimate { mean, weight, variance, uncertainty, wanted }
    }

    /// Whether the class itself and the finer pattern were observed at least `n` times.
    pub fn is_known(&self, class: LinkClass, n: f64) -> bool {
        let [.., own, fine] = levels(class);
        [own, fine].into_iter().all(|level| self.at(level).n >= n)
    }

    /// The same with levels of one model ([`Level::of_one_model`]).
    #[must_use]
    pub(super) fn of_one_model(self) -> Self {
        Self { sums: self.sums.into_iter().map(|(level, sums)| (level.of_one_model(), sums)).collect() }
    }

    /// Forgets all observations.
    pub fn clear(&mut self) {
        self.sums.clear();
    }
}

/// The variance of the observations, as if two observations of the prior's variance around `mean` had preceded them.
fn spread(sums: Sums, mean: f64, prior: f64) -> f64 {
    const BEFORE: f64 = 2.0;
    let n = sums.n + BEFORE;
    let middle = (sums.sum + BEFORE * mean) / n;
    ((sums.squares + BEFORE * (prior + mean * mean)) / n - middle * middle).max(0.0)
}

impl From<Vec<(Level, Sums)>> for Evidence {
    fn from(stored: Vec<(Level, Sums)>) -> Self {
        Self { sums: stored.into_iter().take(LEVELS_MAX).collect() }
    }
}

impl From<Evidence> for Vec<(Level, Sums)> {
    fn from(evidence: Evidence) -> Self {
        let mut stored: Self = evidence.sums.into_iter().collect();
        stored.sort_unstable_by_key(|(level, _)| *level);
        stored
    }
}

#[cfg(test)]
#[path = "evidence_tests.rs"]
mod tests;
