//! An in-memory hash table of fingerprints.

/// Slots per page: 64 KiB. Larger allocations would fragment the heap when they are freed.
const PAGE_SLOTS: usize = 1 << 12;
/// Overflow slots behind the last home slot, for fingerprints displaced by collisions.
const TAIL: usize = 64;
/// The minimum number of home slots of a table.
const SLOTS_MIN: usize = 16;
/// Number of home slots below which a growing table is doubled.
const SMALL: usize = 1 << 12;
/// Bytes per slot.
const SLOT_BYTES: usize = 16;

/// The outcome of offering a fingerprint to a [`Table`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum OfferResult {
    /// The fingerprint was inserted.
    Taken,
    /// The fingerprint was already present.
    Known,
    /// The fingerprint is not present, and there is no room for it.
    NoRoom,
}

/// A hash table of any size that stores its fingerprints in ascending order, so that they can be written in order
/// without a sort or a second copy, and stay in place if writing fails.
///
/// It probes linearly from a home slot that is monotonic in the fingerprint (its upper half, scaled to the table size),
/// and orders each run of neighbours (Amble and Knuth 1974, "Ordered hash tables"). Because fingerprints are hashes,
/// home slots are evenly distributed.
pub(super) struct Table {
    /// An empty slot is zero; `has_zero` represents the fingerprint 0.
    slots: Slots,
    homes: usize,
    len: usize,
    has_zero: bool,
}

/// Slots in pages. All pages except the last have the full size.
#[derive(Default)]
struct Slots {
    pages: Vec<Box<[u128]>>,
    len: usize,
}

impl Slots {
    /// Adds pages of empty slots until there are at least `len` slots. `all` is the final number of slots; the last
    /// page is sized to the remainder.
    fn extend(&mut self, len: usize, all: usize) {
        while self.len < len {
            let page = (all - self.len).min(PAGE_SLOTS);
            self.pages.push(vec![0; page].into_boxed_slice());
            self.len += page;
        }
    }

    fn get(&self, at: usize) -> u128 {
        self.pages[at / PAGE_SLOTS][at % PAGE_SLOTS]
    }

    fn slot(&mut self, at: usize) -> &mut u128 {
        &mut self.pages[at / PAGE_SLOTS][at % PAGE_SLOTS]
    }

    fn iter(&self) -> impl Iterator<Item = u128> {
        self.pages.iter().flat_map(|page| page.iter().copied())
    }
}

impl Table {
    /// Creates an empty table of about `bytes` bytes.
    pub fn new(bytes: usize) -> Self {
        let homes = (bytes / SLOT_BYTES).saturating_sub(TAIL).max(SLOTS_MIN);
        let mut slots = Slots::default();
        slots.extend(homes + TAIL, homes + TAIL);
        Self { slots, homes, len: 0, has_zero: false }
    }

    /// Returns a table with the same fingerprints that is larger by a quarter (a small table is doubled). Fingerprints
    /// move to their new slots in order, and each page is freed as soon as it is read, so that peak memory is little
    /// more than the size of the new table.
    pub fn grown(self) -> Self {
        let homes = self.homes_when_grown();
        let mut grown = Self { slots: Slots::default(), homes, len: self.len, has_zero: self.has_zero };
        // Fingerprints displaced beyond the overflow slots need additional slots.
        let end = self.slots.iter().filter(|slot| *slot != 0).fold(0, |next, slot| grown.home(slot).max(next) + 1);
        let all = (homes + TAIL).max(end + TAIL / 2);
        let mut next = 0;
        for page in self.slots.pages {
            for fingerprint in page.into_iter().filter(|slot| *slot != 0) {
                let at = grown.home(fingerprint).max(next);
                grown.slots.extend(at + 1, all);
                *grown.slots.slot(at) = fingerprint;
                next = at + 1;
            }
        }
        grown.slots.extend(all, all);
        grown
    }

    const fn homes_when_grown(&self) -> usize {
        self.homes + if self.homes < SMALL { self.homes } else { self.homes / 4 }
    }

    /// Returns a lower estimate of the table's size in bytes after it has grown.
    pub const fn bytes_when_grown(&self) -> usize {
        (self.homes_when_grown() + TAIL) * SLOT_BYTES
    }

    /// Returns whether the table has reached its maximum load; beyond it, probe sequences would be long.
    pub const fn is_full(&self) -> bool {
        self.len >= self.homes / 5 * 4
    }

    pub const fn len(&self) -> usize {
        self.len
    }

    pub fn bytes(&self) -> usize {
        self.slots.len * SLOT_BYTES
    }

    pub fn contains(&self, fingerprint: u128) -> bool {
        if fingerprint == 0 {
            return self.has_zero;
        }
        let at = self.place(fingerprint);
        at < self.slots.len && self.slots.get(at) == fingerprint
    }

    /// Inserts a fingerprint, unless it is present or four fifths of the table are occupied; at a higher load, probe
    /// sequences would be long.
    pub fn offer(&mut self, fingerprint: u128) -> OfferResult {
        if self.contains(fingerprint) {
            return OfferResult::Known;
        }
        if self.is_full() || !self.put(fingerprint) {
            return OfferResult::NoRoom;
        }
        self.len += 1;
        OfferResult::Taken
    }

    /// Iterates over all fingerprints in ascending order.
    pub fn ascending(&self) -> impl Iterator<Item = u128> {
        let zero = self.has_zero.then_some(0);
        zero.into_iter().chain(self.slots.iter().filter(|slot| *slot != 0))
    }

    pub fn clear(&mut self) {
        self.slots.pages.iter_mut().for_each(|page| page.fill(0));
        (self.len, self.has_zero) = (0, false);
    }

    /// Returns the slot where `fingerprint` (not 0) is or belongs; this may be the end of the table.
    fn place(&self, fingerprint: u128) -> usize {
        let mut at = self.home(fingerprint);
        while at < self.slots.len && (1..fingerprint).contains(&self.slots.get(at)) {
            at += 1;
        }
        at
    }

    /// Returns the home slot, which is below `homes` and monotonic in the fingerprint.
    fn home(&self, fingerprint: u128) -> usize {
        (((fingerprint >> 64) * self.homes as u128) >> 64) as usize
    }

    /// Inserts a fingerprint that is not present and shifts the remainder of its run by one slot. Returns `false` if
    /// the run reaches the end of the table.
    fn put(&mut self, fingerprint: u128) -> bool {
        if fingerprint == 0 {
            self.has_zero = true;
            return true;
        }
        let at = self.place(fingerprint);
        let Some(end) = (at..self.slots.len).find(|at| self.slots.get(*at) == 0) else { return false };
        let mut moved = fingerprint;
        (at..=end).for_each(|at| std::mem::swap(self.slots.slot(at), &mut moved));
        true
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;

    /// Fingerprints that share home slots, are near either end of the range, or are arbitrary.
    fn fingerprints() -> impl Strategy<Value = Vec<u128>> {
        let one = prop_oneof![0..20_u128, (0..20_u128).prop_map(|n| u128::MAX - n), any::<u128>()];
        prop::collection::vec(one, 0..200)
    }

    proptest! {
        #[test]
        fn it_matches_a_plain_set_and_is_ascending(offered in fingerprints(), bytes in 0..8_000_usize) {
            let (mut table, mut twin) = (Table::new(bytes), BTreeSet::new());
            for fingerprint in offered {
                prop_assert_eq!(table.contains(fingerprint), twin.contains(&fingerprint));
                match table.offer(fingerprint) {
                    OfferResult::Taken => prop_assert!(twin.insert(fingerprint)),
                    OfferResult::Known => prop_assert!(twin.contains(&fingerprint)),
                    OfferResult::NoRoom => {
                        prop_assert!(!table.contains(fingerprint));
                        prop_assert!(table.len() > 0, "an empty table has room for any fingerprint");
                        prop_assert!(table.ascending().eq(twin.iter().copied()));
                        table.clear();
                        twin.clear();
                    }
                }
                prop_assert_eq!(table.len(), twin.len());
            }
            prop_assert!(table.ascending().eq(twin.iter().copied()));
        }
    }

    proptest! {
        #[test]
        fn a_grown_table_has_the_same_contents(offered in fingerprints(), bytes in 0..8_000_usize) {
            let mut table = Table::new(bytes);
            let mut twin = BTreeSet::new();
            for fingerprint in offered {
                while table.offer(fingerprint) == OfferResult::NoRoom {
                    let (was, promised) = (table.bytes(), table.bytes_when_grown());
                    table = table.grown();
                    prop_assert!(table.bytes() >= promised && table.bytes() > was);
                }
                twin.insert(fingerprint);
            }
            prop_assert!(table.ascending().eq(twin.iter().copied()) && table.len() == twin.len());
        }
    }

    #[test]
    fn evenly_distributed_fingerprints_fill_four_fifths_of_the_home_slots() {
        let mut table = Table::new(16 * 1_064);
        let spread = |n: u64| harvestman_core::url::Fingerprint::of(&n.to_string()).0;
        let taken = (0..2_000).filter(|n| table.offer(spread(*n)) == OfferResult::Taken).count();
        assert_eq!((taken, table.len(), table.bytes()), (800, 800, 16 * 1_064));
    }

    #[test]
    fn a_run_that_reaches_the_end_leaves_no_room() {
        let mut table = Table::new(16 * 1_064);
        let taken = (0..200).take_while(|n| table.offer(u128::MAX - n) == OfferResult::Taken).count();
        assert_eq!(taken, TAIL + 1, "the last home slot and all overflow slots");
    }
}
