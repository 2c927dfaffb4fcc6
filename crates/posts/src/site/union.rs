//! Disjoint sets of numbers.

/// Sets of the numbers below a bound. The smallest number of a set stands for it, so that the order of calls does not
/// matter.
#[derive(Debug, Clone)]
pub(super) struct Sets {
    above: Vec<u32>,
}

impl Sets {
    /// Makes a set of each number below `count`.
    pub fn new(count: usize) -> Self {
        Self { above: (0..count as u32).collect() }
    }

    /// Returns the smallest number of the set that has this number.
    pub fn find(&mut self, number: u32) -> u32 {
        let mut root = number;
        while self.above[root as usize] != root {
            root = self.above[root as usize];
        }
        let mut at = number;
        while at != root {
            at = std::mem::replace(&mut self.above[at as usize], root);
        }
        root
    }

    /// Joins two sets. Returns the number that stands for them.
    pub fn join(&mut self, one: u32, other: u32) -> u32 {
        let (one, other) = (self.find(one), self.find(other));
        let (low, high) = (one.min(other), one.max(other));
        self.above[high as usize] = low;
        low
    }
}
