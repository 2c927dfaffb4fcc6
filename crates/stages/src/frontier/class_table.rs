//! The link classes of one host, per priority: a bounded table, in which each entry has a number and the FIFO of its
//! URLs.

use std::cmp::Reverse;
use std::collections::binary_heap::PeekMut;
use std::collections::{BTreeSet, BinaryHeap, HashMap};
use std::sync::Arc;

use super::fifo::{Fifo, Waiting};
use super::spill::SpillStorage;
use harvestman_core::model::{Apath, ClusterId, LinkClass, PatternId, Priority, QueueKey};

/// The class of URLs for whose class and pattern the table of a host has no room left. No page has such a place.
pub const CATCH_ALL: LinkClass = LinkClass::at(ClusterId::UNKNOWN, Apath(u64::MAX));

/// One class of one priority.
#[derive(Debug)]
pub(super) struct Slot {
    pub(super) key: QueueKey,
    pub(super) fifo: Fifo,
}

/// A table of at most `max` classes, plus [`CATCH_ALL`] and [`LinkClass::REVISIT`]. A new class in a full table
/// replaces an empty one. If none is empty, its URLs go to the class of seeds with the same coarse pattern, or to
/// [`CATCH_ALL`].
#[derive(Debug)]
pub(super) struct ClassTable {
    max: usize,
    index: HashMap<QueueKey, usize>,
    slots: Vec<Slot>,
    /// Numbers of classes that have become empty.
    empty: BTreeSet<usize>,
    /// By coarse pattern, the first class of seeds with that pattern and normal priority.
    by_pattern: HashMap<PatternId, usize>,
    /// The number of [`LinkClass::REVISIT`], if it has one: every pop needs it.
    visits: Option<usize>,
    spill: Arc<SpillStorage>,
}

impl ClassTable {
    pub(super) fn new(max: usize, spill: Arc<SpillStorage>) -> Self {
        let (index, by_pattern) = Default::default();
        Self { max, index, slots: Vec::new(), empty: BTreeSet::new(), by_pattern, visits: None, spill }
    }

    /// Returns all classes, indexed by their numbers.
    pub(super) fn slots(&self) -> &[Slot] {
        &self.slots
    }

    /// Returns the URLs of a class.
    pub(super) fn get(&self, key: QueueKey) -> Option<&Fifo> {
        self.index.get(&key).map(|at| &self.slots[*at].fifo)
    }

    /// Returns the number of the class of pages to visit again, if any waits.
    pub(super) fn visits(&self) -> Option<usize> {
        self.visits.filter(|at| self.slots[*at].fifo.len() > 0)
    }

    /// Returns the class with this number, to append a URL to.
    pub(super) fn fill(&mut self, at: usize) -> &mut Slot {
        if self.slots[at].fifo.len() == 0 {
            self.empty.remove(&at);
        }
        &mut self.slots[at]
    }

    /// Takes the next URL of the class with this number.
    pub(super) fn drain(&mut self, at: usize) -> Option<(QueueKey, Waiting)> {
        let slot = self.slots.get_mut(at)?;
        let head = slot.fifo.pop()?;
        if slot.fifo.len() == 0 {
            self.empty.insert(at);
        }
        Some((slot.key, head))
    }

    /// Returns the number of the class that URLs of this class and priority go to.
    pub(super) fn number(&mut self, key: QueueKey) -> usize {
        if let Some(at) = self.index.get(&key) {
            return *at;
        }
        let catch_all = QueueKey::from(CATCH_ALL);
        let always = usize::from(self.index.contains_key(&catch_all)) + usize::from(self.visits.is_some());
        if self.slots.len() - always < self.max || key == LinkClass::REVISIT.into() {
            return self.append(key);
        }
        if let Some(at) = self.emptied() {
            return self.rename(at, key);
        }
        match (self.by_pattern.get(&key.class.pattern.coarse), self.index.get(&catch_all)) {
            (Some(at), _) | (None, Some(at)) => *at,
            (None, None) => self.append(catch_all),
        }
    }

    /// Empties the table and removes its classes. Returns their URLs, merged over all classes, in the order of
    /// discovery.
    pub(super) fn take(&mut self) -> ByDiscovery {
        let empty = Self::new(self.max, Arc::clone(&self.spill));
        ByDiscovery::new(std::mem::replace(self, empty).slots)
    }

    fn append(&mut self, key: QueueKey) -> usize {
        self.slots.push(Slot { key, fifo: Fifo::spilling_to(Arc::clone(&self.spill)) });
        self.enter(self.slots.len() - 1, key)
    }

    /// Returns the first empty class that may be replaced.
    fn emptied(&self) -> Option<usize> {
        let always = [CATCH_ALL, LinkClass::REVISIT].map(QueueKey::from);
        self.empty.iter().copied().find(|at| !always.contains(&self.slots[*at].key))
    }

    /// Replaces an empty class by another.
    fn rename(&mut self, at: usize, key: QueueKey) -> usize {
        let old = std::mem::replace(&mut self.slots[at].key, key);
        self.index.remove(&old);
        let coarse = old.class.pattern.coarse;
        if self.by_pattern.get(&coarse) == Some(&at) {
            self.by_pattern.remove(&coarse);
        }
        self.enter(at, key)
    }

    fn enter(&mut self, at: usize, key: QueueKey) -> usize {
        self.index.insert(key, at);
        if key == LinkClass::REVISIT.into() {
            self.visits = Some(at);
        }
        let QueueKey { class, priority } = key;
        let is_seed = class.page() == ClusterId::UNKNOWN.into() && class.apath == Apath::SEED;
        if is_seed && priority == Priority::Normal {
            self.by_pattern.entry(class.pattern.coarse).or_insert(at);
        }
        at
    }
}

/// An iterator that merges classes: the URLs of all in the order of discovery. It frees what it has returned.
pub(super) struct ByDiscovery {
    slots: Vec<Slot>,
    /// For each class that is not empty, the order of its head.
    heads: BinaryHeap<Reverse<(u64, usize)>>,
}

impl ByDiscovery {
    fn new(slots: Vec<Slot>) -> Self {
        let heads = slots.iter().enumerate().filter_map(|(at, slot)| Some(Reverse((slot.fifo.front()?.order, at))));
        let heads = heads.collect();
        Self { slots, heads }
    }
}

impl Iterator for ByDiscovery {
    type Item = (QueueKey, Waiting);

    fn next(&mut self) -> Option<Self::Item> {
        let mut first = self.heads.peek_mut()?;
        let Slot { key, fifo } = &mut self.slots[first.0.1];
        let head = fifo.pop()?;
        match fifo.front() {
            Some(next) => first.0.0 = next.order,
            None => {
                PeekMut::pop(first);
            }
        }
        Some((*key, head))
    }
}
