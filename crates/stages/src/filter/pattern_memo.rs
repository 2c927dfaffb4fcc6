//! A worker's memory of the URL patterns that it has just looked up.

use harvestman_core::model::UrlPattern;
use harvestman_core::model::path_hash::step;
use harvestman_core::url::Fingerprint;

/// Slots; 384 KiB of memory.
const SLOTS: usize = 1 << 14;

/// A direct-mapped table from fingerprints to patterns. Most links of a page are those of the page before, and to find the pattern
/// of a URL costs ten times what it costs to find its fingerprint here. It forgets, and it takes a URL for another, or a pattern of
/// another time for one of now, with a chance of 2⁻⁶⁴ where their slots are the same.
pub struct PatternMemo {
    slots: Box<[Slot]>,
}

/// The half of the fingerprint that does not tell the slot, mixed with the version of the patterns, and the pattern.
type Slot = (u64, UrlPattern);

const EMPTY: Slot = (0, UrlPattern::NONE);

impl Default for PatternMemo {
    fn default() -> Self {
        Self { slots: vec![EMPTY; SLOTS].into_boxed_slice() }
    }
}

impl PatternMemo {
    /// Brings the slots of fingerprints that will be asked for into the cache together: to wait for memory once for each of them costs
    /// as much as the rest of a look-up.
    pub fn prepare(&self, fingerprints: &[Fingerprint]) {
        let touched = fingerprints.iter().fold(0, |sum, one| sum ^ self.slots[one.0 as usize % SLOTS].0);
        std::hint::black_box(touched);
    }

    /// The pattern of the URL with this fingerprint: as remembered, or as `find` finds it.
    pub fn pattern(&mut self, fingerprint: Fingerprint, version: u64, find: impl FnOnce() -> UrlPattern) -> UrlPattern {
        let slot = &mut self.slots[fingerprint.0 as usize % SLOTS];
        // To empty the slots for each version would cost more than all look-ups of a page, and a sample may have one a page.
        let tag = step((fingerprint.0 >> 64) as u64, version);
        if slot.0 != tag || tag == 0 {
            *slot = (tag, find());
        }
        slot.1
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use harvestman_core::model::PatternId;

    fn pattern(of: u128, generation: u64) -> UrlPattern {
        let id = PatternId(of as u64 * 31 + generation + 1);
        UrlPattern { coarse: id, fine: id }
    }

    #[test]
    fn what_was_just_found_is_not_looked_for_again() {
        let mut memo = PatternMemo::default();
        let first = memo.pattern(Fingerprint(5 << 64), 1, || pattern(5, 1));
        let again = memo.pattern(Fingerprint(5 << 64), 1, || unreachable!("it is remembered"));
        assert_eq!(first, again);
    }

    proptest! {
        #[test]
        fn it_answers_as_a_look_up_does(
            asked in prop::collection::vec((0_u128..40, 0_u64..3), 0..300), spread in prop::sample::select(vec![1_u128 << 64, (1 << 64) + SLOTS as u128, 1 << 70]),
        ) {
            let mut memo = PatternMemo::default();
            for (of, generation) in asked {
                let found = memo.pattern(Fingerprint(of * spread), generation, || pattern(of, generation));
                prop_assert_eq!(found, pattern(of, generation));
            }
        }
    }
}
