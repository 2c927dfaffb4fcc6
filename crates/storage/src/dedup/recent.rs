//! A worker's memory of what it has just looked up.

use harvestman_core::url::Fingerprint;

/// Slots; 64 KiB of memory, which stays in the processor's cache.
const SLOTS: usize = 4096;

/// A direct-mapped table of fingerprints known to be in the set. It forgets, but never claims what was not told to it.
pub struct RecentUrls {
    slots: Box<[u128]>,
}

impl Default for RecentUrls {
    fn default() -> Self {
        Self { slots: vec![0; SLOTS].into_boxed_slice() }
    }
}

impl RecentUrls {
    /// Whether `fingerprint` was noted not long ago.
    pub fn knows(&self, fingerprint: Fingerprint) -> bool {
        self.slots[fingerprint.0 as usize % SLOTS] == fingerprint.0 && fingerprint.0 != 0
    }

    /// Notes that `fingerprint` is in the set.
    pub fn note(&mut self, fingerprint: Fingerprint) {
        self.slots[fingerprint.0 as usize % SLOTS] = fingerprint.0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_knows_what_was_noted_and_nothing_else() {
        let mut recent = RecentUrls::default();
        assert!(!recent.knows(Fingerprint(0)), "an empty slot must not pass for the fingerprint 0");
        assert!(!recent.knows(Fingerprint(7)));
        recent.note(Fingerprint(7));
        assert!(recent.knows(Fingerprint(7)));
        let same_slot = Fingerprint(7 + SLOTS as u128);
        assert!(!recent.knows(same_slot));
        recent.note(same_slot);
        assert!(recent.knows(same_slot) && !recent.knows(Fingerprint(7)), "it was pushed out");
    }
}
