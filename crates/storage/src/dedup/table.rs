//! A table of fingerprints in memory.

/// Slots of a page: 64 KiB. Larger pieces of memory that come and go leave holes between them that nothing else fills.
const PAGE_SLOTS: usize = 1 << 12;
/// Slots behind the last home, for those that found theirs taken.
const TAIL: usize = 64;
/// Slots that a table has at least.
const SLOTS_MIN: usize = 16;
/// Slots below which a table that grows is doubled.
const SMALL: usize = 1 << 12;
/// Bytes of a slot.
const SLOT_BYTES: usize = 16;

/// What became of a fingerprint offered to a [`Table`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum OfferResult {
    /// It was not there and is now.
    Taken,
    /// It was there.
    Known,
    /// It is not there, and there is no place for it.
    NoRoom,
}

/// A hash table of any size that keeps its fingerprints ascending, so that writing them in order costs no sort, no
/// second copy, and leaves them in place if writing fails.
///
/// It probes linearly from a home that grows with the fingerprint (its upper half, scaled to the table), and keeps each
/// row of neighbours in order (Amble and Knuth 1974, "Ordered hash tables"). Fingerprints being hashes, homes are
/// spread evenly.
pub(super) struct Table {
    /// Zero where nothing is; the fingerprint 0 itself is noted aside.
    slots: Slots,
    homes: usize,
    len: usize,
    has_zero: bool,
}

/// Slots in pages, all of them full but the last.
#[derive(Default)]
struct Slots {
    pages: Vec<Box<[u128]>>,
    len: usize,
}

impl Slots {
    /// Adds pages of empty slots until there are `len` at least; of `all` that there will ever be, the last page has the rest.
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
    /// An empty table of about so many bytes.
    pub fn new(bytes: usize) -> Self {
        let homes = (bytes / SLOT_BYTES).saturating_sub(TAIL).max(SLOTS_MIN);
        let mut slots = Slots::default();
        slots.extend(homes + TAIL, homes + TAIL);
        Self { slots, homes, len: 0, has_zero: false }
    }

    /// The same fingerprints in a table a quarter larger (a small one is doubled). They move to their new places in order, and each page is
    /// given back as soon as it is read, so that there is never much more memory in use than the new table takes.
    pub fn grown(self) -> Self {
        let homes = self.homes_when_grown();
        let mut grown = Self { slots: Slots::default(), homes, len: self.len, has_zero: self.has_zero };
        // Those that found no place behind the last home get some more.
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

    /// Bytes of the table when it has grown, or somewhat less.
    pub const fn bytes_when_grown(&self) -> usize {
        (self.homes_when_grown() + TAIL) * SLOT_BYTES
    }

    /// Whether there are as many as there shall be: more would probe for long.
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

    /// Takes a fingerprint, unless it is there or four fifths of the table are taken: a fuller one would probe for
    /// long.
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

    /// All fingerprints, ascending.
    pub fn ascending(&self) -> impl Iterator<Item = u128> {
        let zero = self.has_zero.then_some(0);
        zero.into_iter().chain(self.slots.iter().filter(|slot| *slot != 0))
    }

    pub fn clear(&mut self) {
        self.slots.pages.iter_mut().for_each(|page| page.fill(0));
        (self.len, self.has_zero) = (0, false);
    }

    /// Where `fingerprint` (not 0) is or belongs; it may be the end.
    fn place(&self, fingerprint: u128) -> usize {
        let mut at = self.home(fingerprint);
        while at < self.slots.len && (1..fingerprint).contains(&self.slots.get(at)) {
            at += 1;
        }
        at
    }

    /// Below `homes`, and never less for a greater fingerprint.
    fn home(&self, fingerprint: u128) -> usize {
        (((fingerprint >> 64) * self.homes as u128) >> 64) as usize
    }

    /// Puts a fingerprint that is not there in its place and moves the rest of its row on by one; false if the row
    /// reaches the end.
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

    /// Fingerprints that share homes, lie at both ends, or anywhere.
    fn fingerprints() -> impl Strategy<Value = Vec<u128>> {
        let one = prop_oneof![0..20_u128, (0..20_u128).prop_map(|n| u128::MAX - n), any::<u128>()];
        prop::collection::vec(one, 0..200)
    }

    proptest! {
        #[test]
        fn it_answers_as_a_plain_set_does_and_is_ascending(offered in fingerprints(), bytes in 0..8_000_usize) {
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
        fn a_grown_table_holds_the_same(offered in fingerprints(), bytes in 0..8_000_usize) {
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
    fn spread_fingerprints_fill_four_fifths_of_its_homes() {
        let mut table = Table::new(16 * 1_064);
        let spread = |n: u64| harvestman_core::url::Fingerprint::of(&n.to_string()).0;
        let taken = (0..2_000).filter(|n| table.offer(spread(*n)) == OfferResult::Taken).count();
        assert_eq!((taken, table.len(), table.bytes()), (800, 800, 16 * 1_064));
    }

    #[test]
    fn a_row_that_reaches_the_end_is_no_room() {
        let mut table = Table::new(16 * 1_064);
        let taken = (0..200).take_while(|n| table.offer(u128::MAX - n) == OfferResult::Taken).count();
        assert_eq!(taken, TAIL + 1, "the last home and all behind it");
    }
}
