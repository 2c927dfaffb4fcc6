//! What pages have shown so far: a set of bounded size that forgets what was not seen for long.

use std::collections::HashSet;

use foldhash::fast::FixedState;

/// Maximum number of hashes in each of the two halves, about 9 MiB in all.
const HALF_MAX: usize = 1 << 18;

/// A set of hashes in two halves. A hash that is met enters the younger half; when that is full, the older one is
/// forgotten. Items on all pages of a site stay known, and items that were shown once are remembered for as many pages
/// as fill a half.
#[derive(Debug)]
pub(super) struct Novelty {
    young: HashSet<u64, FixedState>,
    old: HashSet<u64, FixedState>,
    half_max: usize,
}

impl Default for Novelty {
    fn default() -> Self {
        Self::of(HALF_MAX)
    }
}

impl Novelty {
    fn of(half_max: usize) -> Self {
        Self { young: HashSet::default(), old: HashSet::default(), half_max }
    }

    /// Adds what a page shows; returns whether any of it is new.
    pub(super) fn take_in(&mut self, hashes: impl Iterator<Item = u64>) -> bool {
        let mut fresh = false;
        for hash in hashes {
            fresh |= self.meet(hash);
        }
        fresh
    }

    fn meet(&mut self, hash: u64) -> bool {
        if !self.young.insert(hash) {
            return false;
        }
        if self.young.len() > self.half_max {
            self.young.remove(&hash);
            self.old = std::mem::take(&mut self.young);
            self.young.insert(hash);
            return true;
        }
        !self.old.contains(&hash)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn what_every_page_shows_stays_known_and_what_one_showed_is_forgotten_in_time() {
        let mut shown = Novelty::of(10);
        assert!(shown.take_in([1, 2].into_iter()));
        for page in 0..50 {
            assert!(shown.take_in([1, 100 + page].into_iter()), "each has something of its own");
            assert!(!shown.take_in([1, 100 + page].into_iter()));
        }
        assert!(shown.take_in([2].into_iter()), "long ago");
        assert!(shown.young.len() + shown.old.len() <= 20);
    }

    proptest! {
        #[test]
        fn while_there_is_room_it_is_a_set(pages in proptest::collection::vec(proptest::collection::vec(0_u64..60, 0..8), 0..40)) {
            let (mut shown, mut twin) = (Novelty::of(60), std::collections::BTreeSet::new());
            for page in pages {
                let fresh = page.iter().filter(|hash| twin.insert(**hash)).count() > 0;
                prop_assert_eq!(shown.take_in(page.into_iter()), fresh);
            }
        }
    }
}
