//! The traits of pages, from which their rates of change are learned.

use std::collections::HashMap;

use foldhash::fast::FixedState;
use smallvec::SmallVec;

use super::rate::Regression;
use super::rows::RowChange;

/// A property that pages may have in common. Patterns are those of URLs, as hashes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Trait {
    /// Every page has it.
    Base,
    /// The time since the last visit: its logarithm, relative to the usual one. Compensates if changes are not a
    /// Poisson process.
    Waited,
    /// The coarse pattern of its URL.
    Coarse(u64),
    /// The fine pattern of its URL.
    Fine(u64),
    /// Its pattern, at a distance from the seeds.
    Depth(u64, u16),
    /// Its pattern, and the rank of a number in its URL among those of the pattern: greater numbers are newer.
    Number {
        /// The pattern.
        coarse: u64,
        /// The position of the number in the URL.
        slot: u8,
        /// The class of its rank.
        rank: u8,
    },
    /// Its pattern, and how many pages of the same folder have a greater number, in classes: 0 is the newest, or the
    /// last page of many.
    Newest(u64, u8),
    /// The host.
    Host(u32),
    /// The host, and its pattern.
    HostOf(u32, u64),
    /// The page where it was discovered.
    Via(u64),
    /// The time from its last modification, according to its server, to the last visit; as a power of four seconds.
    Modified(u8),
    /// The same, for its pattern.
    ModifiedOf(u64, u8),
    /// Whether its last visit found a change.
    Last(bool),
    /// Its pattern, and whether the page where it was discovered was found changed in this round.
    Hub(u64, bool),
    /// Its pattern, that of a page that was discovered on it, and whether that was found changed in this round.
    Child(u64, u64, bool),
    /// Where a page that was visited in this round links to it.
    Place {
        /// The pattern of that page.
        hub: u64,
        /// The place of the link there.
        apath: u64,
        /// The class of its rank among the links at that place, counted from the first.
        rank: u8,
    },
    /// Its pattern; the page where it was discovered no longer links to it.
    Left(u64),
    /// Its pattern, and the place where a page that is new in this round links to it.
    FromNew(u64, u64),
    /// Its pattern, the place where a page that was visited in this round links to it, and how the content around that
    /// link differs from the previous visit.
    Row(u64, u64, RowChange),
    /// The same, for any pattern and place.
    AnyRow(RowChange),
    /// The same place, but on another page than where it was discovered.
    Moved(u64, u64),
}

impl Trait {
    /// Returns the standard deviation of the prior of its weight.
    const fn deviation(self) -> f64 {
        match self {
            Self::Base => 3.0,
            Self::Coarse(_) => 2.0,
            Self::Waited => 0.5,
            Self::Via(_) | Self::HostOf(..) => 0.7,
            _ => 1.0,
        }
    }

    /// Returns the mean of the prior of its weight, except for the base: 0 if neither direction is likelier. If
    /// something has changed around a link, the target has more likely changed than not; learning that again in each
    /// recrawl would cost the visits that it is to save.
    const fn mean(self) -> f64 {
        match self {
            Self::AnyRow(RowChange::Behind | RowChange::Before | RowChange::Both) => 1.5,
            Self::AnyRow(RowChange::Same) => -0.5,
            Self::Newest(_, 0) | Self::Hub(_, true) | Self::Child(.., true) => 0.5,
            _ => 0.0,
        }
    }

    /// Returns whether its uncertainty is worth exploring, because it applies to many pages.
    pub const fn explores(self) -> bool {
        matches!(
            self,
            Self::Coarse(_)
                | Self::Fine(_)
                | Self::Depth(..)
                | Self::Number { .. }
                | Self::Newest(..)
                | Self::Host(_)
                | Self::Row(..)
        )
    }
}

/// Returns the class of a rank in a list, counted from the first entry.
pub const fn rank_in_list(at: usize) -> u8 {
    match at {
        0 => 0,
        1..=2 => 1,
        3..=5 => 2,
        6..=10 => 3,
        11..=20 => 4,
        _ => 5,
    }
}

/// The shares of a pattern's numbers at which classes of ranks end.
const RANKS: [f64; 5] = [0.1, 0.5, 0.75, 0.9, 0.97];

/// Returns the class of a number among all numbers of its pattern, which are `sorted`.
pub fn rank_of_number(number: u64, sorted: &[u64]) -> u8 {
    let below = sorted.partition_point(|other| *other < number) as f64 / sorted.len().max(1) as f64;
    RANKS.iter().filter(|share| below >= **share).count() as u8
}

/// Returns the class of a page, given how many pages of its folder are newer.
pub fn newest_class(newer: usize) -> u8 {
    (newer + 1).ilog2() as u8
}

/// Returns the class of a time between a modification and a visit.
pub fn age_class(seconds: u64) -> u8 {
    (seconds.checked_ilog2().unwrap_or(0) / 2) as u8
}

/// A page's traits, by their numbers in the table.
pub type PageTraits = SmallVec<[u32; 12]>;

/// The traits that occur, each with its number: the index of its weight in the regression.
#[derive(Debug, Default)]
pub struct TraitTable {
    numbers: HashMap<Trait, u32, FixedState>,
    traits: Vec<Trait>,
}

/// The maximum number of distinct traits; nothing is learned of others.
const TRAITS_MAX: usize = 1 << 20;

impl TraitTable {
    /// Returns the number of a trait; `None` if there are too many.
    pub fn number(&mut self, one: Trait) -> Option<u32> {
        if let Some(number) = self.numbers.get(&one) {
            return Some(*number);
        }
        let number = self.traits.len() as u32;
        (self.traits.len() < TRAITS_MAX).then(|| {
            self.traits.push(one);
            self.numbers.insert(one, number);
            number
        })
    }

    /// Returns the trait with this number.
    pub fn get(&self, number: u32) -> Option<Trait> {
        self.traits.get(number as usize).copied()
    }

    /// Adds a weight to the regression for each trait that has none; the prior mean of the base is `base`.
    pub fn enter(&self, regression: &mut Regression, base: f64) {
        for one in &self.traits[regression.traits()..] {
            let mean = if *one == Trait::Base { base } else { one.mean() };
            regression.add_trait(mean, one.deviation());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_trait_has_one_number() {
        let mut table = TraitTable::default();
        let numbers = [Trait::Base, Trait::Via(1), Trait::Via(2), Trait::Via(1)].map(|one| table.number(one));
        assert_eq!(numbers, [Some(0), Some(1), Some(2), Some(1)]);
        assert_eq!((table.get(2), table.get(3)), (Some(Trait::Via(2)), None));
        let mut regression = Regression::default();
        table.enter(&mut regression, -3.0);
        table.enter(&mut regression, -3.0);
        assert_eq!((regression.traits(), regression.weight(0), regression.weight(1)), (3, -3.0, 0.0));
    }

    #[test]
    fn greater_numbers_rank_higher_and_the_newest_have_their_own_class() {
        let numbers: Vec<u64> = (0..100).collect();
        let ranks: Vec<u8> = [0, 9, 10, 50, 80, 95, 99].map(|number| rank_of_number(number, &numbers)).to_vec();
        assert_eq!(ranks, [0, 0, 1, 2, 3, 4, 5]);
        assert_eq!(rank_of_number(7, &[]), 0);
        assert_eq!([0, 1, 3, 4, 86_400].map(age_class), [0, 0, 0, 1, 8]);
        assert!((0..40).is_sorted_by_key(rank_in_list));
    }
}
