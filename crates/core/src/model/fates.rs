//! Counts of fates (invariant ACC-1: discovered = sum of all fates).

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::Fate;

/// Counts of fates. Links are counted, not URLs: a URL linked from a hundred pages is one `fetched` and 99 `duplicate`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fates {
    counts: BTreeMap<Fate, u64>,
}

impl Fates {
    /// Counts `count` links of fate `fate`.
    pub fn add(&mut self, fate: Fate, count: u64) {
        if count > 0 {
            *self.counts.entry(fate).or_default() += count;
        }
    }

    /// Returns the counts without those of `fate`.
    #[must_use]
    pub fn without(mut self, fate: Fate) -> Self {
        self.counts.remove(&fate);
        self
    }

    /// Adds all counts of `other`.
    pub fn merge(&mut self, other: &Self) {
        for (fate, count) in &other.counts {
            self.add(*fate, *count);
        }
    }

    /// Returns the number of links with the fate `fate`.
    pub fn of(&self, fate: Fate) -> u64 {
        self.counts.get(&fate).copied().unwrap_or(0)
    }

    /// Returns the number of links with a fate of this name, for any reason.
    pub fn named(&self, name: &str) -> u64 {
        self.counts.iter().filter(|(fate, _)| fate.name() == name).map(|(_, count)| count).sum()
    }

    /// Returns the sum over all fates.
    pub fn total(&self) -> u64 {
        self.counts.values().sum()
    }

    /// Returns all counts, in a fixed order.
    pub fn iter(&self) -> impl Iterator<Item = (Fate, u64)> + '_ {
        self.counts.iter().map(|(fate, count)| (*fate, *count))
    }
}
