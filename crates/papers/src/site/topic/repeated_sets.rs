//! Recognises sets of tags that came before.

use std::collections::HashSet;
use std::hash::{BuildHasher, Hash};

use foldhash::fast::FixedState;

/// Remembers tag sets as 64-bit hashes, 16 bytes each.
///
/// A repetition is recognised if fewer than `sets_max` different sets came in between; at most twice that number are
/// remembered.
#[derive(Debug, Clone)]
pub(super) struct RepeatedSets {
    latest: HashSet<u64, FixedState>,
    earlier: HashSet<u64, FixedState>,
    sets_max: usize,
}

impl RepeatedSets {
    pub fn new(sets_max: usize) -> Self {
        Self { latest: HashSet::default(), earlier: HashSet::default(), sets_max: sets_max.max(1) }
    }

    /// Returns whether a set with this key is new, and remembers it.
    pub fn is_new(&mut self, key: impl Hash) -> bool {
        let hash = FixedState::default().hash_one(key);
        if self.latest.contains(&hash) {
            return false;
        }
        let known = self.earlier.contains(&hash);
        if self.latest.len() >= self.sets_max {
            self.earlier = std::mem::take(&mut self.latest);
        }
        self.latest.insert(hash);
        !known
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_set_is_recognised_until_as_many_others_came_as_are_remembered() {
        let mut sets = RepeatedSets::new(2);
        assert!(sets.is_new([1, 2].as_slice()) && !sets.is_new([1, 2].as_slice()));
        assert!(sets.is_new(1) && !sets.is_new([1, 2].as_slice()));
        assert!(sets.is_new(3) && sets.is_new(4) && sets.is_new(5));
        assert!(sets.is_new([1, 2].as_slice()), "forgotten");
        assert!(sets.latest.len() + sets.earlier.len() <= 4);
    }
}
