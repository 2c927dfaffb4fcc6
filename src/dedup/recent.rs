//! A worker's memory of what it has just looked up.

use crate::url::Fingerprint;

/// Slots; 64 KiB of memory, which stays in the processor's cache.
const SLOTS: usize = 4096;

/// A direct-mapped table of fingerprints known to be in the set. It forgets, but never claims what was not told to it.
pub struct Recent {
    slots: Box<[u128]>,
}

impl Default for Recent {
    fn default() -> Self {
        Self { slots: vec![0; SLOTS].into_boxed_slice() }
    }
}

impl Recent {
    /// Whether `fingerprint` was noted not long ago; if not, it is noted now.
    pub fn check_and_note(&mut self, fingerprint: Fingerprint) -> bool {
        let slot = &mut self.slots[fingerprint.0 as usize % SLOTS];
        let known = *slot == fingerprint.0 && fingerprint.0 != 0;
        *slot = fingerprint.0;
        known
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_knows_what_was_noted_and_nothing_else() {
        let mut recent = Recent::default();
        assert!(!recent.check_and_note(Fingerprint(0)));
        assert!(!recent.check_and_note(Fingerprint(0)), "an empty slot must not pass for the fingerprint 0");
        assert!(!recent.check_and_note(Fingerprint(7)));
        assert!(recent.check_and_note(Fingerprint(7)));
        assert!(!recent.check_and_note(Fingerprint(7 + SLOTS as u128)), "same slot, other fingerprint");
        assert!(!recent.check_and_note(Fingerprint(7)), "it was pushed out");
    }
}
