//! The bag of leaf paths: which paths lead to something shown, and how often each occurs (SOUrCe 2018, section 3.1).

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use foldhash::fast::RandomState;

use super::path::Spellings;
use harvestman_core::model::LeafPath;

/// Number of paths whose positions are remembered outside the map: pages repeat a few paths.
const RECENT: usize = 64;

#[derive(Debug)]
pub(super) struct Leaves {
    places: HashMap<u64, u32, RandomState>,
    /// The positions in `bag` of recent paths.
    recent: [u32; RECENT],
    bag: Vec<(u64, u32)>,
    paths_max: usize,
}

impl Leaves {
    pub fn new(paths_max: u32) -> Self {
        Self { places: HashMap::default(), recent: [0; RECENT], bag: Vec::new(), paths_max: paths_max as usize }
    }

    pub fn clear(&mut self) {
        self.places.clear();
        self.bag.clear();
    }

    pub fn is_empty(&self) -> bool {
        self.bag.is_empty()
    }

    /// Counts a leaf at `path`. A new path beyond the limit is dropped.
    #[inline]
    pub fn add(&mut self, path: u64) {
        let slot = path as usize % RECENT;
        // A position left from another page has another path, or none.
        match self.bag.get_mut(self.recent[slot] as usize) {
            Some((known, count)) if *known == path => *count += 1,
            _ => self.recent[slot] = self.add_by_map(path),
        }
    }

    fn add_by_map(&mut self, path: u64) -> u32 {
        match self.places.entry(path) {
            Entry::Occupied(place) => {
                self.bag[*place.get() as usize].1 += 1;
                *place.get()
            }
            Entry::Vacant(free) if self.bag.len() < self.paths_max => {
                self.bag.push((path, 1));
                *free.insert(self.bag.len() as u32 - 1)
            }
            Entry::Vacant(_) => u32::MAX,
        }
    }

    pub fn finish(&self, spellings: &Spellings) -> Vec<LeafPath> {
        let leaf = |&(path, count)| LeafPath { path, count, text: spellings.spell(path) };
        self.bag.iter().map(leaf).collect()
    }
}
