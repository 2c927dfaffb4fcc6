//! What pages have in common by which their rates of change are judged.

use std::collections::HashMap;

use foldhash::fast::FixedState;
use smallvec::SmallVec;

use super::regression::Regression;
use super::rows::RowChange;

/// One thing that pages may have in common. Patterns are those of URLs, as hashes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Trait {
    /// Every page has it.
    Base,
    /// How long ago the last visit was: the logarithm, compared with the others. Where changes are no Poisson process, it makes up for
    /// that.
    Waited,
    /// The coarse pattern of its URL.
    Coarse(u64),
    /// The fine pattern of its URL.
    Fine(u64),
    /// Its pattern, at a distance from the seeds.
    Depth(u64, u16),
    /// Its pattern, and where a number in its URL stands among those of the pattern: the greater ones are newer.
    Number {
        /// The pattern.
        coarse: u64,
        /// Which number.
        slot: u8,
        /// A class of ranks.
        rank: u8,
    },
    /// Its pattern, and how many pages of the same folder have a greater number, in classes: 0 is the newest, or the last page of many.
    Newest(u64, u8),
    /// The host.
    Host(u32),
    /// The host, and its pattern.
    HostOf(u32, u64),
    /// The page that it was discovered on.
    Via(u64),
    /// How long before the last visit it was modified, by its server; as a power of four seconds.
    Modified(u8),
    /// The same, for its pattern.
    ModifiedOf(u64, u8),
    /// What its last visit found.
    Last(bool),
    /// Its pattern, and whether the page that it was discovered on was found changed in this round.
    Hub(u64, bool),
    /// Its pattern, that of a page that was discovered on it, and whether that was found changed in this round.
    Child(u64, u64, bool),
    /// Where a page that was visited in this round links to it.
    Place {
        /// The pattern of that page.
        hub: u64,
        /// The place of the link there.
        apath: u64,
        /// A class of ranks among the links at that place, counted from the first.
        rank: u8,
    },
    /// Its pattern, and that the page that it was discovered on links to it no longer.
    Left(u64),
    /// Its pattern, and the place where a page that is new in this round links to it.
    FromNew(u64, u64),
    /// Its pattern, the place where a page that was visited in this round links to it, and how what stands around that link differs from
    /// what it was.
    Row(u64, u64, RowChange),
    /// The same, wherever the link stands.
    AnyRow(RowChange),
    /// The same place, but on another page than where it was discovered.
    Moved(u64, u64),
}

impl Trait {
    /// What is held of its weight before anything is seen: how far it may be from zero.
    const fn deviation(self) -> f64 {
        match self {
            Self::Base => 3.0,
            Self::Coarse(_) => 2.0,
            Self::Waited => 0.5,
            Self::Via(_) | Self::HostOf(..) => 0.7,
            _ => 1.0,
        }
    }

    /// What its weight is held to be before anything is seen, but for the base: 0 where nothing speaks for either side. Where something
    /// has changed around a link, the page that it leads to has more likely changed than not; learning that anew in each recrawl
    /// would cost the visits that it is to save.
    const fn mean(self) -> f64 {
        match self {
            Self::AnyRow(RowChange::Behind | RowChange::Before | RowChange::Both) => 1.5,
            Self::AnyRow(RowChange::Same) => -0.5,
            Self::Newest(_, 0) | Self::Hub(_, true) | Self::Child(.., true) => 0.5,
            _ => 0.0,
        }
    }

    /// Whether what is not known of it is worth finding out: it holds of many pages.
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

/// Classes of ranks in a list, counted from its first entry.
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

/// Shares of a pattern's numbers below which classes of ranks end.
const RANKS: [f64; 5] = [0.1, 0.5, 0.75, 0.9, 0.97];

/// The class of a number among all of its pattern, which are `sorted`.
pub fn rank_of_number(number: u64, sorted: &[u64]) -> u8 {
    let below = sorted.partition_point(|other| *other < number) as f64 / sorted.len().max(1) as f64;
    RANKS.iter().filter(|share| below >= **share).count() as u8
}

/// The class of a page that so many of its folder are newer than.
pub fn newest_class(newer: usize) -> u8 {
    (newer + 1).ilog2() as u8
}

/// The class of a time between a modification and a visit.
pub fn age_class(seconds: u64) -> u8 {
    (seconds.checked_ilog2().unwrap_or(0) / 2) as u8
}

/// A page's traits, by their numbers in the table.
pub type PageTraits = SmallVec<[u32; 12]>;

/// The traits that occur, each with its number: the one that its weight has in the regression.
#[derive(Debug, Default)]
pub struct TraitTable {
    numbers: HashMap<Trait, u32, FixedState>,
    traits: Vec<Trait>,
}

/// Traits that are told apart at most; of others nothing is learnt.
const TRAITS_MAX: usize = 1 << 20;

impl TraitTable {
    /// The number of a trait; none where there are too many.
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

    /// The trait with this number.
    pub fn get(&self, number: u32) -> Option<Trait> {
        self.traits.get(number as usize).copied()
    }

    /// Gives each trait that has none yet a weight; that of the base is held to be `base`.
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
    fn greater_numbers_rank_higher_and_the_newest_apart() {
        let numbers: Vec<u64> = (0..100).collect();
        let ranks: Vec<u8> = [0, 9, 10, 50, 80, 95, 99].map(|number| rank_of_number(number, &numbers)).to_vec();
        assert_eq!(ranks, [0, 0, 1, 2, 3, 4, 5]);
        assert_eq!(rank_of_number(7, &[]), 0);
        assert_eq!([0, 1, 3, 4, 86_400].map(age_class), [0, 0, 0, 1, 8]);
        assert!((0..40).is_sorted_by_key(rank_in_list));
    }
}
