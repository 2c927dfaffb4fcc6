//! Looks at rejected page types: of which one a waiting URL is fetched next, and when the waiting URLs are dropped.

use std::collections::HashMap;

use foldhash::fast::FixedState;

use harvestman_core::model::PatternId;

/// One fetch in this many is a look.
const LOOK_EVERY: usize = 64;
/// URLs of rejected page types that are fetched without being due show that hardly anything else waits. Each such fetch
/// counts this much, every other one counts -1, and the sum at which the rest is dropped. So eight in a row suffice; on
/// a site of several hosts, of which some have nothing else left, more than a fifth of all fetches.
const IDLE_STEP: u32 = 4;
const IDLE_MAX: u32 = 32;

/// The looks of a crawl.
#[derive(Debug, Clone, Default)]
pub struct Looks {
    due: Option<PatternId>,
    /// The number of fetches at the latest look at each rejected pattern.
    latest: HashMap<PatternId, usize, FixedState>,
    next: usize,
    idle: u32,
    drained: bool,
}

impl Looks {
    /// The rejected pattern that a waiting URL is to be fetched of.
    pub const fn due(&self) -> Option<PatternId> {
        self.due
    }

    /// Whether hardly anything waited but URLs of rejected page types: they are dropped from then on.
    pub const fn is_drained(&self) -> bool {
        self.drained
    }

    /// Counts the fetch of a URL with this pattern. Returns true where waiting URLs of rejected page types are dropped
    /// from now on.
    pub fn see(&mut self, pattern: PatternId, is_rejected: bool) -> bool {
        if !is_rejected {
            self.idle = self.idle.saturating_sub(1);
        } else if self.due == Some(pattern) {
            self.due = None;
        } else {
            self.idle = self.idle.saturating_add(IDLE_STEP);
        }
        let drains = !self.drained && self.idle >= IDLE_MAX;
        self.drained |= drains;
        drains
    }

    /// Chooses the rejected pattern that was not looked at for longest, if a look is due after so many fetches.
    pub fn plan(&mut self, fetches: usize, rejected: impl Iterator<Item = PatternId>) {
        if fetches < self.next {
            return;
        }
        self.next = fetches + LOOK_EVERY;
        let latest = |pattern: PatternId| (pattern, self.latest.get(&pattern).copied().unwrap_or(0));
        self.latest = rejected.map(latest).collect();
        let longest = self.latest.iter().min_by_key(|(pattern, latest)| (**latest, **pattern));
        self.due = longest.map(|(pattern, _)| *pattern);
        self.latest.extend(self.due.map(|pattern| (pattern, fetches)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const KEPT: PatternId = PatternId(9);

    #[test]
    fn each_rejected_pattern_is_looked_at_in_turn() {
        let mut looks = Looks::default();
        let rejected = || [1, 2, 3].map(PatternId).into_iter();
        let mut seen = Vec::new();
        for fetches in 1..=6 * LOOK_EVERY {
            looks.plan(fetches, rejected());
            let due = looks.due();
            looks.see(due.unwrap_or(KEPT), due.is_some());
            seen.extend(due.map(|pattern| pattern.0));
        }
        assert_eq!(seen, [1, 2, 3, 1, 2, 3]);
        assert!(!looks.is_drained(), "looks are no sign of that");
        looks.plan(7 * LOOK_EVERY, std::iter::empty());
        assert_eq!(looks.due(), None);
    }

    #[test]
    fn waiting_urls_are_dropped_once_little_else_is_fetched() {
        let mut looks = Looks::default();
        for _ in 0..100 {
            assert!(!looks.see(PatternId(1), true));
            (0..4).for_each(|_| assert!(!looks.see(KEPT, false)));
        }
        assert_eq!((0..8).filter(|_| looks.see(PatternId(1), true)).count(), 1);
        assert!(looks.is_drained());
    }
}
