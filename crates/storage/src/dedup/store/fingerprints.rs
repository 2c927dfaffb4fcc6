//! An in-memory set of fingerprints.

use crate::dedup::fingerprint_table::{OfferResult, Table};
use harvestman_core::seed::Seed;

/// A set of fingerprints in memory with 20 to 25 bytes per fingerprint. It grows by a quarter at a time, so that it
/// uses nearly all of its budget before it exceeds it.
pub(super) struct Fingerprints {
    table: Table,
    salt: Salt,
}

/// A seeded bijection of fingerprints. They are hashes already, but of a known function: without the salt, an attacker
/// could slow down the table by URLs whose fingerprints have a common prefix.
#[derive(Debug, Clone, Copy)]
pub(super) struct Salt {
    times: u128,
    back: u128,
}

impl Salt {
    pub(super) fn new(seed: Seed) -> Self {
        // Odd numbers have an inverse modulo a power of two.
        let times = u128::from(seed.nth(0).0) << 64 | u128::from(seed.nth(1).0) | 1;
        // Newton's iteration: an odd number is its own inverse to three bits, and each step doubles the number of
        // correct bits.
        let better = |back: u128| back.wrapping_mul(2_u128.wrapping_sub(times.wrapping_mul(back)));
        Self { times, back: (0..6).fold(times, |back, _| better(back)) }
    }

    const fn put(self, fingerprint: u128) -> u128 {
        fingerprint.wrapping_mul(self.times)
    }

    const fn take(self, salted: u128) -> u128 {
        salted.wrapping_mul(self.back)
    }
}

impl Fingerprints {
    pub(super) fn new(salt: Salt) -> Self {
        Self { table: Table::new(0), salt }
    }

    pub(super) fn contains(&self, fingerprint: u128) -> bool {
        self.table.contains(self.salt.put(fingerprint))
    }

    /// Adds a fingerprint, and grows as needed.
    pub(super) fn insert(&mut self, fingerprint: u128) {
        while self.table.offer(self.salt.put(fingerprint)) == OfferResult::NoRoom {
            self.table = std::mem::replace(&mut self.table, Table::new(0)).grown();
        }
    }

    /// Returns whether the next fingerprint makes the table grow.
    pub(super) const fn is_full(&self) -> bool {
        self.table.is_full()
    }

    pub(super) const fn len(&self) -> usize {
        self.table.len()
    }

    pub(super) fn bytes(&self) -> usize {
        self.table.bytes()
    }

    /// Returns the bytes of memory after the table has grown once more.
    pub(super) const fn bytes_when_grown(&self) -> usize {
        self.table.bytes_when_grown()
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = u128> {
        self.table.ascending().map(|salted| self.salt.take(salted))
    }

    pub(super) fn clear(&mut self) {
        self.table = Table::new(0);
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn the_set_contains_the_inserted_fingerprints(seed: u64, given in prop::collection::vec(0..u128::MAX, 0..2_000)) {
            let mut set = Fingerprints::new(Salt::new(Seed(seed)));
            given.iter().for_each(|fingerprint| set.insert(*fingerprint));
            let twin: BTreeSet<u128> = given.iter().copied().collect();
            prop_assert!(twin.iter().all(|fingerprint| set.contains(*fingerprint)) && set.len() == twin.len());
            prop_assert!(set.iter().collect::<BTreeSet<_>>() == twin);
            prop_assert!(!set.contains(u128::MAX));
        }
    }

    #[test]
    fn fingerprints_with_a_common_prefix_are_spread_over_the_table() {
        let mut set = Fingerprints::new(Salt::new(Seed(1)));
        (0..20_000_u128).for_each(|number| set.insert(7 << 100 | number << 64));
        (0..20_000_u128).for_each(|number| set.insert(7 << 100 | number));
        assert!((40_000 * 20..40_000 * 26).contains(&set.bytes()), "{}", set.bytes());
    }
}
