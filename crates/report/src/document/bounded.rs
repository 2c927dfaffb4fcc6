//! Counts in bounded memory: by name (all names beyond the bound share one row), of durations, and of the times between
//! requests to one host.
//!
//! Of durations the minimum is exact, and quantiles to 1/16 of their value: the width of the counted ranges doubles
//! every sixteen, as in HDR histograms.
//!
//! The times between requests come from log lines in about the order of their requests. Lines are written after a page
//! was processed, so that lines of a host may be out of order. A small window reorders them.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};
use std::time::Duration;

use serde::Serialize;

use harvestman_core::clock::Instant;

/// Rows by name. Names that come after `most` others share a row, the rest.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Bounded<V> {
    most: usize,
    rows: BTreeMap<String, V>,
    rest: Option<V>,
}

impl<V: Default> Bounded<V> {
    /// Creates a table of at most `most` rows and the rest.
    pub fn new(most: usize) -> Self {
        Self { most, rows: BTreeMap::new(), rest: None }
    }

    /// Returns the row of a name, or the rest.
    pub fn row(&mut self, name: &str) -> &mut V {
        let full = self.rows.len() >= self.most;
        if self.rows.contains_key(name) || !full {
            // Looked up first, so that a known name costs no copy.
            if !self.rows.contains_key(name) {
                self.rows.insert(name.to_owned(), V::default());
            }
            return self.rows.get_mut(name).expect("the row exists or was just inserted");
        }
        self.rest.get_or_insert_default()
    }

    /// Returns the rows by descending `weight` (equal ones by name), and the rest.
    pub fn by_weight(self, weight: impl Fn(&V) -> u64) -> (Vec<(String, V)>, Option<V>) {
        let mut rows: Vec<(String, V)> = self.rows.into_iter().collect();
        rows.sort_by_key(|(_, row)| std::cmp::Reverse(weight(row)));
        (rows, self.rest)
    }
}

/// Shortens a text to `most` characters. An ellipsis replaces what is removed from its middle.
pub fn cut(text: &str, most: usize) -> String {
    let length = text.chars().count();
    if length <= most {
        return text.to_owned();
    }
    let (start, end) = (most * 2 / 3, most - most * 2 / 3 - 1);
    let tail: String = text.chars().skip(length - end).collect();
    text.chars().take(start).chain(['…']).chain(tail.chars()).collect()
}

/// The number of ranges between a value and its double, as a power of two.
const SUB_BITS: u32 = 4;

/// Counts durations by their microseconds, in at most about 960 counts.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Spread {
    counts: BTreeMap<u16, u64>,
    total: u64,
    least: Option<u64>,
}

impl Spread {
    /// Adds a duration.
    pub fn add(&mut self, length: Duration) {
        let micros = u64::try_from(length.as_micros()).unwrap_or(u64::MAX);
        *self.counts.entry(range_of(micros)).or_default() += 1;
        self.total += 1;
        self.least = Some(self.least.map_or(micros, |least| least.min(micros)));
    }

    /// Returns the number of durations added.
    pub fn count(&self) -> u64 {
        self.total
    }

    /// Returns the exact minimum.
    pub fn least(&self) -> Option<Duration> {
        self.least.map(Duration::from_micros)
    }

    /// Returns the `share` quantile (0 to 1), to 1/16 of its value: the middle of its range.
    pub fn quantile(&self, share: f64) -> Option<Duration> {
        #[expect(clippy::cast_precision_loss, clippy::cast_sign_loss, reason = "a rank among counts")]
        let rank = ((self.total as f64 * share).ceil() as u64).max(1);
        let mut below = 0;
        let range = self.counts.iter().find_map(|(range, count)| {
            below += count;
            (below >= rank).then_some(*range)
        })?;
        let middle = bound(range).midpoint(bound(range + 1).saturating_sub(1));
        Some(Duration::from_micros(middle.max(self.least.unwrap_or(0))))
    }
}

/// A duration in milliseconds, in documents.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[serde(transparent)]
pub struct Millis(pub f64);

impl From<Duration> for Millis {
    fn from(length: Duration) -> Self {
        Self((length.as_secs_f64() * 1e6).round() / 1e3)
    }
}

fn range_of(micros: u64) -> u16 {
    let Some(above) = (u64::BITS - micros.leading_zeros()).checked_sub(SUB_BITS + 1) else { return micros as u16 };
    // The four bits after the highest select the range within its octave.
    ((u64::from(above) << SUB_BITS) + (micros >> above)) as u16
}

/// Returns the lower bound of a range.
fn bound(range: u16) -> u64 {
    let (octave, within) = (range >> SUB_BITS, u64::from(range & ((1 << SUB_BITS) - 1)));
    if octave == 0 {
        return within;
    }
    // The bound after the last range does not fit into 64 bits.
    let bound = u128::from((1 << SUB_BITS) + within).checked_shl(u32::from(octave) - 1);
    bound.and_then(|bound| u64::try_from(bound).ok()).unwrap_or(u64::MAX)
}

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
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn names_beyond_the_bound_are_summed_and_nothing_is_lost() {
        let mut table: Bounded<u64> = Bounded::new(2);
        for name in ["b", "a", "c", "a", "d", "b", "a"] {
            *table.row(name) += 1;
        }
        assert_eq!(table.by_weight(|count| *count), (vec![("a".to_owned(), 3), ("b".to_owned(), 2)], Some(2)));
    }

    #[test]
    fn long_texts_lose_their_middle() {
        assert_eq!((cut("abc", 3), cut("äöüabcdef", 6)), ("abc".to_owned(), "äöüa…f".to_owned()));
        assert_eq!(cut(&"x".repeat(9_000), 100).chars().count(), 100);
    }

    #[test]
    fn every_duration_is_in_its_range() {
        let lengths =
            (0..200).chain((5..63).flat_map(|bits| [(1 << bits) - 1, 1 << bits, (1 << bits) + (1 << bits) / 3]));
        for micros in lengths {
            let range = range_of(micros);
            assert!(bound(range) <= micros && micros < bound(range + 1), "{micros} in {range}");
        }
        assert!(range_of(u64::MAX) < 1_000);
    }

    proptest! {
        #[test]
        fn quantiles_are_those_of_the_sorted_lengths_to_a_sixteenth(
            mut lengths in prop::collection::vec(0u64..1 << 40, 1..200), share in 0.0f64..=1.0,
        ) {
            let mut spread = Spread::default();
            lengths.iter().for_each(|length| spread.add(Duration::from_micros(*length)));
            lengths.sort_unstable();
            let rank = ((lengths.len() as f64 * share).ceil() as usize).max(1);
            let (exact, found) = (lengths[rank - 1] as f64, spread.quantile(share).unwrap().as_micros() as f64);
            prop_assert!((found - exact).abs() <= exact / 16.0 + 1.0, "{} for {}", found, exact);
            prop_assert_eq!(spread.least(), Some(Duration::from_micros(lengths[0])));
            prop_assert_eq!(spread.count(), lengths.len() as u64);
        }
    }

    #[test]
    fn an_empty_distribution_has_no_quantiles() {
        assert_eq!((Spread::default().quantile(0.5), Spread::default().least()), (None, None));
    }

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
