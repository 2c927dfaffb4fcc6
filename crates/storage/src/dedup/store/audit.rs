//! How many new URLs a Bloom filter took for known ones, by a sample that is kept exactly.

use std::sync::atomic::{AtomicU32, Ordering};

use foldhash::fast::FixedState;
use hashbrown::HashSet;
use parking_lot::{Mutex, MutexGuard};

use super::stats::Estimate;
use harvestman_core::seed::Seed;
use harvestman_core::url::Fingerprint;

/// Fingerprints that the sample holds at most; 2.2 MiB.
pub(super) const HELD_MAX: usize = 100_000;

/// Hashed with a seed: everybody knows how fingerprints are made.
type Fingerprints = HashSet<u128, FixedState>;

/// A distinct sample (Gibbons 2001, "Distinct sampling for highly-accurate answers to distinct values queries and event reports"):
/// all fingerprints that begin with a number of zero bits, the *level*. It is 0 until the sample is full, so that the count is exact
/// for small crawls, and then grows by one whenever it is full again. Which URLs are in it depends on nothing but themselves, so that
/// what is lost among them, times 2^level, is an unbiased estimate of what is lost among all.
pub(super) struct Audit {
    sample: Mutex<Sample>,
    /// As in the sample, to be read without its lock. It only rises: an old one lets too many in, who are looked at again.
    level: AtomicU32,
}

/// The sample.
pub(super) struct Sample {
    /// Those that were offered.
    held: Fingerprints,
    /// Those among them that the filter took for known when they were new.
    lost: Fingerprints,
    level: u32,
    max: usize,
}

impl Audit {
    pub(super) fn new(max: usize, seed: Seed) -> Self {
        let none = Fingerprints::with_hasher(FixedState::with_seed(seed.0));
        Self { sample: Mutex::new(Sample { held: none.clone(), lost: none, level: 0, max }), level: AtomicU32::new(0) }
    }

    /// The sample, locked, if one of `fingerprints` belongs to it. Whoever asks the filter about such a one holds it meanwhile, so that
    /// what the filter says and what the sample holds belong together.
    pub(super) fn sample_of(&self, fingerprints: &[Fingerprint]) -> Option<MutexGuard<'_, Sample>> {
        let level = self.level.load(Ordering::Relaxed);
        let sampled = fingerprints.iter().any(|fingerprint| fingerprint.0.leading_zeros() >= level);
        sampled.then(|| self.sample.lock())
    }

    /// Notes what the filter said of a fingerprint that it was asked about.
    pub(super) fn note(&self, sample: &mut Sample, fingerprint: Fingerprint, new: bool) {
        sample.note(fingerprint.0, new);
        self.level.store(sample.level, Ordering::Relaxed);
    }

    /// How many were lost.
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
