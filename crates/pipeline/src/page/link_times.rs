//! Measures how long links take in the filter and the dedup. Reading the clock costs about as much as the filter, so
//! only a few pages are timed.

use std::time::Duration;

use harvestman_core::clock::Stopwatch;
use harvestman_metrics::Metrics;

/// One page in this many is timed, with all its links.
const TIMED_EVERY: u32 = 64;

/// Selects the pages whose links are timed.
#[derive(Debug, Default)]
pub(crate) struct Timing {
    pages: u32,
    /// How long reading the clock takes, once it is measured.
    reading: Option<Duration>,
}

impl Timing {
    /// Returns the stopwatch for the next page's links, if they are to be timed.
    pub(crate) fn next(&mut self, metrics: &Metrics) -> Option<LinkTimes> {
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
pub(crate) struct LinkTimes {
    watch: Stopwatch,
    filter: Duration,
    dedup: Duration,
}

impl LinkTimes {
    /// Attributes the time since the last call to neither stage.
    pub(crate) fn begin(&mut self) {
        self.watch.lap();
    }

    /// Attributes the time since the last call to the filter.
    pub(crate) fn filtered(&mut self) {
        self.filter += self.watch.lap();
    }

    /// Attributes the time since the last call to the dedup.
    pub(crate) fn looked_up(&mut self) {
        self.dedup += self.watch.lap();
    }

    /// Adds the times to the metrics, with the numbers of links that each stage has processed.
    pub(crate) fn count(self, filtered: u64, looked_up: u64, metrics: &Metrics) {
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
    fn one_page_in_sixty_four_is_timed_starting_with_the_first() {
        let metrics = Metrics::new();
        let mut timing = Timing::default();
        let timed: Vec<u32> = (0..140).filter(|_| timing.next(&metrics).is_some()).collect();
        assert_eq!(timed, [0, 64, 128]);
    }

    #[test]
    fn nothing_is_timed_while_metrics_are_off() {
        let mut timing = Timing::default();
        assert!((0..40).all(|_| timing.next(&Metrics::off()).is_none()));
    }

    #[test]
    fn each_lap_is_attributed_to_its_stage() {
        let metrics = Metrics::new();
        let mut times = Timing::default().next(&metrics).unwrap();
        let busy = || std::hint::black_box((0..20_000_u64).fold(0, |sum, n| sum ^ n.wrapping_mul(sum | 3)));
        busy();
        times.begin();
        assert_eq!((times.filter, times.dedup), (Duration::ZERO, Duration::ZERO));
        busy();
        times.looked_up();
        assert!(times.dedup > times.filter);
        times.count(3, 2, &metrics);
        assert_eq!((metrics.filter.timed_links.get(), metrics.dedup.timed_links.get()), (3, 2));
        assert!(metrics.dedup.timed_seconds.get() > 0.0);
    }
}
