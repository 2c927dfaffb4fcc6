//! A worker's cache of recently looked-up URLs.

use harvestman_core::url::Fingerprint;

/// Number of slots. They take 64 KiB of memory, which stays in the CPU cache.
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
