//! The times between requests to one host, from lines that come in about the order of their requests.
//!
//! Lines are written when pages have been worked on, so two of a host may change places. A small window puts them in order again.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::time::Duration;

use super::spread::Spread;
use harvestman_core::clock::Instant;

/// Lines of a host that are held back to put them in order.
const WINDOW: usize = 24;

/// A request: when it started, and when the head of its answer was there.
type Request = (Instant, Option<Instant>);

/// Measures the gaps between the requests to a host.
#[derive(Debug, Clone, Default)]
pub struct Gaps {
    held: BinaryHeap<Reverse<Request>>,
    last: Option<Request>,
    /// From the start of a request to the start of the next.
    starts: Spread,
    /// From the first byte of an answer to the start of the next request: what politeness is about.
    waits: Spread,
    /// Waits that were shorter than was asked for.
    short: u64,
}

impl Gaps {
    /// Adds a request. `delay` is what was asked for then.
    pub fn add(&mut self, started: Instant, first_byte: Option<Duration>, delay: Duration) {
        self.held.push(Reverse((started, first_byte.map(|after| started + after))));
        if self.held.len() > WINDOW {
            self.take(delay);
        }
    }

    fn take(&mut self, delay: Duration) {
        let Some(Reverse((started, answered))) = self.held.pop() else { return };
        if let Some((before, answer_before)) = self.last {
            // What comes too late to be put in order is no gap of its own.
            if started >= before {
                self.starts.add(started.since(before));
                let wait = started.since(answer_before.unwrap_or(before));
                self.waits.add(wait);
                self.short += u64::from(wait < delay);
            }
            self.last = Some(if started >= before { (started, answered) } else { (before, answer_before) });
        } else {
            self.last = Some((started, answered));
        }
    }

    /// Counts what is held back still.
    pub fn finish(&mut self, delay: Duration) {
        while !self.held.is_empty() {
            self.take(delay);
        }
    }

    /// Start to start.
    pub fn starts(&self) -> &Spread {
        &self.starts
    }

    /// First byte to the next start.
    pub fn waits(&self) -> &Spread {
        &self.waits
    }

    /// Waits that were shorter than was asked for.
    pub fn short(&self) -> u64 {
        self.short
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const DELAY: Duration = Duration::from_millis(100);

    fn gaps(lines: &[(u64, u64)]) -> Gaps {
        let mut gaps = Gaps::default();
        for (start, head) in lines {
            gaps.add(Instant::from_micros(start * 1_000), Some(Duration::from_millis(*head)), DELAY);
        }
        gaps.finish(DELAY);
        gaps
    }

    proptest! {
        #[test]
        fn lines_that_change_places_nearby_give_the_gaps_of_the_sorted_ones(
            steps in prop::collection::vec((1u64..500, 0u64..80), 2..200), swaps in prop::collection::vec(any::<u16>(), 0..60),
        ) {
            let mut at = 0;
            let sorted: Vec<(u64, u64)> = steps.iter().map(|(step, head)| { at += step; (at, *head) }).collect();
            let mut lines = sorted.clone();
            for swap in swaps {
                // Neighbours by eight only, and each once: that is well within the window.
                let first = usize::from(swap) % lines.len() / 16 * 16;
                if first + 8 < lines.len() && lines[first] == sorted[first] {
                    lines.swap(first, first + 8);
                }
            }
            let gaps = gaps(&lines);
            let pairs = || sorted.windows(2);
            let waits: Vec<u64> = pairs().map(|pair| pair[1].0.saturating_sub(pair[0].0 + pair[0].1)).collect();
            let least = |all: &[u64]| all.iter().min().map(|millis| Duration::from_millis(*millis));
            let starts: Vec<u64> = pairs().map(|pair| pair[1].0 - pair[0].0).collect();
            prop_assert_eq!(gaps.starts().least(), least(&starts));
            prop_assert_eq!(gaps.waits().least(), least(&waits));
            prop_assert_eq!(gaps.short(), waits.iter().filter(|wait| **wait < 100).count() as u64);
            prop_assert_eq!(gaps.starts().count(), starts.len() as u64);
        }
    }

    #[test]
    fn one_request_has_no_gap_and_a_straggler_none_either() {
        assert_eq!(gaps(&[(5, 1)]).starts().count(), 0);
        let mut lines: Vec<(u64, u64)> = (1..60).map(|n| (n * 1_000, 10)).collect();
        lines.push((1_500, 10));
        let gaps = gaps(&lines);
        assert_eq!((gaps.starts().count(), gaps.short()), (58, 0));
        assert_eq!(gaps.waits().least(), Some(Duration::from_millis(990)));
    }
}
