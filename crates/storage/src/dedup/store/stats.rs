//! Statistics of the set of URLs seen: its size and its false positives, which are measured with an exact sample.

use std::sync::atomic::{AtomicU32, Ordering};

use foldhash::fast::FixedState;
use hashbrown::HashSet;
use parking_lot::{Mutex, MutexGuard};
use serde::{Deserialize, Serialize};

use harvestman_core::config::DedupStore;
use harvestman_core::seed::Seed;
use harvestman_core::url::Fingerprint;

/// The 97.5 % quantile of the normal distribution, for 95 % confidence bounds.
const BOUND: f64 = 1.96;

/// A count, or an estimate with 95 % confidence bounds.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Estimate {
    /// The count.
    pub count: f64,
    /// The lower bound.
    pub low: f64,
    /// The upper bound.
    pub high: f64,
}

impl Estimate {
    /// Returns an exact count, whose bounds are the count itself.
    pub const fn exact(count: u64) -> Self {
        let count = count as f64;
        Self { count, low: count, high: count }
    }

    /// Estimates a count from `found` occurrences in a sample of one in 2^`level`. The bounds are those of the mean of
    /// a Poisson distribution, by Byar's approximation (Breslow and Day 1987, "Statistical methods in cancer research",
    /// volume 2, equation 2.13).
    pub fn of_sample(found: u64, level: u32) -> Self {
        if level == 0 {
            return Self::exact(found);
        }
        let times = 2_f64.powi(level as i32);
        let byar = |n: f64, side: f64| n * (1.0 - 1.0 / (9.0 * n) + side * BOUND / (3.0 * n.sqrt())).powi(3);
        let found = found as f64;
        let low = if found > 0.0 { byar(found, -1.0) } else { 0.0 };
        Self { count: found * times, low: low * times, high: byar(found + 1.0, 1.0) * times }
    }
}

/// False positives of the Bloom filter.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct FalsePositives {
    /// The number expected from the fill of the filter.
    pub expected: f64,
    /// The measured number.
    pub measured: Estimate,
}

/// The fill of the Bloom filter, as expected from its number of URLs.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct BloomStats {
    /// The share of bits that are set.
    pub fill: f64,
    /// The current false-positive rate: the share of new URLs that it would report as known.
    pub error: f64,
}

/// Statistics of the set of URLs seen.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct DedupStats {
    /// The type of the set.
    pub store: DedupStore,
    /// Number of new URLs.
    pub urls: u64,
    /// Bytes of memory of the filter, the exact set and the sample.
    pub memory_bytes: u64,
    /// Bytes of files.
    pub disk_bytes: u64,
    /// The Bloom filter; `None` without a filter.
    pub bloom: Option<BloomStats>,
    /// New URLs that the Bloom filter reported as known; `None` without a filter.
    pub false_positives: Option<FalsePositives>,
    /// The false positives that were dropped because there is no exact set to correct them.
    pub wrongly_dropped: FalsePositives,
}

/// Maximum number of fingerprints in the sample; 2.2 MiB.
pub(super) const HELD_MAX: usize = 100_000;

/// Hashed with a seed because the fingerprint function is public.
type Fingerprints = HashSet<u128, FixedState>;

/// A distinct sample (Gibbons 2001, "Distinct sampling for highly-accurate answers to distinct values queries and event
/// reports"): all fingerprints that begin with a number of zero bits, the *level*. The level is 0 until the sample is
/// full, so that the count is exact for small crawls, and increases by one whenever the sample is full again. Whether a
/// URL is in the sample depends only on the URL itself, so the number of lost URLs in the sample, times 2^level, is an
/// unbiased estimate of the total.
pub(super) struct Audit {
    sample: Mutex<Sample>,
    /// A copy of the sample's level that is readable without the lock. It only increases: an outdated value admits too
    /// many fingerprints, which are checked again.
    level: AtomicU32,
}

/// The sample behind the lock of an [`Audit`].
pub(super) struct Sample {
    /// The sampled fingerprints that were offered.
    held: Fingerprints,
    /// Those among them that the filter reported as known although they were new.
    lost: Fingerprints,
    level: u32,
    max: usize,
}

impl Audit {
    pub(super) fn new(max: usize, seed: Seed) -> Self {
        let none = Fingerprints::with_hasher(FixedState::with_seed(seed.0));
        Self { sample: Mutex::new(Sample { held: none.clone(), lost: none, level: 0, max }), level: AtomicU32::new(0) }
    }

    /// Locks and returns the sample if one of `fingerprints` belongs to it. The caller holds the lock while it queries
    /// the filter, so that the filter's answer and the sample are consistent.
    pub(super) fn sample_of(&self, fingerprints: &[Fingerprint]) -> Option<MutexGuard<'_, Sample>> {
        let level = self.level.load(Ordering::Relaxed);
        let sampled = fingerprints.iter().any(|fingerprint| fingerprint.0.leading_zeros() >= level);
        sampled.then(|| self.sample.lock())
    }

    /// Records the filter's answer for a fingerprint.
    pub(super) fn note(&self, sample: &mut Sample, fingerprint: Fingerprint, new: bool) {
        sample.note(fingerprint.0, new);
        self.level.store(sample.level, Ordering::Relaxed);
    }

    /// Returns the estimated number of lost URLs.
    pub(super) fn lost(&self) -> Estimate {
        let sample = self.sample.lock();
        Estimate::of_sample(sample.lost.len() as u64, sample.level)
    }

    pub(super) fn memory_bytes(&self) -> u64 {
        let sample = self.sample.lock();
        (sample.held.allocation_size() + sample.lost.allocation_size()) as u64
    }
}

impl Sample {
    fn note(&mut self, fingerprint: u128, new: bool) {
        if fingerprint.leading_zeros() < self.level || !self.held.insert(fingerprint) {
            return;
        }
        if !new {
            self.lost.insert(fingerprint);
        }
        while self.held.len() > self.max && self.level < u128::BITS {
            self.level += 1;
            self.held.retain(|held| held.leading_zeros() >= self.level);
            self.lost.retain(|lost| lost.leading_zeros() >= self.level);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds_match_a_poisson_distribution() {
        // Exact bounds from a table: 4.80 to 18.39 for 10 found; at most 3.69 for none found.
        let ten = Estimate::of_sample(10, 1);
        assert!((ten.low / 2.0 - 4.80).abs() < 0.05 && (ten.high / 2.0 - 18.39).abs() < 0.05, "{ten:?}");
        let none = Estimate::of_sample(0, 1);
        assert!(none.count == 0.0 && none.low == 0.0 && (none.high / 2.0 - 3.69).abs() < 0.1, "{none:?}");
    }

    #[test]
    fn an_exact_count_is_its_own_bounds() {
        assert_eq!(Estimate::of_sample(7, 0), Estimate { count: 7.0, low: 7.0, high: 7.0 });
    }
}
