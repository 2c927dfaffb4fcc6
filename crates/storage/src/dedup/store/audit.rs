//! Measures the false positives of a Bloom filter with an exact sample.

use std::sync::atomic::{AtomicU32, Ordering};

use foldhash::fast::FixedState;
use hashbrown::HashSet;
use parking_lot::{Mutex, MutexGuard};

use super::stats::Estimate;
use harvestman_core::seed::Seed;
use harvestman_core::url::Fingerprint;

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
