//! The times between requests to one host, from log lines in about the order of their requests.
//!
//! Lines are written after a page was processed, so that lines of a host may be out of order. A small window reorders
//! them.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::time::Duration;

use super::spread::Spread;
use harvestman_core::clock::Instant;

/// The number of lines of a host that are held back for reordering.
const WINDOW: usize = 24;

/// A request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Request {
    started: Instant,
    /// When the head of its response arrived.
    answered: Option<Instant>,
}

/// Measures the gaps between the requests to a host.
#[derive(Debug, Clone, Default)]
pub struct Gaps {
    held: BinaryHeap<Reverse<Request>>,
    last: Option<Request>,
    /// The times from the start of a request to the start of the next.
    starts: Spread,
    /// The times from the first byte of a response to the start of the next request: the delay of politeness.
    waits: Spread,
    /// The number of waits below the configured delay.
    short: u64,
}

impl Gaps {
    /// Adds a request. `delay` is the configured delay.
    pub fn add(&mut self, started: Instant, first_byte: Option<Duration>, delay: Duration) {
        let answered = first_byte.map(|after| started + after);
        self.held.push(Reverse(Request { started, answered }));
        if self.held.len() > WINDOW {
            self.take(delay);
        }
    }

    /// Counts the earliest request that is held back.
    fn take(&mut self, delay: Duration) {
        let Some(Reverse(request)) = self.held.pop() else { return };
        let Some(before) = self.last else {
            self.last = Some(request);
            return;
        };
        // A line that comes too late to be reordered has no gap.
        if request.started < before.started {
            return;
        }
        let wait = request.started.since(before.answered.unwrap_or(before.started));
        self.starts.add(request.started.since(before.started));
        self.waits.add(wait);
        self.short += u64::from(wait < delay);
        self.last = Some(request);
    }

    /// Counts the requests that are still held back.
    pub fn finish(&mut self, delay: Duration) {
        while !self.held.is_empty() {
            self.take(delay);
        }
    }

    /// Returns the times from start to start.
    pub fn starts(&self) -> &Spread {
        &self.starts
    }

    /// Returns the times from first byte to the next start.
    pub fn waits(&self) -> &Spread {
        &self.waits
    }

    /// Returns the number of waits below the configured delay.
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
        fn lines_slightly_out_of_order_give_the_gaps_of_sorted_lines(
            steps in prop::collection::vec((1u64..500, 0u64..80), 2..200), swaps in prop::collection::vec(any::<u16>(), 0..60),
        ) {
            let mut at = 0;
            let sorted: Vec<(u64, u64)> = steps.iter().map(|(step, head)| { at += step; (at, *head) }).collect();
            let mut lines = sorted.clone();
            for swap in swaps {
                // Only neighbours at a distance of eight, each once: well within the window.
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
    fn neither_a_single_request_nor_a_late_line_has_a_gap() {
        assert_eq!(gaps(&[(5, 1)]).starts().count(), 0);
        let mut lines: Vec<(u64, u64)> = (1..60).map(|n| (n * 1_000, 10)).collect();
        lines.push((1_500, 10));
        let gaps = gaps(&lines);
        assert_eq!((gaps.starts().count(), gaps.short()), (58, 0));
        assert_eq!(gaps.waits().least(), Some(Duration::from_millis(990)));
    }
}
