//! How long links take in filter and dedup. A look at the clock costs about as much as the filter, so only a few pages are timed.

use std::time::Duration;

use harvestman_core::clock::Stopwatch;
use harvestman_metrics::Metrics;

/// One page of so many is timed, all its links.
const TIMED_EVERY: u32 = 64;

/// Says of which pages the links are timed.
#[derive(Debug, Default)]
pub(super) struct Timing {
    pages: u32,
    /// What it takes to read the clock, once that was measured.
    reading: Option<Duration>,
}

impl Timing {
    /// The times of the next page's links, if they are to be taken.
    pub(super) fn next(&mut self, metrics: &Metrics) -> Option<LinkTimes> {
        let timed = self.pages.is_multiple_of(TIMED_EVERY) && metrics.filter.timed_seconds.is_on();
        self.pages = self.pages.wrapping_add(1);
        timed.then(|| {
            let reading = *self.reading.get_or_insert_with(Stopwatch::reading);
            LinkTimes { watch: Stopwatch::start_without(reading), filter: Duration::ZERO, dedup: Duration::ZERO }
        })
    }
}

/// The times of one page's links.
#[derive(Debug)]
pub(super) struct LinkTimes {
    watch: Stopwatch,
    filter: Duration,
    dedup: Duration,
}

impl LinkTimes {
    /// Time since the last look went to neither.
    pub(super) fn begin(&mut self) {
        self.watch.lap();
    }

    /// Time since the last look went to the filter.
    pub(super) fn filtered(&mut self) {
        self.filter += self.watch.lap();
    }

    /// Time since the last look went to the dedup.
    pub(super) fn looked_up(&mut self) {
        self.dedup += self.watch.lap();
    }

    /// Counts the times of so many links in each.
    pub(super) fn count(self, (filtered, looked_up): (u64, u64), metrics: &Metrics) {
        metrics.filter.timed_links.add(filtered);
        metrics.filter.timed_seconds.add(self.filter);
        metrics.dedup.timed_links.add(looked_up);
        metrics.dedup.timed_seconds.add(self.dedup);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_page_of_sixty_four_is_timed_from_the_first_on() {
        let metrics = Metrics::new();
        let mut timing = Timing::default();
        let timed: Vec<u32> = (0..140).filter(|_| timing.next(&metrics).is_some()).collect();
        assert_eq!(timed, [0, 64, 128]);
    }

    #[test]
    fn nothing_is_timed_where_nothing_is_counted() {
        let mut timing = Timing::default();
        assert!((0..40).all(|_| timing.next(&Metrics::off()).is_none()));
    }

    #[test]
    fn each_lap_goes_to_whom_it_belongs() {
        let metrics = Metrics::new();
        let mut times = Timing::default().next(&metrics).unwrap();
        let busy = || std::hint::black_box((0..20_000_u64).fold(0, |sum, n| sum ^ n.wrapping_mul(sum | 3)));
        busy();
        times.begin();
        assert_eq!((times.filter, times.dedup), (Duration::ZERO, Duration::ZERO));
        busy();
        times.looked_up();
        assert!(times.dedup > times.filter);
        times.count((3, 2), &metrics);
        assert_eq!((metrics.filter.timed_links.get(), metrics.dedup.timed_links.get()), (3, 2));
        assert!(metrics.dedup.timed_seconds.get() > 0.0);
    }
}
