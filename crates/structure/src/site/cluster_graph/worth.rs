//! The verdict on pages, by the number of them that show something, and its certainty.

use std::collections::{BTreeMap, BTreeSet};
use std::iter::Sum;

use super::graph::GraphReason;

/// The share of pages that must show something of their own, and the required certainty of a verdict: the width of
/// Wilson's interval, in standard deviations.
#[derive(Debug, Clone, Copy)]
pub struct Threshold {
    /// The share, 0 to 1.
    pub share: f64,
    /// The width, at least 0.
    pub sure: f64,
}

/// Counts of pages.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Tally {
    pages: usize,
    /// Pages that show something of their own.
    new: usize,
    /// Those among them that are not mere forms.
    informative: usize,
}

impl Tally {
    pub(super) const fn count(&mut self, is_new: bool, is_informative: bool) {
        self.pages += 1;
        self.new += is_new as usize;
        self.informative += (is_new && is_informative) as usize;
    }

    /// Returns the tally with so many pages more that are worth fetching for what they lead to.
    pub(super) fn with(self, gateways: usize) -> Self {
        let more = |some: usize| if some + gateways < self.pages { some + gateways } else { self.pages };
        Self { pages: self.pages, new: more(self.new), informative: more(self.informative) }
    }

    /// Returns the reason why such pages are not worth fetching, if that is certain.
    pub(super) fn pruned(self, threshold: Threshold) -> Option<GraphReason> {
        let too_few = |some: usize| wilson(some, self.pages, threshold.sure).1 < threshold.share;
        match (too_few(self.informative), too_few(self.new)) {
            (false, _) => None,
            (true, true) => Some(GraphReason::DuplicateContent),
            (true, false) => Some(GraphReason::Uninformative),
        }
    }

    /// Returns whether it is certain that they are worth fetching.
    fn is_worth_it(self, threshold: Threshold) -> bool {
        wilson(self.informative, self.pages, threshold.sure).0 >= threshold.share
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

/// Returns the lower and upper bound of a cluster's share of pages of which `some` of `all` sampled ones are: Wilson's
/// interval, `deviations` standard deviations wide to either side; for 0 the share itself.
pub(super) fn wilson(some: usize, all: usize, deviations: f64) -> (f64, f64) {
    let count = all.max(1) as f64;
    let (share, square) = (some as f64 / count, deviations * deviations);
    let spread = (share * (1.0 - share) / count + square / (4.0 * count * count)).sqrt();
    let end = |deviations: f64| (share + square / (2.0 * count) + deviations * spread) / (1.0 + square / count);
    (end(-deviations), end(deviations))
}

/// Pages of a cluster whose verdict differs from that of the remaining ones.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SplitOff {
    /// The templates that made them, as numbered in [`GraphPage::maker`](super::GraphPage::maker).
    pub makers: BTreeSet<u32>,
    /// The reason why they are pruned, if they are.
    pub pruned: Option<GraphReason>,
}

/// Returns the pages of a cluster that are split off, given its pages counted by template (`None`: not known).
///
/// In a cluster that is kept these are the pages of templates that are certainly not worth fetching; in one that is
/// pruned, those of templates that certainly are; in both cases only if the contrary is certain of the remaining pages.
/// So the remaining pages get the verdict of the whole, including those of templates about which too little is known,
/// and a cluster without such a contrast is not split, however many templates made it.
pub(super) fn split_off(tallies: &BTreeMap<Option<u32>, Tally>, threshold: Threshold) -> Option<SplitOff> {
    let whole: Tally = tallies.values().copied().sum();
    let is_kept = whole.pruned(threshold).is_none();
    let differs =
        |tally: &Tally| if is_kept { tally.pruned(threshold).is_some() } else { tally.is_worth_it(threshold) };
    let known = tallies.iter().filter_map(|(maker, tally)| Some(((*maker)?, *tally)));
    let apart: Vec<(u32, Tally)> = known.filter(|(_, tally)| differs(tally)).collect();
    let rest = whole.less(apart.iter().map(|(_, tally)| *tally).sum());
    let contrasts = if is_kept { rest.is_worth_it(threshold) } else { rest.pruned(threshold).is_some() };
    let pruned = apart.iter().map(|(_, tally)| tally.pruned(threshold)).max()?;
    contrasts.then(|| SplitOff { makers: apart.into_iter().map(|(maker, _)| maker).collect(), pruned })
}
