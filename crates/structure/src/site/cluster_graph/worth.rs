//! What pages are worth, by how many of them show something, and how certain that is.

use std::collections::{BTreeMap, BTreeSet};
use std::iter::Sum;

use super::graph::GraphReason;

/// The share of pages that must show something of their own, and how certain it must be that they don't or do: the width of
/// Wilson's interval, in standard deviations.
#[derive(Debug, Clone, Copy)]
pub(super) struct Bar {
    pub(super) share: f64,
    pub(super) sure: f64,
}

/// Counts of pages.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Tally {
    pages: usize,
    /// Those that show something of their own.
    new: usize,
    /// Those among them that are no mere forms.
    informative: usize,
}

impl Tally {
    pub(super) const fn count(&mut self, is_new: bool, is_informative: bool) {
        self.pages += 1;
        self.new += is_new as usize;
        self.informative += (is_new && is_informative) as usize;
    }

    /// Why such pages are not worth having, where that is certain.
    pub(super) fn pruned(self, bar: Bar) -> Option<GraphReason> {
        let too_few = |some: usize| wilson(some, self.pages, bar.sure).1 < bar.share;
        match (too_few(self.informative), too_few(self.new)) {
            (false, _) => None,
            (true, true) => Some(GraphReason::DuplicateContent),
            (true, false) => Some(GraphReason::Uninformative),
        }
    }

    /// Whether it is certain that they are worth having.
    fn is_worth_it(self, bar: Bar) -> bool {
        wilson(self.informative, self.pages, bar.sure).0 >= bar.share
    }

    const fn less(self, other: Self) -> Self {
        let Self { pages, new, informative } = other;
        Self { pages: self.pages - pages, new: self.new - new, informative: self.informative - informative }
    }
}

impl Sum for Tally {
    fn sum<I: Iterator<Item = Self>>(tallies: I) -> Self {
        tallies.fold(Self::default(), |all, one| Self {
            pages: all.pages + one.pages,
            new: all.new + one.new,
            informative: all.informative + one.informative,
        })
    }
}

/// What the share of a cluster's pages may be at least and at most of which `some` of `all` sampled ones are: Wilson's interval,
/// so many standard deviations wide to either side; for 0 the share itself.
pub(super) fn wilson(some: usize, all: usize, deviations: f64) -> (f64, f64) {
    let count = all.max(1) as f64;
    let (share, square) = (some as f64 / count, deviations * deviations);
    let spread = (share * (1.0 - share) / count + square / (4.0 * count * count)).sqrt();
    let end = |deviations: f64| (share + square / (2.0 * count) + deviations * spread) / (1.0 + square / count);
    (end(-deviations), end(deviations))
}

/// Pages of a cluster that are worth something else than the rest of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Apart {
    /// What made them, as numbered in [`GraphPage::maker`](super::GraphPage::maker).
    pub makers: BTreeSet<u32>,
    /// Why they are pruned, if they are.
    pub pruned: Option<GraphReason>,
}

/// The pages of a cluster that are set apart, of its pages counted by what made them (none: not known).
///
/// Of a cluster that is kept these are the pages of makers of which it is certain that they are not worth having, of one that is pruned
/// those of makers of which it is certain that they are; in both cases only if the contrary is certain of what is left. So what is
/// left stands as the whole does, whatever the makers of which too little is known, and a cluster without such a contrast stays whole,
/// however many made it.
pub(super) fn set_apart(tallies: &BTreeMap<Option<u32>, Tally>, bar: Bar) -> Option<Apart> {
    let whole: Tally = tallies.values().copied().sum();
    let is_kept = whole.pruned(bar).is_none();
    let differs = |tally: &Tally| if is_kept { tally.pruned(bar).is_some() } else { tally.is_worth_it(bar) };
    let known = tallies.iter().filter_map(|(maker, tally)| Some(((*maker)?, *tally)));
    let apart: Vec<(u32, Tally)> = known.filter(|(_, tally)| differs(tally)).collect();
    let rest = whole.less(apart.iter().map(|(_, tally)| *tally).sum());
    let contrasts = if is_kept { rest.is_worth_it(bar) } else { rest.pruned(bar).is_some() };
    let pruned = apart.iter().map(|(_, tally)| tally.pruned(bar)).max()?;
    contrasts.then(|| Apart { makers: apart.into_iter().map(|(maker, _)| maker).collect(), pruned })
}
