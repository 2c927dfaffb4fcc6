//! URL dedup: determines which canonical URLs were discovered before.
//!
//! A crawl queries [`SeenUrls`]: a Bloom filter in front of an exact set of 128-bit fingerprints, or one of the two
//! alone. In front of it, each worker has a small table of recently seen URLs ([`RecentUrls`]). Most links of a page
//! are navigation links that the previous page had too; they are answered without acquiring a lock.

mod bloom;
mod disk;
mod fingerprint_table;
mod store;

use harvestman_core::url::Fingerprint;

pub use bloom::{BloomError, BloomOptions, BloomSet};
pub use disk::{DeferredSet, DiskError, DiskOptions, DiskSet};
pub use store::{BloomStats, DedupStats, Estimate, FalsePositives, SeenUrls};

/// Number of slots of the cache. They take 64 KiB of memory, which stays in the CPU cache.
const SLOTS: usize = 4096;

/// A direct-mapped cache of fingerprints known to be in the set. It evicts entries, but has no false positives.
pub struct RecentUrls {
    slots: Box<[u128]>,
}

impl Default for RecentUrls {
    fn default() -> Self {
        Self { slots: vec![0; SLOTS].into_boxed_slice() }
    }
}

impl RecentUrls {
    /// Returns whether `fingerprint` was noted recently.
    pub fn knows(&self, fingerprint: Fingerprint) -> bool {
        self.slots[fingerprint.0 as usize % SLOTS] == fingerprint.0 && fingerprint.0 != 0
    }

    /// Records that `fingerprint` is in the set.
    pub fn note(&mut self, fingerprint: Fingerprint) {
        self.slots[fingerprint.0 as usize % SLOTS] = fingerprint.0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_noted_fingerprints_are_known() {
        let mut recent = RecentUrls::default();
        assert!(!recent.knows(Fingerprint(0)), "an empty slot must not match the fingerprint 0");
        assert!(!recent.knows(Fingerprint(7)));
        recent.note(Fingerprint(7));
        assert!(recent.knows(Fingerprint(7)));
        let same_slot = Fingerprint(7 + SLOTS as u128);
        assert!(!recent.knows(same_slot));
        recent.note(same_slot);
        assert!(recent.knows(same_slot) && !recent.knows(Fingerprint(7)), "it was evicted");
    }
}
