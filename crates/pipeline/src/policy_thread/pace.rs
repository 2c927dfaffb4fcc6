//! The pace at which snapshots are published.

use std::time::Duration;

use harvestman_core::clock::Instant;

/// Publishing takes at most one part in this many of the time.
const SHARE: u32 = 10;
/// Number of observations after which a snapshot is due: with more of them, more pages are chosen by older knowledge.
const PAGES: u32 = 20;
/// Time after which a snapshot is due if there were observations: a slow crawl is shown what it learned at once.
const INTERVAL: Duration = Duration::from_millis(250);

/// Decides when a snapshot is due.
#[derive(Debug, Clone)]
pub(crate) struct Pace {
    pages: u32,
    interval: Duration,
    /// The number of observations since the last snapshot.
    unpublished: u32,
    last: Instant,
    /// How long publishing the last snapshot took.
    cost: Duration,
}

impl Pace {
    pub(crate) fn new(now: Instant) -> Self {
        Self::within(PAGES, INTERVAL, now)
    }

    /// Returns the pace by which a snapshot is due after as many observations, or this time.
    pub(crate) fn within(pages: u32, interval: Duration, now: Instant) -> Self {
        Self { pages, interval, unpublished: 0, last: now, cost: Duration::ZERO }
    }

    /// Records an observation.
    pub(crate) fn observed(&mut self) {
        self.unpublished = self.unpublished.saturating_add(1);
    }

    /// Records a snapshot that was begun at `began` and is published `now`.
    pub(crate) fn published(&mut self, began: Instant, now: Instant) {
        (self.unpublished, self.last, self.cost) = (0, now, now.since(began));
    }

    /// Whether there is anything to publish.
    pub(crate) const fn has_news(&self) -> bool {
        self.unpublished > 0
    }

    /// Whether a snapshot is due. `idle`: no observation waits.
    pub(crate) fn is_due(&self, now: Instant, idle: bool) -> bool {
        let wanted = idle || self.unpublished >= self.pages || now.since(self.last) >= self.interval;
        self.has_news() && wanted && now.since(self.last) >= SHARE * self.cost
    }

    /// Returns how long to wait for the next observation until a snapshot is due anyway.
    pub(crate) fn patience(&self, now: Instant) -> Duration {
        (SHARE * self.cost).saturating_sub(now.since(self.last))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const START: Instant = Instant::from_micros(1_000_000);

    fn pace(observed: u32) -> Pace {
        let mut pace = Pace::within(3, INTERVAL, START);
        (0..observed).for_each(|_| pace.observed());
        pace
    }

    #[test]
    fn a_snapshot_is_due_after_enough_pages_or_enough_time_or_when_nothing_waits() {
        let later = START + Duration::from_millis(250);
        assert!(!pace(2).is_due(START, false) && pace(3).is_due(START, false));
        assert!(pace(1).is_due(later, false) && pace(1).is_due(START, true));
        assert!(!pace(0).is_due(later, true), "there is nothing new");
    }

    #[test]
    fn publishing_takes_a_tenth_of_the_time_at_most() {
        let mut pace = pace(5);
        let done = START + Duration::from_millis(8);
        pace.published(START, done);
        assert!(!pace.has_news());
        (0..9).for_each(|_| pace.observed());
        let soon = done + Duration::from_millis(79);
        assert!(!pace.is_due(soon, true));
        assert_eq!(pace.patience(soon), Duration::from_millis(1));
        assert!(pace.is_due(soon + pace.patience(soon), false));
    }
}
