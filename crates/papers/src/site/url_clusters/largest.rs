//! The largest frequent itemset in a part of a URL.
//!
//! Of those of equal size it is the one with most support; of these the first by its items' texts in order.

use super::keywords::{ItemId, Keywords, NO_ITEM};
use super::pieces::PIECES_MAX;

/// Maximum number of steps of a search. It is exceeded only if dozens of keywords occur in one URL and are frequent in
/// all combinations; the result is then the largest that was found.
const STEPS_MAX: u32 = 4_096;

/// An item that is a keyword, and the pieces that contain it (one bit each).
#[derive(Debug, Clone, Copy, Default)]
struct Known {
    item: ItemId,
    pieces: u64,
}

/// Capacity that suffices for most URLs. Arrays of 64 would cost more to clear than the search.
const FEW: usize = 8;

/// Returns the pieces that are items of the largest itemset, one bit each. `items` are the keywords of the pieces,
/// [`NO_ITEM`] for pieces that are none; at most 64, `known` of which are keywords.
#[inline]
pub(super) fn largest(keywords: &Keywords, items: &[ItemId], known: usize) -> u64 {
    match known {
        0 => 0,
        1..=FEW => KnownItems::<FEW>::new(items).largest(keywords),
        _ => KnownItems::<PIECES_MAX>::new(items).largest(keywords),
    }
}

/// The keywords of a part of a URL, each once, in the order of their texts.
struct KnownItems<const MAX: usize> {
    known: [Known; MAX],
    count: usize,
}

impl<const MAX: usize> KnownItems<MAX> {
    fn new(items: &[ItemId]) -> Self {
        let mut known = Self { known: [Known::default(); MAX], count: 0 };
        let items = items.iter().enumerate().filter(|(_, item)| **item != NO_ITEM);
        items.for_each(|(piece, item)| known.push(*item, piece));
        known
    }

    fn push(&mut self, item: ItemId, piece: usize) {
        let mut at = self.count;
        while at > 0 && self.known[at - 1].item > item {
            at -= 1;
        }
        if at > 0 && self.known[at - 1].item == item {
            self.known[at - 1].pieces |= 1 << piece;
            return;
        }
        self.known.copy_within(at..self.count, at + 1);
        self.known[at] = Known { item, pieces: 1 << piece };
        self.count += 1;
    }

    fn largest(&self, keywords: &Keywords) -> u64 {
        let known = &self.known[..self.count];
        let Some(first) = known.first() else { return 0 };
        let unit = keywords.unit(first.item);
        if known[1..].iter().all(|known| keywords.unit(known.item) == unit) {
            // Every unit alone is frequent, so no search is needed.
            return known.iter().fold(0, |pieces, known| pieces | known.pieces);
        }
        let mut search = Search::<MAX>::new(keywords);
        for (at, known) in known.iter().enumerate() {
            search.push(keywords.unit(known.item), 1 << at);
        }
        let items = search.run();
        let chosen = known.iter().enumerate().filter(|(at, _)| items >> at & 1 == 1);
        chosen.fold(0, |pieces, (_, known)| pieces | known.pieces)
    }
}

/// A unit of which the URL has some items.
#[derive(Debug, Clone, Copy, Default)]
struct Present {
    unit: u16,
    /// Those items, as bits in the order of their texts.
    items: u64,
    /// Number of items of this unit and of all behind it.
    left: u32,
}

/// An itemset that the URL has.
#[derive(Debug, Clone, Copy)]
struct Found {
    size: u32,
    support: u32,
    items: u64,
}

impl Found {
    /// Returns whether this itemset is preferred.
    fn beats(&self, other: &Self) -> bool {
        let differing = self.items ^ other.items;
        // Of two sets of equal size, the one with the first item that is not in both comes first.
        let first = differing & differing.wrapping_neg();
        (self.size, self.support, self.items & first) > (other.size, other.support, other.items & first)
    }
}

/// Descends the tree of itemsets along the URL's units, except where nothing better is possible.
struct Search<'k, const MAX: usize> {
    keywords: &'k Keywords,
    /// In descending order of units.
    present: [Present; MAX],
    count: usize,
    best: Found,
    steps: u32,
}

impl<'k, const MAX: usize> Search<'k, MAX> {
    fn new(keywords: &'k Keywords) -> Self {
        let best = Found { size: 0, support: 0, items: 0 };
        Self { keywords, present: [Present::default(); MAX], count: 0, best, steps: 0 }
    }

    fn push(&mut self, unit: u16, item: u64) {
        let mut at = self.count;
        while at > 0 && self.present[at - 1].unit < unit {
            at -= 1;
        }
        if at > 0 && self.present[at - 1].unit == unit {
            self.present[at - 1].items |= item;
            return;
        }
        self.present.copy_within(at..self.count, at + 1);
        self.present[at] = Present { unit, items: item, left: 0 };
        self.count += 1;
    }

    fn run(&mut self) -> u64 {
        let mut left = 0;
        for present in self.present[..self.count].iter_mut().rev() {
            left += present.items.count_ones();
            present.left = left;
        }
        self.extend(0, Found { size: 0, support: u32::MAX, items: 0 }, 0);
        self.best.items
    }

    /// Looks at all itemsets that add units from position `from` on to `found`, which is node `node`. At most 64 deep.
    fn extend(&mut self, node: u32, found: Found, from: usize) {
        for at in from..self.count {
            let Present { unit, items, left } = self.present[at];
            let size_max = found.size + left;
            // A larger set has no more support.
            if (size_max, found.support) < (self.best.size, self.best.support) || self.steps >= STEPS_MAX {
                return;
            }
            self.steps += 1;
            let Some(child) = self.keywords.child(node, unit) else { continue };
            let size = found.size + items.count_ones();
            let next = Found { size, support: self.keywords.support(child), items: found.items | items };
            if next.beats(&self.best) {
                self.best = next;
            }
            self.extend(child, next, at + 1);
        }
    }
}
